package loadgen

import (
	"sync/atomic"
)

// edge says what a tick is to the window.
type edge int

const (
	inside edge = iota // neither, be it in the window or before it
	opens
	closes
)

// sampler calls a function on a schedule, from one goroutine of its own. It is
// not locked to a thread: the timer has no use for it, and a locked thread
// that comes back from a wait without a P is handed one later than others.
type sampler struct {
	schedule schedule
	alarm    *alarm
	stop     *event
	done     chan struct{} // closed when no sample will follow
	shut     atomic.Bool   // the window closed
	// Owned by the goroutine until done is closed.
	count       int // samples taken
	open, close int // which of them are the window's, -1: not taken
	err         error
}

func newSampler(schedule schedule, stop *event) (*sampler, error) {
	alarm, err := newAlarm()
	if err != nil {
		return nil, err
	}
	return &sampler{schedule: schedule, alarm: alarm, stop: stop, done: make(chan struct{}), open: -1, close: -1}, nil
}

// run calls take with the sample's index until the window has closed, the
// event has happened, or the timer failed. It allocates nothing.
func (s *sampler) run(start int64, take func(i int, edge edge)) {
	defer close(s.done)
	for tick := int64(0); ; tick = s.schedule.next(tick, now()-start) {
		live, err := s.alarm.wait(start+tick, s.stop)
		if !live {
			s.err = err
			return
		}
		edge := s.edge(tick)
		take(s.count, edge)
		s.count++
		if edge == closes {
			s.shut.Store(true)
			return
		}
	}
}

func (s *sampler) edge(tick int64) edge {
	switch tick {
	case s.schedule.open:
		s.open = s.count
		return opens
	case s.schedule.close:
		s.close = s.count
		return closes
	default:
		return inside
	}
}

// window is the time between the two samples whose times are asked for, in s;
// nil when there are no two.
func (s *sampler) window(at func(i int) int64) *float64 {
	if s.close < 0 {
		return nil
	}
	w := float64(at(s.close)-at(s.open)) / 1e9
	return &w
}
