package unit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// BlankError is the error of a quantity that parse reads once the blanks in it
// are gone, nil of any other. what names the quantity with its article: a rate.
func BlankError[T any](s, what string, parse func(string) (T, error)) error {
	bare := WithoutBlanks(s)
	if bare == s || len(bare) > longest {
		return nil
	}
	if _, err := parse(bare); err != nil {
		return nil
	}
	blank := "blank"
	if utf8.RuneCountInString(s)-utf8.RuneCountInString(bare) > 1 {
		blank = "blanks"
	}
	return fmt.Errorf("%s is not %s; write it without the %s: %s", Quote(s), what, blank, bare)
}

// WithoutBlanks is s without the blanks before, in and after it.
func WithoutBlanks(s string) string { return strings.Join(strings.Fields(s), "") }
