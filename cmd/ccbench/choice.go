package main

import (
	"fmt"
	"slices"
	"strings"

	"ccbench/internal/near"
)

// oneOf refuses a flag's value that is none of those that there are.
func oneOf(flag, given string, values ...string) error {
	if slices.Contains(values, given) {
		return nil
	}
	most, last := values[:len(values)-1], values[len(values)-1]
	err := fmt.Errorf("--%s is %s or %s, not %q", flag, strings.Join(most, ", "), last, given)
	if meant := meantBy(given, values); meant != "" {
		return usageError(hinted{err, "did you mean " + meant + "?"})
	}
	return usageError(err)
}

// meantBy is the value that was meant by a slip of the pen, or by an abbreviation
// of it alone, such as md for markdown; "" if there is none.
func meantBy(given string, values []string) string {
	if meant := near.Name(strings.ToLower(given), values); meant != "" {
		return meant
	}
	var meant []string
	for _, value := range values {
		if abbreviates(strings.ToLower(given), value) {
			meant = append(meant, value)
		}
	}
	if len(meant) != 1 {
		return ""
	}
	return meant[0]
}

// abbreviates says whether short is the first letter of a word and some that
// follow, in their order.
func abbreviates(short, word string) bool {
	if short == "" || short[0] != word[0] {
		return false
	}
	for i := range len(short) {
		at := strings.IndexByte(word, short[i])
		if at < 0 {
			return false
		}
		word = word[at+1:]
	}
	return true
}
