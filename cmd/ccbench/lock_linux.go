package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ccbench/internal/hostlock"
	"ccbench/internal/plan"
	"ccbench/internal/result"
	"ccbench/internal/runner"
)

// aloneLab is a lab that does each of its works when no other ccbench measures
// on this machine.
type aloneLab struct {
	runner.Lab
	waiting func(holder int)
}

// alone takes turns with the other runs on this machine.
func (a *app) alone(lab runner.Lab) runner.Lab {
	var once sync.Once
	return aloneLab{lab, func(holder int) { once.Do(func() { a.noteWait(holder) }) }}
}

func (a *app) noteWait(holder int) {
	who := "another ccbench"
	if holder > 0 {
		who += fmt.Sprintf(" (pid %d)", holder)
	}
	a.ui.Note("%s is measuring on this machine; waiting for it between trials (--no-lock measures at the same time)", who)
}

func (l aloneLab) Check(ctx context.Context, p *plan.Plan) (hosts []result.Host, err error) {
	err = l.do(ctx, func() (err error) {
		hosts, err = l.Lab.Check(ctx, p)
		return err
	})
	return hosts, err
}

func (l aloneLab) Trial(ctx context.Context, t plan.Trial, progress func(runner.Progress)) (record *result.Trial, series []result.Series, err error) {
	record = &result.Trial{Started: time.Now().UTC().Truncate(time.Millisecond)}
	err = l.do(ctx, func() (err error) {
		record, series, err = l.Lab.Trial(ctx, t, progress)
		return err
	})
	return record, series, err
}

// do has the lock while it works.
func (l aloneLab) do(ctx context.Context, work func() error) error {
	lock, err := hostlock.Take(ctx, l.waiting)
	if cause := context.Cause(ctx); cause != nil && err != nil {
		return cause
	}
	if err != nil {
		return hinted{err, "run --no-lock does without it"}
	}
	return errors.Join(work(), lock.Release())
}
