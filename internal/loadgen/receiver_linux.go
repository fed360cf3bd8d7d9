package loadgen

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ccbench/internal/result"
)

// Receiver accepts flows and counts their bytes. Its methods may be called
// from any goroutine.
type Receiver struct {
	config  ReceiverConfig
	port    int
	sampler *sampler
	stop    *event
	start   int64 // when the first preamble was complete, 0: none yet; the acceptor's
	inflows []*inflow
	times   []int64 // of the samples
	left    atomic.Int64
	// over is closed when every flow has come and gone, or none will come any more.
	over     chan struct{}
	overOnce sync.Once
	workers  sync.WaitGroup // acceptor and readers

	// Written by the acceptor, read when workers are done.
	strays    int
	acceptErr error

	mu    sync.Mutex // guards the steps of its life
	ended bool
}

// Listen is ready for connections when it returns, and accepts until all flows
// have come; then it stops listening. A connection that does not show the
// token within 30 s, or shows another one, is closed and counted as a stray.
func Listen(config ReceiverConfig) (*Receiver, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	schedule := newSchedule(config.Warmup, config.Duration, config.Interval)
	r := &Receiver{config: config, over: make(chan struct{}), times: make([]int64, schedule.ticks())}
	for range config.Flows {
		r.inflows = append(r.inflows, &inflow{fd: -1, samples: make([]int64, schedule.ticks())})
	}
	r.left.Store(int64(config.Flows))
	listener, err := listen(config)
	if err != nil {
		return nil, err
	}
	if err := r.open(schedule, listener); err != nil {
		return nil, closing(listener, errors.Join(err, r.release()))
	}
	r.workers.Add(1)
	go r.accept(listener)
	return r, nil
}

func (r *Receiver) open(schedule schedule, listener int) error {
	var err error
	if r.port, err = localPort(listener); err != nil {
		return err
	}
	if r.stop, err = newEvent(); err != nil {
		return err
	}
	r.sampler, err = newSampler(schedule, r.stop)
	return err
}

func listen(config ReceiverConfig) (int, error) {
	fd, err := newSocket(config.Address.Addr())
	if err != nil {
		return -1, err
	}
	if err := unix.Bind(fd, sockaddr(config.Address)); err != nil {
		return -1, closing(fd, fmt.Errorf("listen on %v: bind: %w", config.Address, err))
	}
	if err := unix.Listen(fd, unix.SOMAXCONN); err != nil {
		return -1, closing(fd, fmt.Errorf("listen on %v: %w", config.Address, err))
	}
	return fd, nil
}

// Port is the port listened on.
func (r *Receiver) Port() int { return r.port }

// WindowClosed is closed when the window has closed by this end's clock, or
// when it is certain that it will not; ReceiverReport.Window tells which.
func (r *Receiver) WindowClosed() <-chan struct{} { return r.sampler.done }

// begin takes the start of the flows, once.
func (r *Receiver) begin(at int64) {
	if r.start != 0 {
		return
	}
	r.start = at
	r.workers.Add(1)
	go func() {
		defer r.workers.Done()
		r.sampler.run(at, r.sample)
	}()
}

func (r *Receiver) sample(i int, _ edge) {
	r.times[i] = now()
	for _, f := range r.inflows {
		f.samples[i] = f.bytes.Load()
	}
}

// gone counts a flow that ended.
func (r *Receiver) gone() {
	if r.left.Add(-1) == 0 {
		r.nothingLeft()
	}
}

func (r *Receiver) nothingLeft() { r.overOnce.Do(func() { close(r.over) }) }

// Finish waits until every flow has ended, which is what the sender's reset
// does, or until ctx ends, and reports. Then everything is closed. The report
// says which flows had not ended; the error, why none could be accepted or what
// failed in closing, and the report is there with it. It works once.
func (r *Receiver) Finish(ctx context.Context) (*ReceiverReport, error) {
	select {
	case <-r.over:
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return nil, errors.New("finish the receiver: it was closed before")
	}
	err := errors.Join(r.end(), r.acceptErr, r.sampler.err)
	return r.report(), err
}

// Close ends everything at once. After Finish it does nothing.
func (r *Receiver) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return nil
	}
	return r.end()
}

// end stops the goroutines, waits for them, and gives everything back.
func (r *Receiver) end() error {
	r.ended = true
	r.stop.happen()
	r.nothingLeft() // for a Finish that still waits
	r.workers.Wait()
	if r.start == 0 {
		close(r.sampler.done)
	}
	return r.release()
}

// release closes all descriptors there are but the sockets, which their
// goroutines close.
func (r *Receiver) release() error {
	var errs []error
	if r.sampler != nil {
		errs = append(errs, r.sampler.alarm.close())
	}
	if r.stop != nil {
		errs = append(errs, r.stop.close())
	}
	return errors.Join(errs...)
}

// unended are the flows that were here at the end, or never came.
func (r *Receiver) unended() []int {
	var ids []int
	for id, f := range r.inflows {
		if f.ending == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func (r *Receiver) report() *ReceiverReport {
	report := &ReceiverReport{
		Window: r.sampler.window(func(i int) int64 { return r.times[i] }),
		Strays: r.strays, Unended: r.unended(),
	}
	for id, f := range r.inflows {
		report.Flows = append(report.Flows, f.result(id, r.sampler))
		if f.came {
			report.Series = append(report.Series, result.Series{Type: result.TypeSeries, Flow: id,
				Side: result.Receiver, Columns: f.columns(r.times[:r.sampler.count], r.start)})
		}
	}
	return report
}
