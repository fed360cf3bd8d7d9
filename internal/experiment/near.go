package experiment

import "ccbench/internal/near"

// hint is " (did you mean NAME?)" for the name nearest to what was written,
// "" when none is near.
func hint(written string, names []string) string {
	if best := near.Name(written, names); best != "" {
		return " (did you mean " + best + "?)"
	}
	return ""
}
