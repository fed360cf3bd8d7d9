package plan

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ccbench/internal/experiment"
	"ccbench/internal/result"
)

const sixTrials = "version: 1\nname: x\nalgorithms: [reno, cubic]\nrepetitions: 3\ndrop: {mode: nth, every: 50}\n"

func planFrom(t *testing.T, text string) *Plan {
	t.Helper()
	e, err := experiment.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func record(t Trial) *result.Trial {
	return &result.Trial{Trial: t.Index, Block: t.Block, Labels: maps.Clone(t.Labels), Verdict: result.Invalid}
}

// What is left keeps its numbers, its order and all that was drawn for it.
func TestRest(t *testing.T) {
	p := planFrom(t, sixTrials)
	for done, want := range map[string][]int{
		"": {1, 2, 3, 4, 5, 6}, "12": {3, 4, 5, 6}, "31": {2, 4, 5, 6}, "123456": nil,
	} {
		var trials []*result.Trial
		for _, n := range done {
			trials = append(trials, record(p.Trials[n-'1']))
		}
		rest, err := p.Rest(trials)
		if err != nil {
			t.Fatal(err)
		}
		var left []int
		for _, trial := range rest.Trials {
			left = append(left, trial.Index)
			if whole := p.Trials[trial.Index-1]; trial.Arm != whole.Arm || trial.Drop.First != whole.Drop.First {
				t.Errorf("trial %d is another one than in the plan", trial.Index)
			}
		}
		if !slices.Equal(left, want) || rest.Hash != p.Hash || len(p.Trials) != 6 {
			t.Errorf("after %q: left is %v of %d, want %v", done, left, len(p.Trials), want)
		}
	}
}

func TestRestRefusesOtherTrials(t *testing.T) {
	p := planFrom(t, sixTrials)
	for want, spoil := range map[string]func(*result.Trial){
		"trial 0 is not the plan's: it has the trials 1 to 6": func(r *result.Trial) { r.Trial = 0 },
		"trial 7 is not the plan's: it has the trials 1 to 6": func(r *result.Trial) { r.Trial = 7 },
		"trial 3 is not the plan's: it is of block 9":         func(r *result.Trial) { r.Block = 9 },
		"trial 3 is not the plan's: its labels are":           func(r *result.Trial) { r.Labels["arm"] = "bbr" },
	} {
		r := record(p.Trials[2])
		spoil(r)
		if _, err := p.Rest([]*result.Trial{record(p.Trials[0]), r}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s...", err, want)
		}
	}
}
