package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ccbench/internal/agent/wire"
	"ccbench/internal/loadgen"
	"ccbench/internal/result"
)

// heartbeat is how often a sender tells how far it is: 4 Hz, so that what
// crosses the carrier in the window is next to nothing.
const heartbeat = 250 * time.Millisecond

// sender is the agent that makes the flows.
type sender struct {
	endpoint
	tell say

	mu     sync.Mutex
	load   *loadgen.Sender // nil before connect
	series []result.Series // after finish
}

func newSender(tell say) *sender { return &sender{tell: tell} }

func (s *sender) handlers() map[wire.Method]handler {
	return map[wire.Method]handler{
		wire.MethodSetup:    in(s.setup),
		wire.MethodConnect:  in(s.connect),
		wire.MethodStart:    bare(s.start),
		wire.MethodFinish:   in(s.finish),
		wire.MethodSeries:   in(s.samples),
		wire.MethodCounters: bare(s.counters),
	}
}

// errOrder is the protocol's order for a sender.
const errOrder = "a sender does setup, connect, start, finish, series, each once, in this order"

func (s *sender) connect(request wire.ConnectRequest) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.load != nil {
		return nil, outOfTurn(errOrder)
	}
	ctx, cancel := context.WithTimeout(context.Background(), request.Within)
	defer cancel()
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	load, err := loadgen.Dial(ctx, senderConfig(request))
	if err != nil {
		return nil, algorithmError(err)
	}
	s.load = load
	return nil, nil
}

func senderConfig(request wire.ConnectRequest) loadgen.SenderConfig {
	config := loadgen.SenderConfig{
		Local: request.Local, Remote: request.Remote, Token: loadgen.Token(request.Token), CPUPIDs: request.CPUPIDs,
		Warmup: request.Timing.Warmup, Duration: request.Timing.Duration, Interval: request.Timing.Interval,
	}
	for _, f := range request.Flows {
		config.Flows = append(config.Flows, loadgen.Flow{ID: f.ID, Algorithm: f.Algorithm})
	}
	return config
}

// algorithmError gives a refused congestion control its own code.
func algorithmError(err error) error {
	var refused *loadgen.CCError
	if errors.As(err, &refused) {
		return &wire.Error{Code: wire.CodeAlgorithm, Message: err.Error(), Hint: refused.Hint()}
	}
	return fmt.Errorf("connecting the flows: %w", err)
}

func (s *sender) current() (*loadgen.Sender, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.load == nil {
		return nil, outOfTurn(errOrder)
	}
	return s.load, nil
}

func (s *sender) start() (any, error) {
	load, err := s.current()
	if err != nil {
		return nil, err
	}
	if err := load.Start(); err != nil {
		return nil, err
	}
	go s.follow(load)
	return nil, nil
}

// follow sends heartbeats until the window has closed.
func (s *sender) follow(load *loadgen.Sender) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-load.WindowClosed():
			s.tell(wire.EventWindowClosed, nil)
			return
		case <-tick.C:
			if p := load.Progress(); p.Acked != nil {
				s.tell(wire.EventProgress, wire.Progress{Elapsed: p.Elapsed.Seconds(), Bytes: *p.Acked})
			}
		}
	}
}

func (s *sender) finish(wire.FinishRequest) (any, error) {
	load, err := s.current()
	if err != nil {
		return nil, err
	}
	report, err := load.Finish()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range report.Flows {
		report.Flows[i].Written = &report.Written[i]
	}
	s.series = report.Series
	return wire.FlowReport{Flows: report.Flows, Window: report.Window, CPU: report.CPU, CPUError: report.CPUError}, nil
}

func (s *sender) samples(request wire.SeriesRequest) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return part(s.series, request)
}
