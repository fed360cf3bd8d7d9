package testbed

import (
	"context"
	"fmt"
	"net/netip"
	"os"

	"ccbench/internal/agent/wire"
	"ccbench/internal/result"
)

// measure does the trial on a built path, step by step, and fills the record.
func (p *path) measure(ctx context.Context, record *result.Trial) ([]result.Series, error) {
	port, err := p.listen(ctx)
	if err != nil {
		return nil, err
	}
	if p.trial.Drop != nil {
		if err := p.installDrop(ctx, port, record); err != nil {
			return nil, err
		}
	}
	if err := p.connect(ctx, port); err != nil {
		return nil, err
	}
	if err := p.call(ctx, p.sender, wire.MethodStart, nil, nil); err != nil {
		return nil, err
	}
	if err := p.awaitWindows(ctx); err != nil {
		return nil, err
	}
	return p.finish(ctx, record)
}

// call has an end do a step on the machine.
func (p *path) call(ctx context.Context, e *end, method wire.Method, request, reply any) error {
	ctx, cancel := within(ctx, p.limits.Step, string(method))
	defer cancel()
	return e.Call(ctx, method, request, reply)
}

func (p *path) timing() wire.Timing {
	return wire.Timing{Warmup: p.trial.Warmup, Duration: p.trial.Duration, Interval: p.trial.Interval}
}

func (p *path) listen(ctx context.Context) (uint16, error) {
	request := wire.ListenRequest{
		Address: receiverPrefix.Addr(), Flows: len(p.trial.Flows), Token: p.token, Timing: p.timing(),
		Within: p.limits.Step,
	}
	var reply wire.ListenReply
	err := p.call(ctx, p.receiver, wire.MethodListen, request, &reply)
	return reply.Port, err
}

func (p *path) installDrop(ctx context.Context, port uint16, record *result.Trial) error {
	var reply wire.DropReply
	if err := p.call(ctx, p.receiver, wire.MethodDrop, dropRequest(p.trial, port), &reply); err != nil {
		return err
	}
	d := p.trial.Drop
	record.Drop = &result.Drop{
		Rule: reply.Rule, Mode: string(d.Mode), Every: d.Every, First: d.First, Probability: d.Probability,
	}
	return nil
}

func (p *path) connect(ctx context.Context, port uint16) error {
	request := wire.ConnectRequest{
		Local: senderPrefix.Addr(), Remote: netip.AddrPortFrom(receiverPrefix.Addr(), port),
		Token: p.token, Timing: p.timing(), Within: p.limits.Connect, CPUPIDs: []int{os.Getpid()},
	}
	for _, e := range p.ends() {
		request.CPUPIDs = append(request.CPUPIDs, e.PID())
	}
	for _, f := range p.trial.Flows {
		request.Flows = append(request.Flows, wire.Flow{ID: f.ID, Algorithm: f.Kernel})
	}
	ctx, cancel := within(ctx, p.limits.Connect+p.limits.Step, "connecting the flows")
	defer cancel()
	return p.sender.Call(ctx, wire.MethodConnect, request, nil)
}

// awaitWindows waits until both ends' windows have closed, by their own clocks.
func (p *path) awaitWindows(ctx context.Context) error {
	ctx, cancel := within(ctx, p.limits.Window, "the measured window")
	defer cancel()
	for _, e := range []*end{p.sender, p.receiver} {
		select {
		case <-e.closed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the %s's window to close: %w", e.Role(), context.Cause(ctx))
		}
	}
	return nil
}

// finish ends the flows and collects what both ends and the path know. The
// rule's counters are read just before the abort, beside the sender's last
// sample, and again once the path is empty, when they are exact.
func (p *path) finish(ctx context.Context, record *result.Trial) ([]result.Series, error) {
	var sent, received wire.FlowReport
	if record.Drop != nil {
		if err := p.readDrop(ctx, &record.Drop.AtAbort); err != nil {
			return nil, err
		}
	}
	if err := p.call(ctx, p.sender, wire.MethodFinish, wire.FinishRequest{}, &sent); err != nil {
		return nil, err
	}
	if err := p.drain(ctx, record, &received); err != nil {
		return nil, err
	}
	if record.Drop != nil {
		if err := p.readDrop(ctx, &record.Drop.Final); err != nil {
			return nil, err
		}
	}
	merge(record, sent, received)
	if err := p.counters(ctx, record); err != nil {
		return nil, err
	}
	return p.series(ctx, record)
}

