package main

import (
	"errors"
	"testing"

	"ccbench/internal/plan"
	"ccbench/internal/result"
)

// Whether a run keeps series is seen only in trials that did not break.
func TestResumedRunKeepsSeriesAsItDid(t *testing.T) {
	sound, broken := &result.Trial{}, &result.Trial{Error: "the receiver died"}
	for _, test := range []struct {
		name string
		file result.File
		want bool
	}{
		{"nothing yet", result.File{}, true},
		{"with series", result.File{HasSeries: true, Trials: []*result.Trial{sound}}, true},
		{"without", result.File{Trials: []*result.Trial{broken, sound}}, false},
		{"broken trials only", result.File{Trials: []*result.Trial{broken}}, true},
	} {
		if got := (&resumption{file: &test.file}).keepsSeries(); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// Whatever ended a run, how it goes on is said, after what cures the cause; of
// one that has all its trials nothing is.
func TestHowAnEndedRunGoesOn(t *testing.T) {
	full := errors.New("no space left on device")
	for _, test := range []struct {
		name    string
		failure error
		trials  int
		hint    string
	}{
		{"interrupted", errInterrupted, 1, "ccbench run --resume 'my a.jsonl' goes on with it"},
		{"with a cure", hinted{full, "make room"}, 2, "make room; then ccbench run --resume 'my a.jsonl' goes on with it"},
		{"at its end", full, 3, ""},
	} {
		err := (&sink{path: "my a.jsonl", trials: test.trials, plan: &plan.Plan{Trials: make([]plan.Trial, 3)}}).goOnHint(test.failure)
		var h hinter
		if found := errors.As(err, &h); found != (test.hint != "") || found && h.Hint() != test.hint {
			t.Errorf("%s: error %v, want hint %q", test.name, err, test.hint)
		}
		if !errors.Is(err, test.failure) || statusOf(err) != statusOf(test.failure) {
			t.Errorf("%s: %v has become %v, with status %d", test.name, test.failure, err, statusOf(err))
		}
	}
	if err := (&sink{plan: &plan.Plan{Trials: make([]plan.Trial, 3)}}).goOnHint(nil); err != nil {
		t.Errorf("nothing failed, and yet: %v", err)
	}
}
