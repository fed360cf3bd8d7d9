package main

import (
	"fmt"
	"slices"
	"strings"
)

// oneOf refuses a flag's value that is none of those that there are.
func oneOf(flag, given string, values ...string) error {
	if slices.Contains(values, given) {
		return nil
	}
	most, last := values[:len(values)-1], values[len(values)-1]
	return usageError(fmt.Errorf("--%s is %s or %s, not %q", flag, strings.Join(most, ", "), last, given))
}