func (p *path) readDrop(ctx context.Context, into **result.DropCounter) error {
	var counter result.DropCounter
	err := p.call(ctx, p.receiver, wire.MethodReadDrop, nil, &counter)
	if err == nil {
		*into = &counter
	}
	return err
}

// drain waits until what the sender left on the path has arrived.
func (p *path) drain(ctx context.Context, record *result.Trial, received *wire.FlowReport) error {
	ctx, cancel := within(ctx, p.limits.Drain+p.limits.Step, "emptying the path")
	defer cancel()
	request := wire.FinishRequest{Within: p.limits.Drain}
	if p.relay != nil {
		var account result.Path
		if err := p.relay.Call(ctx, wire.MethodDrain, request, &account); err != nil {
			return err
		}
		record.Path = &account
	}
	// The path is empty, so whatever comes to the receiver is there; the abort
	// itself may have met a full queue and never will come.
	if err := p.receiver.Call(ctx, wire.MethodFinish, wire.FinishRequest{Within: settle}, received); err != nil {
		return err
	}
	if p.relay == nil && len(received.Unended) > 0 {
		return fmt.Errorf("the receiver has not seen the end of flows %v within %v of their abort, and the path has no queue that could have lost it",
			received.Unended, settle)
	}
	return nil
}

// merge joins the two ends' accounts of each flow.
func merge(record *result.Trial, sent, received wire.FlowReport) {
	record.Flows, record.CPU, record.CPUError = sent.Flows, sent.CPU, sent.CPUError
	record.Window.Sender, record.Window.Receiver = sent.Window, received.Window
	for _, r := range received.Flows {
		for i := range record.Flows {
			f := &record.Flows[i]
			if f.Flow != r.Flow {
				continue
			}
			f.ReceivedOpen, f.ReceivedClose, f.Received = r.ReceivedOpen, r.ReceivedClose, r.Received
			if f.Error == "" {
				f.Error = r.Error
			}
		}
	}
}

func (p *path) counters(ctx context.Context, record *result.Trial) error {
	for _, e := range []*end{p.sender, p.receiver} {
		var reply wire.CountersReply
		if err := p.call(ctx, e, wire.MethodCounters, nil, &reply); err != nil {
			return err
		}
		record.Netstat[result.Side(e.Role())] = reply.Netstat
		for _, l := range reply.Links {
			l.Side = result.Side(e.Role())
			record.Links = append(record.Links, l)
		}
	}
	return nil
}

// series fetches the samples of all flows.
func (p *path) series(ctx context.Context, record *result.Trial) ([]result.Series, error) {
	var all []result.Series
	for _, f := range record.Flows {
		for _, e := range []*end{p.sender, p.receiver} {
			if e == p.receiver && f.Received == nil {
				continue // it never came, which is the flow's error
			}
			s, err := p.fetch(ctx, e, f.Flow)
			if err != nil {
				return all, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// samplesAtOnce keeps a part of a series well below what a frame holds: a
// sample is some 200 bytes there.
const samplesAtOnce = 20_000

// fetch gets one flow's samples from one end, in parts.
func (p *path) fetch(ctx context.Context, e *end, flow int) (result.Series, error) {
	var whole result.Series
	for from := 0; ; from += samplesAtOnce {
		var part result.Series
		request := wire.SeriesRequest{Flow: flow, From: from, Count: samplesAtOnce}
		if err := p.call(ctx, e, wire.MethodSeries, request, &part); err != nil {
			return whole, err
		}
		if from == 0 {
			whole = part
		} else {
			for name, column := range part.Columns {
				whole.Columns[name] = append(whole.Columns[name], column...)
			}
		}
		if len(part.Columns["t"]) < samplesAtOnce {
			return whole, nil
		}
	}
}
