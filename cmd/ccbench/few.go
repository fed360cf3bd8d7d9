package main

import (
	"fmt"

	"ccbench/internal/result"
)

// minValid trials of an arm are needed for a spread, and so for any verdict.
const minValid = 2

// armAt is an arm under the condition of that name; "" without a matrix.
type armAt struct{ condition, arm string }

func (a armAt) String() string {
	if a.condition == "" {
		return a.arm
	}
	return a.condition + ": " + a.arm
}

// tooFewValid is an error when an arm has not enough valid trials under some
// condition to say anything of it: fewer than two, or than half of those that
// were done. Where only one was asked for, one is enough.
func tooFewValid(file *result.File) error {
	h := file.Header
	valid, done := map[armAt]int{}, map[armAt]int{}
	for _, t := range file.Trials {
		at := armAt{result.ConditionName(h.Factors, t.Labels), t.Labels["arm"]}
		done[at]++
		if t.Verdict != result.Invalid {
			valid[at]++
		}
	}
	for _, at := range armsAt(h) {
		n, of := valid[at], done[at]
		if need := max(1, min(minValid, h.Repetitions), (of+1)/2); n < need {
			return exitError{exitFewValid, fmt.Errorf("%s has %s of %d, %d needed; the reasons are in the notes",
				at, count(n, "valid trial"), of, need)}
		}
	}
	return nil
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
