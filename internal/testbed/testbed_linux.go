package testbed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ccbench/internal/agent/wire"
	"ccbench/internal/carrier"
	"ccbench/internal/plan"
	"ccbench/internal/result"
)

// Options of a Testbed.
type Options struct {
	Version string      // of this program, which its agents must share
	Program string      // that is started as agent; default: this one
	Started func(Agent) // told of each agent of a trial, one at a time; nil: nobody asks
}

// Agent is what a person needs to look into an agent's namespace.
type Agent struct {
	Role wire.Role
	PID  int
	NSID int // of its network namespace, in the caller's
}

// Testbed builds paths on this machine.
type Testbed struct{ opt Options }

// New returns a testbed; it does nothing yet.
func New(opt Options) *Testbed {
	if opt.Started == nil {
		opt.Started = func(Agent) {}
	}
	return &Testbed{opt: opt}
}

// Progress is a trial's heartbeat.
type Progress struct {
	Elapsed time.Duration // since the first byte
	Bytes   int64         // acknowledged
}

// ErrAlgorithm marks a trial that failed because the kernel would not give its
// congestion control: so will every trial of its arm.
var ErrAlgorithm = errors.New("congestion control refused")

// Refusal is a plan that this machine cannot carry out: all that stands in the way.
type Refusal struct {
	Found []Problem
}

// Problem is one thing that this machine cannot do, and what would help.
type Problem struct{ wire.Problem }

func (p Problem) Error() string { return p.Message }

// Hint says what would help; "" when nothing is known to.
func (p Problem) Hint() string { return p.Problem.Hint }

func (r *Refusal) Error() string { return errors.Join(r.Problems()...).Error() }

// Problems lists them as errors, each with its hint.
func (r *Refusal) Problems() []error {
	var all []error
	for _, p := range r.Found {
		all = append(all, p)
	}
	return all
}

// Check tries all that p needs in a scratch namespace, which is gone before
// Check returns, and describes this host.
func (b *Testbed) Check(ctx context.Context, p *plan.Plan) ([]result.Host, error) {
	reply, err := b.probe(ctx, needs(p))
	if err != nil {
		return nil, err
	}
	if len(reply.Problems) > 0 {
		return nil, refusal(reply.Problems)
	}
	reply.Host.Roles = []string{string(wire.RoleSender), string(wire.RolePath), string(wire.RoleReceiver)}
	return []result.Host{reply.Host}, nil
}

// probe asks an agent in a scratch namespace, which is gone when it returns.
func (b *Testbed) probe(ctx context.Context, request wire.ProbeRequest) (wire.ProbeReply, error) {
	ctx, cancel := within(ctx, step, "checking this machine")
	defer cancel()
	var reply wire.ProbeReply
	scratch, err := carrier.Start(ctx, b.spec(wire.RoleReceiver, nil, nil))
	if err != nil {
		return reply, err
	}
	err = scratch.Call(ctx, wire.MethodProbe, request, &reply)
	return reply, errors.Join(err, scratch.Close())
}

func refusal(problems []wire.Problem) error {
	r := &Refusal{}
	for _, p := range problems {
		// Arms may share a setting, and so its fault.
		if !slices.Contains(r.Found, Problem{p}) {
			r.Found = append(r.Found, Problem{p})
		}
	}
	return r
}

func (b *Testbed) spec(role wire.Role, files filesOf, onEvent func(wire.Message)) carrier.Spec {
	return carrier.Spec{
		Role: role, Program: b.opt.Program, Version: b.opt.Version, Files: files, OnEvent: onEvent,
	}
}

// Trial does one trial. The record is never nil; on error it has what was
// learned before.
func (b *Testbed) Trial(ctx context.Context, t plan.Trial, progress func(Progress)) (*result.Trial, []result.Series, error) {
	begun := time.Now()
	record := &result.Trial{
		Started: begun.UTC().Truncate(time.Millisecond),
		Window:  result.Window{Warmup: t.Warmup.Seconds(), Duration: t.Duration.Seconds(), Interval: t.Interval.Seconds()},
		Netstat: map[result.Side]map[string]int64{},
	}
	series, err := b.trial(ctx, t, record, progress)
	record.Took = time.Since(begun).Seconds()
	var refused *wire.Error
	if errors.As(err, &refused) && refused.Code == wire.CodeAlgorithm {
		err = fmt.Errorf("%w: %w", ErrAlgorithm, err)
	}
	return record, series, err
}

func (b *Testbed) trial(ctx context.Context, t plan.Trial, record *result.Trial, progress func(Progress)) (series []result.Series, err error) {
	p, err := b.start(ctx, t, progress)
	defer func() { err = errors.Join(err, p.close()) }()
	if err != nil {
		return nil, err
	}
	ctx, stop := p.guard(ctx)
	defer stop()
	if err := p.build(ctx, record); err != nil {
		return nil, blame(ctx, err)
	}
	series, err = p.measure(ctx, record)
	return series, blame(ctx, err)
}

// within bounds a step. The cause names it, for whoever waits in vain.
func within(ctx context.Context, limit time.Duration, what string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s took longer than %v", what, limit))
}
