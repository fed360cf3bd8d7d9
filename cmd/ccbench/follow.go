package main

import (
	"fmt"
	"time"

	"ccbench/internal/plan"
	"ccbench/internal/result"
	"ccbench/internal/runner"
	"ccbench/internal/unit"
)

// trialOverhead is what building and undoing a path takes, for the estimate only.
const trialOverhead = 150 * time.Millisecond

// follower turns a run's events into what the user sees.
type follower struct {
	ui   *ui
	plan *plan.Plan
	done time.Duration // of the trials before this one, as planned

	resumed *resumption // nil: a new run
}

func newFollower(ui *ui, p *plan.Plan) *follower { return &follower{ui: ui, plan: p} }

// whole is how many trials the plan has, those done before included.
func (f *follower) whole() int {
	if f.resumed != nil {
		return len(f.resumed.whole.Trials)
	}
	return len(f.plan.Trials)
}

func planned(t plan.Trial) time.Duration {
	return t.Warmup + t.Duration + 2*t.Path.RTT + trialOverhead
}

func (f *follower) total() time.Duration {
	var sum time.Duration
	for _, t := range f.plan.Trials {
		sum += planned(t)
	}
	return sum
}

// begin says what is about to be done, once it is certain that it will be.
func (f *follower) begin() {
	if f.resumed != nil {
		f.ui.Note("%s", f.resumed.welcome())
	}
	conditions := ""
	if n := len(f.plan.Experiment.Conditions); n > 1 {
		conditions = fmt.Sprintf(" under %d conditions", n)
	}
	f.ui.Note("%s: %s%s, about %s", f.plan.Experiment.Name, count(len(f.plan.Trials), "trial"), conditions, roundUp(f.total()))
	for _, w := range plan.Warnings(f.plan.Experiment) {
		f.ui.Note("warning: %s", w)
	}
	f.ui.StartProgress(f.total())
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func roundUp(d time.Duration) time.Duration { return (d + time.Second - 1).Truncate(time.Second) }

func (f *follower) what(t plan.Trial) string {
	place := fmt.Sprintf("%s, trial %d/%d", t.Arm, t.Index, f.whole())
	if condition := result.ConditionName(f.plan.Experiment.Factors, t.Labels); condition != "" {
		return condition + ": " + place
	}
	return place
}

func (f *follower) events() runner.Events {
	return runner.Events{Started: f.started, Progress: f.progress, Done: f.finished}
}

func (f *follower) started(t plan.Trial) {
	f.ui.Progress(f.done, f.what(t), "")
	f.ui.Detail("%s: block %d%s", f.what(t), t.Block, phase(t))
}

func phase(t plan.Trial) string {
	if t.Drop == nil || t.Drop.First == 0 {
		return ""
	}
	return fmt.Sprintf(", first dropped data packet %d", t.Drop.First)
}

func (f *follower) progress(t plan.Trial, p runner.Progress) {
	f.ui.Progress(f.done+min(p.Elapsed, planned(t)), f.what(t), unit.Format(p.Rate, "bit/s"))
}

func (f *follower) finished(t plan.Trial, r *result.Trial) {
	f.done += planned(t)
	f.ui.Progress(f.done, f.what(t), "")
	goodput := "no goodput"
	if g := r.Metrics["goodput"]; g != nil {
		goodput = unit.Format(*g, "bit/s")
	}
	f.ui.Step("%s: %s, %s", f.what(t), goodput, r.Verdict)
	if r.Verdict == result.Valid {
		return
	}
	for _, reason := range r.Reasons {
		f.ui.Note("%s: %s: %s: %s", f.what(t), reason.Verdict, reason.Check, reason.Detail)
	}
}
