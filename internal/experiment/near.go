package experiment

import (
	"fmt"
	"slices"
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

// elsewhere is hint for a key that another part of the file has: rtt is
// path.rtt. path is that of the mapping where it was written.
func elsewhere(key, path string) string {
	others := varied().keys
	if path != "" {
		others = slices.Concat(others, rootKeys.keys)
	}
	name := withLast(key, others)
	section, below, dotted := strings.Cut(name, ".")
	switch {
	case name == "":
		return ""
	case dotted && name == key:
		return fmt.Sprintf(" (a file has it as %s: {%s: ...})", section, below)
	case dotted || path == "":
		return " (did you mean " + name + "?)"
	}
	return fmt.Sprintf(" (did you mean %s, outside of %s?)", name, path)
}

// withLast is the dotted name whose last part is nearest to that of a key, ""
// when none is near.
func withLast(key string, names []string) string {
	last := make([]string, len(names))
	for i, name := range names {
		last[i] = lastPart(name)
	}
	if i := slices.Index(last, nearest(lastPart(key), last)); i >= 0 {
		return names[i]
	}
	return ""
}

func lastPart(key string) string { return key[strings.LastIndex(key, ".")+1:] }
