package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ccbench/internal/result"
	"ccbench/internal/validity"
)

// minValid trials of an arm are needed for a spread, and so for any verdict.
const minValid = 2

// mostFew is how many arms with too few valid trials are named: the table has
// them all.
const mostFew = 5

// armAt is an arm under the condition of that name; "" without a matrix.
type armAt struct{ condition, arm string }

func (a armAt) String() string {
	if a.condition == "" {
		return a.arm
	}
	return a.condition + ": " + a.arm
}

// fewAt is an arm that has not enough valid trials.
type fewAt struct {
	armAt
	valid, done, needed int
}

func (f fewAt) String() string {
	return fmt.Sprintf("%s has %s of %d, %d needed", f.armAt, count(f.valid, "valid trial"), f.done, f.needed)
}

// tooFewValid is an error when an arm has not enough valid trials under some
// condition to say anything of it: fewer than two, or than half of those that
// were done. Where only one was asked for, one is enough.
func tooFewValid(file *result.File) error {
	few := fewValid(file)
	if len(few) == 0 {
		return nil
	}
	err := exitError{exitFewValid, errors.New(fewLines(few))}
	if hint := anewHint(file, few); hint != "" {
		return hinted{err, hint}
	}
	return err
}

// fewValid are the arms that have not enough, those that lack most first.
func fewValid(file *result.File) []fewAt {
	h := file.Header
	valid, done := map[armAt]int{}, map[armAt]int{}
	for _, t := range file.Trials {
		at := armOf(h, t)
		done[at]++
		if t.Verdict != result.Invalid {
			valid[at]++
		}
	}
	var few []fewAt
	for _, at := range armsAt(h) {
		n, of := valid[at], done[at]
		if need := max(1, min(minValid, h.Repetitions), (of+1)/2); n < need {
			few = append(few, fewAt{at, n, of, need})
		}
	}
	slices.SortStableFunc(few, func(a, b fewAt) int { return cmp.Compare(a.valid*b.needed, b.valid*a.needed) })
	return few
}

func fewLines(few []fewAt) string {
	var lines []string
	for _, f := range few[:min(len(few), mostFew)] {
		lines = append(lines, f.String())
	}
	if more := len(few) - mostFew; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n") + "; the reasons are in the notes"
}

// anewHint is for arms all of whose trials were done: going on with the run
// gives them no others.
func anewHint(file *result.File, few []fewAt) string {
	whole := map[armAt]bool{}
	for _, f := range few {
		whole[f.armAt] = f.done > 0 && f.done >= file.Header.Repetitions
	}
	against, ofMachine := map[string]bool{}, true
	for _, t := range file.Trials {
		for _, r := range t.Reasons {
			if whole[armOf(file.Header, t)] && r.Verdict == result.Invalid {
				against[r.Check] = true
				ofMachine = ofMachine && validity.OfMachine(r.Check)
			}
		}
	}
	anew := "invalid trials are not done again by --resume: run the experiment anew"
	switch {
	case !slices.ContainsFunc(few, func(f fewAt) bool { return whole[f.armAt] }):
		return ""
	case against["rate"] || against["holes"]: // data from before the window was read in it
		return anew + " with a longer warmup"
	case len(against) > 0 && ofMachine:
		return anew + " when the machine has less else to do"
	}
	return anew
}

// armOf is the arm of a trial.
func armOf(h *result.Header, t *result.Trial) armAt {
	return armAt{result.ConditionName(h.Factors, t.Labels), t.Labels["arm"]}
}

// armsAt are all arms under all conditions, as the table has its rows.
func armsAt(h *result.Header) []armAt {
	conditions := h.Conditions
	if len(conditions) == 0 {
		conditions = []result.Condition{{}}
	}
	var all []armAt
	for _, c := range conditions {
		for _, arm := range h.Arms {
			all = append(all, armAt{result.ConditionName(h.Factors, c.Labels), arm.Name})
		}
	}
	return all
}
