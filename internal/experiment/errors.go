package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one thing that is wrong with an experiment file.
type Error struct {
	File    string
	Line    int    // 1-based
	Column  int    // 1-based, in characters; 0 where only the line is known
	Key     string // dotted, such as path.rate or arms[0].name; "" for the file itself
	Problem string // what is wrong; what is allowed
}

// Error reads file:line:column: key: problem.
func (e *Error) Error() string {
	place := fmt.Sprintf("%s:%d", e.File, e.Line)
	if e.Column > 0 {
		place += fmt.Sprintf(":%d", e.Column)
	}
	if e.Key == "" {
		return place + ": " + e.Problem
	}
	return place + ": " + e.Key + ": " + e.Problem
}

// Errors is all that is wrong with one file, in the order of the file. It is
// what Load and Parse return for a bad file, so that a caller can tell it from
// one that could not be read.
type Errors []*Error

// Error has one line for each of the errors.
func (l Errors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// sorted orders the errors by their place in the file.
func (l Errors) sorted() Errors {
	slices.SortStableFunc(l, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return l
}
