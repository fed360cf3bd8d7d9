package agent

import (
	"context"
	"net/netip"
	"sync"

	"ccbench/internal/agent/wire"
	"ccbench/internal/droprule"
	"ccbench/internal/loadgen"
	"ccbench/internal/result"
)

// receiver is the agent that takes the flows in, behind the drop rule.
type receiver struct {
	endpoint
	tell say

	mu     sync.Mutex
	load   *loadgen.Receiver   // nil before listen
	rule   *droprule.Installed // nil before drop
	series []result.Series     // after finish
}

func newReceiver(tell say) *receiver { return &receiver{tell: tell} }

func (r *receiver) handlers() map[wire.Method]handler {
	return map[wire.Method]handler{
		wire.MethodProbe:    in(probeHere),
		wire.MethodSetup:    in(r.setup),
		wire.MethodListen:   in(r.listen),
		wire.MethodDrop:     in(r.drop),
		wire.MethodReadDrop: bare(r.readDrop),
		wire.MethodFinish:   in(r.finish),
		wire.MethodSeries:   in(r.samples),
		wire.MethodCounters: bare(r.counters),
	}
}

func (r *receiver) listen(request wire.ListenRequest) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.load != nil {
		return nil, outOfTurn("this receiver listens already")
	}
	ctx, cancel := context.WithTimeout(context.Background(), request.Within)
	defer cancel()
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	load, err := loadgen.Listen(loadgen.ReceiverConfig{
		Address: netip.AddrPortFrom(request.Address, 0), Flows: request.Flows, Token: loadgen.Token(request.Token),
		Warmup: request.Timing.Warmup, Duration: request.Timing.Duration, Interval: request.Timing.Interval,
	})
	if err != nil {
		return nil, err
	}
	r.load = load
	go func() {
		<-load.WindowClosed()
		r.tell(wire.EventWindowClosed, nil)
	}()
	return wire.ListenReply{Port: uint16(load.Port())}, nil
}

func (r *receiver) drop(request wire.DropRequest) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rule != nil {
		return nil, outOfTurn("there is a drop rule already; two on one path would compound")
	}
	rule := ruleOf(request)
	installed, err := droprule.Install(context.Background(), droprule.System{}, rule)
	if err != nil {
		return nil, err
	}
	r.rule = installed
	return wire.DropReply{Rule: rule.ShellLines()}, nil
}

func ruleOf(request wire.DropRequest) droprule.Rule {
	return droprule.Rule{
		Mode: request.Mode, Every: request.Every, First: request.First, Probability: request.Probability,
		Source: request.Source, Destination: request.Destination, Port: int(request.Port),
		MTU: request.MTU, Tag: request.Tag,
	}
}

func (r *receiver) readDrop() (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rule == nil {
		return nil, outOfTurn("there is no drop rule to read")
	}
	return r.rule.Read(context.Background())
}

func (r *receiver) finish(request wire.FinishRequest) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.load == nil {
		return nil, outOfTurn("this receiver does not listen")
	}
	ctx, cancel := context.WithTimeout(context.Background(), request.Within)
	defer cancel()
	report, err := r.load.Finish(ctx)
	if err != nil {
		return nil, err
	}
	r.series = report.Series
	return wire.FlowReport{
		Flows: report.Flows, Window: report.Window, Strays: int64(report.Strays), Unended: report.Unended,
	}, nil
}

func (r *receiver) samples(request wire.SeriesRequest) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return part(r.series, request)
}
