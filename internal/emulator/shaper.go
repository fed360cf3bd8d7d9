package emulator

import "time"

// shaper is the arithmetic of a bottleneck: a FIFO with a byte limit before a
// server of constant rate, and a delay behind it. It needs no clock and no
// timer, because the fate of a packet is settled when it arrives.
//
// Times are nanoseconds of one monotonic clock and never go back.
type shaper struct {
	rate     int64 // bit/s; 0: packets are only delayed
	delay    int64 // ns
	buffer   int64 // bytes
	overhead int64 // bytes a packet

	// The server is free of all it has accepted at free + rest/rate ns. The
	// remainder is carried along, so that no rounding adds up: over any busy
	// period the rate is exact.
	free, rest int64

	waiting    fifo[service] // accepted, service not yet begun
	backlog    int64         // wire bytes of waiting
	maxBacklog int64
}

// service is a packet's turn in the server.
type service struct {
	start int64 // ns, rounded up
	wire  int64 // bytes with overhead
}

func newShaper(d Direction) shaper {
	return shaper{
		rate: int64(d.Rate), delay: int64(d.Delay), buffer: int64(d.Buffer), overhead: int64(d.Overhead),
	}
}

// arrive decides about a packet of size bytes: when it is to be delivered, and
// how long until then it waits for its service to begin; or that the buffer is full. A packet that finds the server idle is always taken
// and its service begins at once; any other one is taken if the wire bytes of
// those whose service has not begun, and its own, fit in the buffer.
func (s *shaper) arrive(now int64, size int) (deliverAt, wait int64, ok bool) {
	if s.rate == 0 {
		return now + s.delay, 0, true
	}
	s.begin(now)
	wire := int64(size) + s.overhead
	switch {
	case s.idle(now):
		s.free, s.rest = now, 0
	case s.backlog+wire > s.buffer:
		return 0, 0, false
	default:
		wait = s.end() - now
		s.enqueue(wire)
	}
	s.serve(wire)
	return s.end() + s.delay, wait, true
}

// begin takes those packets out of the backlog whose service has begun.
func (s *shaper) begin(now int64) {
	for s.waiting.len() > 0 && s.waiting.front().start <= now {
		s.backlog -= s.waiting.pop().wire
	}
}

// idle says whether the server has ended all it accepted.
func (s *shaper) idle(now int64) bool {
	return now > s.free || now == s.free && s.rest == 0
}

func (s *shaper) enqueue(wire int64) {
	s.waiting.push(service{start: s.end(), wire: wire})
	s.backlog += wire
	s.maxBacklog = max(s.maxBacklog, s.backlog)
}

// serve lets the server's end move on by the packet's serialisation time.
func (s *shaper) serve(wire int64) {
	scaled := wire*8*int64(time.Second) + s.rest // at most 2e15: see the limits of Config
	s.free += scaled / s.rate
	s.rest = scaled % s.rate
}

// end is when the server is free, rounded up: never early.
func (s *shaper) end() int64 {
	if s.rest > 0 {
		return s.free + 1
	}
	return s.free
}
