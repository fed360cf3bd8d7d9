package experiment

import (
	"strings"

	"ccbench/internal/near"
)

// nearest is the name that was probably meant: in other letters' case, or with
// a slip of the pen. It is "" when none is near.
func nearest(written string, names []string) string {
	for _, name := range names {
		if strings.EqualFold(written, name) {
			return name
		}
	}
	return near.Name(written, names)
}

// hint is " (did you mean NAME?)" for the name nearest to what was written,
// "" when none is near.
func hint(written string, names []string) string {
	if best := nearest(written, names); best != "" {
		return " (did you mean " + best + "?)"
	}
	return ""
}
