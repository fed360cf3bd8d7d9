// Package near finds what was probably meant by a name that is not known.
package near

import "github.com/agnivade/levenshtein"

const (
	mostEdits = 2  // more is no slip of the pen
	longest   = 64 // bytes; a longer name is not compared
)

// Name returns the name nearest to what was written, at most two letters
// added, dropped or changed, and fewer than half of the name's letters (two
// edits turn any two letters into any other two); two neighbours swapped count
// as one. It is "" when none is near.
func Name(written string, names []string) string {
	best, least := "", mostEdits+1
	if len(written) > longest {
		return ""
	}
	for _, name := range names {
		if n := edits(written, name); n < least && 2*n < len(name) {
			best, least = name, n
		}
	}
	return best
}

func edits(written, name string) int {
	if swapped(written, name) {
		return 1
	}
	return levenshtein.ComputeDistance(written, name)
}

// swapped says whether a and b differ only in two neighbours being swapped.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
