package report

import (
	"strings"
	"unicode"
)

// Cells and sentences are made with Unicode's signs; a mail program or a
// terminal that cannot show them gets ASCII.
var (
	unicodeSigns = strings.NewReplacer()
	asciiSigns   = strings.NewReplacer("−", "-", "±", "+-", "²", "^2", "µ", "u", "×", "x")
)

// minus gives a formatted number the true minus sign (U+2212).
func minus(number string) string {
	if rest, ok := strings.CutPrefix(number, "-"); ok {
		return "−" + rest
	}
	return number
}

// clean makes text from a file safe to print on a terminal, on one line.
func clean(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}
