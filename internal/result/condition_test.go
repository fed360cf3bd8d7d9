package result

import (
	"maps"
	"testing"
)

func TestConditionName(t *testing.T) {
	labels := map[string]string{"arm": "cubic", "path.rtt": "10ms", "drop.every": "100"}
	for want, factors := range map[string][]string{
		"": nil, "path.rtt=10ms": {"path.rtt"},
		"path.rtt=10ms, drop.every=100": {"path.rtt", "drop.every"}, "drop.every=100, path.rtt=10ms": {"drop.every", "path.rtt"},
	} {
		if got := ConditionName(factors, labels); got != want {
			t.Errorf("%v: %q, want %q", factors, got, want)
		}
	}
}

// A file of an early version that has a matrix stays readable.
func TestMatrixFile(t *testing.T) {
	file, err := ReadFile("testdata/results-v1-matrix.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	h, found := file.Header, map[string]int{}
	for _, trial := range file.Trials {
		found[ConditionName(h.Factors, trial.Labels)]++
	}
	want := map[string]int{}
	for _, c := range h.Conditions {
		want[ConditionName(h.Factors, c.Labels)] = h.Repetitions * len(h.Arms)
	}
	if len(want) != 4 || !maps.Equal(found, want) {
		t.Errorf("trials by condition %v, want %v", found, want)
	}
}
