package main

import (
	"testing"

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
