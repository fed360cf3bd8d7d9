package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ccbench/internal/result"
)

// fewFile has arms a and b under two conditions, and of each so many trials
// with these verdicts.
func fewFile(repetitions int, verdicts map[armAt][]result.Verdict) *result.File {
	f := &result.File{Header: &result.Header{
		Arms: []result.Arm{{Name: "a"}, {Name: "b"}}, Repetitions: repetitions, Factors: []string{"path.rtt"},
		Conditions: []result.Condition{{Labels: map[string]string{"path.rtt": "10ms"}}, {Labels: map[string]string{"path.rtt": "40ms"}}},
	}}
	for at, all := range verdicts {
		for _, v := range all {
			labels := map[string]string{"arm": at.arm, "path.rtt": at.condition}
			f.Trials = append(f.Trials, &result.Trial{Labels: labels, Verdict: v})
		}
	}
	return f
}

// What holds of an arm holds of it under each condition.
func TestTooFewValidUnderACondition(t *testing.T) {
	good := []result.Verdict{result.Valid, result.Suspect, result.Valid}
	for _, tt := range []struct {
		name        string
		repetitions int
		b           []result.Verdict // of arm b at 40 ms
		want        string
	}{
		{"enough", 3, good, ""},
		{"one of three", 3, []result.Verdict{result.Valid, result.Invalid, result.Invalid},
			"path.rtt=40ms: b has 1 valid trial of 3, 2 needed; the reasons are in the notes"},
		{"not begun", 3, nil, "path.rtt=40ms: b has 0 valid trials of 0, 2 needed; the reasons are in the notes"},
		{"one was asked for", 1, []result.Verdict{result.Valid}, ""},
		{"less than half", 5, []result.Verdict{result.Valid, result.Valid, result.Invalid, result.Invalid, result.Invalid},
			"path.rtt=40ms: b has 2 valid trials of 5, 3 needed; the reasons are in the notes"},
	} {
		err := tooFewValid(fewFile(tt.repetitions, map[armAt][]result.Verdict{
			{"10ms", "a"}: good, {"10ms", "b"}: good, {"40ms", "a"}: good, {"40ms", "b"}: tt.b,
		}))
		var exit exitError
		switch {
		case tt.want == "" && err == nil:
		case !errors.As(err, &exit) || exit.status != exitFewValid || err.Error() != tt.want:
			t.Errorf("%s: error %v, want status 5 and %q", tt.name, err, tt.want)
		}
	}
}

// All arms that have too few are named as far as there is room, those that lack
// most first, and in the table's order where they lack the same.
func TestTooFewValidNamesAll(t *testing.T) {
	file := &result.File{Header: &result.Header{Repetitions: 4}}
	for i, valid := range []int{1, 4, 0, 1, 1, 0, 1, 1} {
		name := fmt.Sprintf("a%d", i)
		file.Header.Arms = append(file.Header.Arms, result.Arm{Name: name})
		for n := range 3 {
			trial := &result.Trial{Labels: map[string]string{"arm": name}, Verdict: result.Invalid}
			if n < valid {
				trial.Verdict = result.Valid
			}
			file.Trials = append(file.Trials, trial)
		}
	}
	err := tooFewValid(file)
	want := "a2 has 0 valid trials of 3, 2 needed\na5 has 0 valid trials of 3, 2 needed\na0 has 1 valid trial of 3, 2 needed\n" +
		"a3 has 1 valid trial of 3, 2 needed\na4 has 1 valid trial of 3, 2 needed\nand 2 more; the reasons are in the notes"
	if err == nil || err.Error() != want || statusOf(err) != exitFewValid {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	var h hinter
	if errors.As(err, &h) {
		t.Errorf("trials are missing, and the hint is %q", h.Hint())
	}
}

// Where no trial is missing, going on with the run is no help; what is, depends
// on what the trials were refused for.
func TestTooFewValidOfAllTrials(t *testing.T) {
	for checks, want := range map[string]string{
		"":                     "run the experiment anew",
		"algorithm":            "run the experiment anew",
		"rate":                 "run the experiment anew with a longer warmup",
		"lateness holes":       "run the experiment anew with a longer warmup",
		"lateness run_delay":   "run the experiment anew when the machine has less else to do",
		"lateness tx_dropped ": "run the experiment anew",
	} {
		invalid := []result.Verdict{result.Invalid, result.Invalid}
		valid := []result.Verdict{result.Valid, result.Valid}
		file := fewFile(2, map[armAt][]result.Verdict{
			{"10ms", "a"}: valid, {"10ms", "b"}: valid, {"40ms", "a"}: valid, {"40ms", "b"}: invalid,
		})
		for _, trial := range file.Trials {
			if trial.Verdict == result.Valid {
				trial.Reasons = []result.Reason{{Verdict: result.Invalid, Check: "holes"}} // of an arm that has enough
				continue
			}
			trial.Reasons = []result.Reason{{Verdict: result.Suspect, Check: "holes"}}
			for check := range strings.FieldsSeq(checks) {
				trial.Reasons = append(trial.Reasons, result.Reason{Verdict: result.Invalid, Check: check})
			}
		}
		var h hinter
		err := tooFewValid(file)
		if !errors.As(err, &h) || !strings.HasSuffix(h.Hint(), "not done again by --resume: "+want) {
			t.Errorf("%q: error %v without the hint %q", checks, err, want)
		}
	}
}
