package main

import (
	"errors"
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
