package main

import (
	"fmt"

	"ccbench/internal/result"
)

// minValid trials of an arm are needed for a spread, and so for any verdict.
const minValid = 2

// tooFewValid is an error when an arm has not enough valid trials to say
// anything of it: fewer than two, or than half of those that were done. Where
// only one was asked for, one is enough.
func tooFewValid(file *result.File) error {
	valid, done := map[string]int{}, map[string]int{}
	for _, t := range file.Trials {
		arm := t.Labels["arm"]
		done[arm]++
		if t.Verdict != result.Invalid {
			valid[arm]++
		}
	}
	for _, arm := range file.Header.Arms {
		n, of := valid[arm.Name], done[arm.Name]
		if need := max(1, min(minValid, file.Header.Repetitions), (of+1)/2); n < need {
			return exitError{exitFewValid, fmt.Errorf("%s has %s of %d, %d needed; the reasons are in the notes",
				arm.Name, count(n, "valid trial"), of, need)}
		}
	}
	return nil
}
