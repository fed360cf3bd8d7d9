// Package runner carries out a plan: trial after trial through a Lab, each
// judged and written before the next begins. It knows no kernel; the Lab does.
package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ccbench/internal/metric"
	"ccbench/internal/plan"
	"ccbench/internal/result"
	"ccbench/internal/validity"
)

// Lab is where trials are done.
type Lab interface {
	// Check refuses a plan that cannot be carried out here, before anything
	// is touched, and describes the hosts it would be carried out on.
	Check(ctx context.Context, p *plan.Plan) ([]result.Host, error)
	// Trial does one trial and leaves nothing of it behind. When it fails it
	// returns what there is of the record beside the error. progress may be
	// called from any goroutine until Trial returns.
	Trial(ctx context.Context, t plan.Trial, progress func(Progress)) (*result.Trial, []result.Series, error)
}

// Progress is how far a trial is.
type Progress struct {
	Elapsed time.Duration // since the first byte
	Rate    float64       // bit/s acknowledged since the last report
}

// Sink keeps records; Trial returns once they are safe.
type Sink interface {
	Begin(hosts []result.Host) error
	Trial(t *result.Trial, series []result.Series) error
}

// Events tells a caller how a run goes. Any of them may be nil.
type Events struct {
	Started  func(t plan.Trial)
	Progress func(t plan.Trial, p Progress)
	Done     func(t plan.Trial, r *result.Trial)
}

// ErrArm marks a failure that every trial of the same arm would share, such
// as an algorithm that the kernel will not give: the run goes on without the arm.
var ErrArm = errors.New("the arm cannot be measured")

// failuresInARow is how many trials may break one after the other before the
// fault is taken to be the lab's and the run is given up.
const failuresInARow = 3

// Run carries out p. What was measured before an error is in the sink. A
// cancelled run ends with the cause of ctx's end; the trial under way is undone
// and not kept, being neither valid nor failed.
func Run(ctx context.Context, p *plan.Plan, lab Lab, sink Sink, events Events) error {
	hosts, err := lab.Check(ctx, p)
	if err != nil {
		return err
	}
	if err := sink.Begin(hosts); err != nil {
		return err
	}
	r := run{lab: lab, sink: sink, events: events, dead: map[string]error{}}
	for _, t := range p.Trials {
		if err := r.trial(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

type run struct {
	lab    Lab
	sink   Sink
	events Events
	dead   map[string]error // arms given up, and why
	failed int              // trials in a row
}

func (r *run) trial(ctx context.Context, t plan.Trial) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if r.events.Started != nil {
		r.events.Started(t)
	}
	record, series, failure := r.measure(ctx, t)
	if err := context.Cause(ctx); err != nil && failure != nil {
		return errors.Join(err, leftovers(failure))
	}
	complete(record, t, series, failure)
	if err := r.sink.Trial(record, series); err != nil {
		return err
	}
	if r.events.Done != nil {
		r.events.Done(t, record)
	}
	return r.count(t, failure)
}

// measure does the trial unless its arm has been given up.
func (r *run) measure(ctx context.Context, t plan.Trial) (*result.Trial, []result.Series, error) {
	if err := r.dead[t.Arm]; err != nil {
		return &result.Trial{Started: time.Now()}, nil, fmt.Errorf("not run: %w", err)
	}
	return r.lab.Trial(ctx, t, func(p Progress) {
		if r.events.Progress != nil {
			r.events.Progress(t, p)
		}
	})
}

// complete turns what the lab saw into a record.
func complete(record *result.Trial, t plan.Trial, series []result.Series, failure error) {
	record.Trial, record.Block, record.Labels = t.Index, t.Block, t.Labels
	for i := range series {
		series[i].Trial = t.Index
	}
	if failure != nil {
		record.Error = failure.Error()
	}
	record.Metrics = metric.Compute(record, series)
	record.Verdict, record.Reasons = validity.Judge(record)
}

// count gives up an arm or, after too many failures in a row, the run.
func (r *run) count(t plan.Trial, failure error) error {
	switch {
	case failure == nil:
		r.failed = 0
		return nil
	case r.dead[t.Arm] != nil:
		return nil
	case errors.Is(failure, ErrArm):
		r.dead[t.Arm] = failure
		return nil
	}
	r.failed++
	if r.failed < failuresInARow {
		return nil
	}
	return fmt.Errorf("%d trials in a row failed, the last (%d, %s): %w", r.failed, t.Index, t.Arm, failure)
}

// ErrLeftover marks that a trial could not be undone.
var ErrLeftover = errors.New("left behind")

// leftovers keeps of an interrupted trial's error only what the user must
// clean up: that it was broken off is no news.
func leftovers(err error) error {
	if errors.Is(err, ErrLeftover) {
		return err
	}
	return nil
}
