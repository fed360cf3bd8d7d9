package loadgen

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ccbench/internal/result"
	"ccbench/internal/tcpinfo"
)

// Sender sends flows. Its methods may be called from any goroutine.
type Sender struct {
	flows   []*outflow
	sampler *sampler
	cpu     *cpuMeter
	stop    *event
	writers sync.WaitGroup
	acked   atomic.Int64 // bytes at the last sample, -1: not known
	start   atomic.Int64 // on the clock of now, 0: not started

	mu    sync.Mutex // guards the steps of its life
	ended bool
}

// Dial connects the flows, each with its congestion control set before the
// connection and read back after it. It sends nothing. ctx bounds connecting
// only. The error is a *CCError when the kernel refused a congestion control.
func Dial(ctx context.Context, config SenderConfig) (*Sender, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	s := &Sender{}
	s.acked.Store(-1)
	if err := s.open(ctx, config); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func (s *Sender) open(ctx context.Context, config SenderConfig) error {
	var err error
	if s.stop, err = newEvent(); err != nil {
		return err
	}
	if s.sampler, err = newSampler(newSchedule(config.Warmup, config.Duration, config.Interval), s.stop); err != nil {
		return err
	}
	if s.cpu, err = newCPUMeter(config.CPUPIDs); err != nil {
		return err
	}
	for _, flow := range config.Flows {
		f, err := openFlow(config, flow)
		if err != nil {
			return fmt.Errorf("flow %d: %w", flow.ID, err)
		}
		s.flows = append(s.flows, f)
	}
	return connect(ctx, s.flows, config.Remote)
}

// Start lets all flows begin to send. They go on until Finish or Close.
func (s *Sender) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.start.Load() != 0 {
		return errors.New("start the flows: they were started or closed before")
	}
	s.writers.Add(len(s.flows))
	start := now()
	s.start.Store(start)
	for _, f := range s.flows {
		go f.run(s.stop, s.sampler.done, &s.writers)
	}
	go s.sampler.run(start, s.sample)
	return nil
}

// sample reads every flow, then, at the window's edges, the processor times.
func (s *Sender) sample(i int, edge edge) {
	acked, known := int64(0), true
	for _, f := range s.flows {
		if err := tcpinfo.Read(f.fd, &f.samples[i]); err != nil && f.sampleErr == nil {
			f.sampleErr = err
		}
		n, ok := f.samples[i].BytesAcked()
		acked, known = acked+n, known && ok
	}
	if !known {
		acked = -1
	}
	s.acked.Store(acked)
	switch edge {
	case opens:
		s.cpu.read(&s.cpu.before)
	case closes:
		s.cpu.read(&s.cpu.after)
	}
}

// Progress costs two atomic loads and a clock.
func (s *Sender) Progress() Progress {
	var p Progress
	if start := s.start.Load(); start != 0 {
		p.Elapsed = time.Duration(now() - start)
	}
	if acked := s.acked.Load(); acked >= 0 {
		p.Acked = &acked
	}
	return p
}

// WindowClosed is closed when the window has closed, or when it is certain
// that it will not; SenderReport.Window tells which.
func (s *Sender) WindowClosed() <-chan struct{} { return s.sampler.done }

// Finish takes the last sample of each flow and reads its congestion control
// back, then aborts it with a reset, and reports. It does so at once, whether
// the window has closed or not: wait for this end's WindowClosed and for the
// receiver's, whose clock starts later. It works once, after Start.
func (s *Sender) Finish() (*SenderReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.start.Load() == 0 {
		return nil, errors.New("finish the flows: they were not started, or ended before")
	}
	err := s.end()
	return s.report(), errors.Join(err, s.sampler.err)
}

// Close aborts what is still open. After Finish it does nothing.
func (s *Sender) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil
	}
	return s.end()
}

// end stops the goroutines, waits for them, and gives everything back.
func (s *Sender) end() error {
	s.ended = true
	s.stop.happen()
	if s.start.Load() == 0 {
		close(s.sampler.done)
	}
	s.writers.Wait()
	return s.release()
}

// release closes all descriptors there are; nobody else uses them by now.
func (s *Sender) release() error {
	var errs []error
	for _, f := range s.flows {
		errs = append(errs, f.close())
	}
	if s.cpu != nil {
		errs = append(errs, s.cpu.close())
	}
	if s.sampler != nil {
		errs = append(errs, s.sampler.alarm.close())
	}
	if s.stop != nil {
		errs = append(errs, s.stop.close())
	}
	return errors.Join(errs...)
}

func (s *Sender) report() *SenderReport {
	start := s.start.Load()
	r := &SenderReport{Window: s.sampler.window(func(i int) int64 { return s.flows[0].samples[i].At })}
	for _, f := range s.flows {
		r.Flows = append(r.Flows, f.result(start, s.sampler))
		r.Written = append(r.Written, f.written)
		r.Series = append(r.Series, result.Series{Type: result.TypeSeries, Flow: f.record.Flow, Side: result.Sender,
			Columns: tcpinfo.Columns(f.samples[:s.sampler.count], start, f.record.AtEnd)})
	}
	if r.Window == nil {
		return r
	}
	var err error
	if r.CPU, err = s.cpu.result(); err != nil {
		r.CPUError = err.Error()
	}
	return r
}
