package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one thing that is wrong with an experiment file, or with an override
// of one of its keys.
type Error struct {
	File    string
	Set     int    // the override it is about, 1-based; 0: the file
	Line    int    // 1-based; 0 for an override
	Column  int    // 1-based, in characters; 0 where there is none (a file that is too long)
	Key     string // dotted, such as path.rate or arms[0].name; "" for the file itself
	Problem string // what is wrong; what is allowed
	absent  bool   // it is about a key that was not written
}

// Error reads file:line:column: key: problem, or --set #2: key: problem.
func (e *Error) Error() string {
	place := e.place()
	if e.Key == "" {
		return place + ": " + e.Problem
	}
	return place + ": " + e.Key + ": " + e.Problem
}

func (e *Error) place() string {
	switch {
	case e.Set > 0:
		return fmt.Sprintf("--set #%d", e.Set)
	case e.Column > 0:
		return fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	return fmt.Sprintf("%s:%d", e.File, e.Line)
}

// Errors is all that is wrong with one file, in the order of the file, and then
// with the overrides. It is
// what Load and Parse return for a bad file, so that a caller can tell it from
// one that could not be read.
type Errors []*Error

// mostShown is how many errors of a file are told: more are no help.
const mostShown = 100

// Error has one line for each of the errors, and one for those beyond mostShown.
func (l Errors) Error() string {
	var lines []string
	for _, e := range l[:min(len(l), mostShown)] {
		lines = append(lines, e.Error())
	}
	if more := len(l) - mostShown; more > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", l[0].File, more))
	}
	return strings.Join(lines, "\n")
}

// sorted orders the errors by their place: the file's, then each override's.
func (l Errors) sorted() Errors {
	slices.SortStableFunc(l, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return l
}
