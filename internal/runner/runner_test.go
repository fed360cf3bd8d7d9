package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ccbench/internal/plan"
	"ccbench/internal/result"
)

// fakeLab does trials as it is told and writes down what it was asked.
type fakeLab struct {
	refuse error
	trial  func(ctx context.Context, t plan.Trial) error
	asked  []int
}

func (l *fakeLab) Check(context.Context, *plan.Plan) ([]result.Host, error) {
	return []result.Host{{Kernel: "fake"}}, l.refuse
}

func (l *fakeLab) Trial(ctx context.Context, t plan.Trial, progress func(Progress)) (*result.Trial, []result.Series, error) {
	l.asked = append(l.asked, t.Index)
	progress(Progress{Rate: 1})
	var err error
	if l.trial != nil {
		err = l.trial(ctx, t)
	}
	return &result.Trial{}, []result.Series{{Flow: 0}}, err
}

// log is a sink and an event listener that keeps the order of things.
type log struct {
	lines  []string
	trials []*result.Trial
	fail   error
}

func (l *log) Begin(hosts []result.Host) error {
	l.lines = append(l.lines, "begin "+hosts[0].Kernel)
	return nil
}

func (l *log) Trial(t *result.Trial, series []result.Series) error {
	if l.fail != nil {
		return l.fail
	}
	l.lines = append(l.lines, fmt.Sprintf("write %d with series of %d", t.Trial, series0(series)))
	l.trials = append(l.trials, t)
	return nil
}

func series0(series []result.Series) int {
	if len(series) == 0 {
		return 0
	}
	return series[0].Trial
}

func (l *log) events() Events {
	return Events{
		Started:  func(t plan.Trial) { l.lines = append(l.lines, fmt.Sprint("start ", t.Index)) },
		Progress: func(t plan.Trial, _ Progress) { l.lines = append(l.lines, fmt.Sprint("progress ", t.Index)) },
		Done:     func(t plan.Trial, _ *result.Trial) { l.lines = append(l.lines, fmt.Sprint("done ", t.Index)) },
	}
}

// planOf has n trials of arms a and b in turn.
func planOf(n int) *plan.Plan {
	p := &plan.Plan{}
	for i := range n {
		arm := string(rune('a' + i%2))
		p.Trials = append(p.Trials, plan.Trial{
			Index: i + 1, Block: i/2 + 1, Arm: arm, Labels: map[string]string{"arm": arm},
		})
	}
	return p
}

func TestOrder(t *testing.T) {
	var l log
	if err := Run(t.Context(), planOf(2), &fakeLab{}, &l, l.events()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"begin fake",
		"start 1", "progress 1", "write 1 with series of 1", "done 1",
		"start 2", "progress 2", "write 2 with series of 2", "done 2",
	}
	if !slices.Equal(l.lines, want) {
		t.Errorf("got %q, want %q", l.lines, want)
	}
	for _, r := range l.trials {
		// A record without flows or windows cannot be valid.
		if r.Verdict != result.Invalid || len(r.Reasons) == 0 || r.Labels["arm"] == "" || r.Metrics == nil {
			t.Errorf("record %+v", r)
		}
	}
}

func TestRefusalTouchesNothing(t *testing.T) {
	var l log
	why := errors.New("no TUN")
	lab := &fakeLab{refuse: why}
	if err := Run(t.Context(), planOf(2), lab, &l, l.events()); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	if len(l.lines) != 0 || len(lab.asked) != 0 {
		t.Errorf("got %q and trials %v", l.lines, lab.asked)
	}
}

func TestFailedTrialIsKeptAndTheRunGoesOn(t *testing.T) {
	var l log
	lab := &fakeLab{trial: func(_ context.Context, t plan.Trial) error {
		if t.Index == 2 {
			return errors.New("the receiver died")
		}
		return nil
	}}
	if err := Run(t.Context(), planOf(4), lab, &l, Events{}); err != nil {
		t.Fatal(err)
	}
	if len(l.trials) != 4 || l.trials[1].Error != "the receiver died" || l.trials[2].Error != "" {
		t.Errorf("records %+v", l.trials)
	}
}

func TestThreeFailuresInARowEndTheRun(t *testing.T) {
	var l log
	lab := &fakeLab{trial: func(_ context.Context, t plan.Trial) error {
		if t.Index == 2 { // one good trial starts the count anew
			return nil
		}
		return errors.New("broken")
	}}
	err := Run(t.Context(), planOf(8), lab, &l, Events{})
	if err == nil || !strings.Contains(err.Error(), "3 trials in a row failed, the last (5, a): broken") {
		t.Errorf("got %v", err)
	}
	if len(l.trials) != 5 {
		t.Errorf("%d records, want 5", len(l.trials))
	}
}

func TestArmThatCannotBeMeasuredIsGivenUp(t *testing.T) {
	var l log
	lab := &fakeLab{trial: func(_ context.Context, t plan.Trial) error {
		if t.Arm == "b" {
			return fmt.Errorf("%w: vegas is not available", ErrArm)
		}
		return nil
	}}
	if err := Run(t.Context(), planOf(10), lab, &l, Events{}); err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 2, 3, 5, 7, 9}; !slices.Equal(lab.asked, want) {
		t.Errorf("trials done: got %v, want %v", lab.asked, want)
	}
	if len(l.trials) != 10 || !strings.HasPrefix(l.trials[9].Error, "not run: ") || l.trials[9].Verdict != result.Invalid {
		t.Errorf("%d records, the last %+v", len(l.trials), l.trials[len(l.trials)-1])
	}
}

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	var l log
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("interrupted")
	lab := &fakeLab{trial: func(ctx context.Context, t plan.Trial) error {
		if t.Index == 3 {
			cancel(why)
			return fmt.Errorf("waiting for the window: %w", context.Cause(ctx))
		}
		return nil
	}}
	err := Run(ctx, planOf(6), lab, &l, Events{})
	if !errors.Is(err, why) || strings.Contains(err.Error(), "window") {
		t.Errorf("got %v, want only the interrupt", err)
	}
	if len(l.trials) != 2 {
		t.Errorf("%d records, want the 2 complete ones", len(l.trials))
	}
}

func TestInterruptTellsOfWhatIsLeft(t *testing.T) {
	var l log
	ctx, cancel := context.WithCancel(t.Context())
	lab := &fakeLab{trial: func(context.Context, plan.Trial) error {
		cancel()
		return fmt.Errorf("%w: agent 7", ErrLeftover)
	}}
	if err := Run(ctx, planOf(2), lab, &l, Events{}); !errors.Is(err, ErrLeftover) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A trial that was complete when the interrupt came is kept.
func TestInterruptAfterATrialKeepsIt(t *testing.T) {
	var l log
	ctx, cancel := context.WithCancel(t.Context())
	lab := &fakeLab{trial: func(context.Context, plan.Trial) error { cancel(); return nil }}
	if err := Run(ctx, planOf(2), lab, &l, Events{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(l.trials) != 1 {
		t.Errorf("%d records, want 1", len(l.trials))
	}
}

func TestFullDiskEndsTheRun(t *testing.T) {
	l := log{fail: errors.New("no space left")}
	lab := &fakeLab{}
	if err := Run(t.Context(), planOf(4), lab, &l, Events{}); !errors.Is(err, l.fail) {
		t.Errorf("got %v", err)
	}
	if len(lab.asked) != 1 {
		t.Errorf("%d trials done after the disk was full", len(lab.asked))
	}
}
