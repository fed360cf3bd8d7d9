package emulator

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"ccbench/internal/unit"
)

// model is the link said differently: every packet ever accepted, with its
// service in exact fractions of a nanosecond.
type model struct {
	d        Direction
	accepted []modelPacket
}

type modelPacket struct {
	wire       int64
	start, end *big.Rat // ns
}

func (m *model) arrive(now int64, size int) (*big.Rat, bool) {
	wire := int64(size + m.d.Overhead)
	at, free := new(big.Rat).SetInt64(now), new(big.Rat)
	if n := len(m.accepted); n > 0 {
		free = m.accepted[n-1].end
	}
	start := at
	if free.Cmp(at) > 0 { // busy
		if m.backlog(at)+wire > int64(m.d.Buffer) {
			return nil, false
		}
		start = free
	}
	took := big.NewRat(wire*8*int64(time.Second), int64(m.d.Rate))
	end := new(big.Rat).Add(start, took)
	m.accepted = append(m.accepted, modelPacket{wire, start, end})
	return new(big.Rat).Add(end, new(big.Rat).SetInt64(int64(m.d.Delay))), true
}

// backlog is what has not begun its service at a time.
func (m *model) backlog(at *big.Rat) int64 {
	sum := int64(0)
	for i := len(m.accepted) - 1; i >= 0 && m.accepted[i].start.Cmp(at) > 0; i-- {
		sum += m.accepted[i].wire
	}
	return sum
}

// ceil is the first whole nanosecond that is not before r.
func ceil(r *big.Rat) int64 {
	up := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	return up.Div(up, r.Denom()).Int64()
}

// randomDirection has small buffers, so that all of its cases occur.
func randomDirection(random *rand.Rand) Direction {
	rates := []unit.BitRate{1000, 999_983, 7_000_000, 100_000_000, 10_000_000_000}
	return Direction{
		Rate:     rates[random.IntN(len(rates))],
		Delay:    time.Duration(random.Int64N(int64(50 * time.Millisecond))),
		Buffer:   unit.Bytes(random.IntN(20_000)),
		Overhead: random.IntN(40),
	}
}

// gap is a time between arrivals: mostly less than a packet's, sometimes many.
func gap(random *rand.Rand, d Direction) int64 {
	service := 1500 * 8 * int64(time.Second) / int64(d.Rate)
	switch random.IntN(50) {
	case 0:
		return random.Int64N(20*service + 1)
	case 1, 2, 3:
		return 0
	default:
		return random.Int64N(service*2/3 + 1)
	}
}

func TestShaperDoesWhatTheModelDoes(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		d := randomDirection(random)
		s, m := newShaper(d), model{d: d}
		now, maxBacklog, drops := int64(1_000_000), int64(0), 0
		for i := range 400 {
			now += gap(random, d)
			size := 20 + random.IntN(1481)
			want, wantOK := m.arrive(now, size)
			got, _, ok := s.arrive(now, size)
			if ok != wantOK {
				t.Fatalf("seed %d %+v: packet %d taken: got %v, want %v", seed, d, i, ok, wantOK)
			}
			if !ok {
				drops++
				continue
			}
			if got != ceil(want) {
				t.Fatalf("seed %d %+v: packet %d delivered at %d, want %d", seed, d, i, got, ceil(want))
			}
			backlog := m.backlog(new(big.Rat).SetInt64(now))
			maxBacklog = max(maxBacklog, backlog)
			if s.backlog != backlog || backlog > int64(d.Buffer) {
				t.Fatalf("seed %d %+v: after packet %d the backlog is %d, want %d", seed, d, i, s.backlog, backlog)
			}
		}
		if s.maxBacklog != maxBacklog {
			t.Errorf("seed %d: the greatest backlog is %d, want %d", seed, s.maxBacklog, maxBacklog)
		}
		if drops == 0 || drops == 400 {
			t.Errorf("seed %d %+v: %d of 400 dropped: the seed tests too little", seed, d, drops)
		}
	}
}

func TestRateIsExactOverAMillionPackets(t *testing.T) {
	const packets = 1_000_000
	for _, rate := range []unit.BitRate{1000, 64_000, 999_983, 100_000_000, 1_000_000_007, 10_000_000_000} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			const begun, delay, wire = 12345, 20_000_000, 1514
			s := newShaper(Direction{Rate: rate, Delay: delay, Buffer: 10 * wire, Overhead: 14})
			var last, now int64
			now = begun
			for range packets {
				// Offered exactly when the packet in service ends: never idle, never full.
				deliverAt, _, ok := s.arrive(now, 1500)
				if !ok {
					t.Fatal("dropped")
				}
				last, now = deliverAt, max(begun, deliverAt-delay-1)
			}
			bits := big.NewInt(packets * wire * 8)
			want := ceil(new(big.Rat).SetFrac(bits.Mul(bits, big.NewInt(int64(time.Second))), big.NewInt(int64(rate))))
			if got := last - begun - delay; got != want {
				t.Errorf("got %d ns for %d packets, want %d", got, packets, want)
			}
		})
	}
}

func TestIdleServerTakesWhatTheBufferCannot(t *testing.T) {
	s := newShaper(Direction{Rate: 8_000_000, Buffer: 100}) // 1 us a byte
	check := func(what string, now int64, size int, wantAt int64, wantOK bool) {
		t.Helper()
		if at, _, ok := s.arrive(now, size); at != wantAt || ok != wantOK {
			t.Errorf("%s: got %d, %v, want %d, %v", what, at, ok, wantAt, wantOK)
		}
	}
	const us = 1000
	check("idle, longer than the buffer", 0, 1000, 1000*us, true)
	check("busy, fits exactly", 1*us, 100, 1100*us, true)
	check("busy, one byte too much", 2*us, 1, 0, false)
	check("1 ns before the waiting packet's service", 1000*us-1, 1, 0, false)
	check("at the moment it begins", 1000*us, 100, 1200*us, true)
	check("idle at the very moment the last one ends", 1200*us, 500, 1700*us, true)
	if s.maxBacklog != 100 {
		t.Errorf("the greatest backlog is %d, want 100: what is in service does not wait", s.maxBacklog)
	}
}

func TestUnshapedDirectionOnlyDelays(t *testing.T) {
	s := newShaper(Direction{Delay: 20 * time.Millisecond})
	for i := range 1000 {
		if at, _, ok := s.arrive(7, 1500); at != 7+20_000_000 || !ok {
			t.Fatalf("packet %d: got %d, %v, want %d, true", i, at, ok, 7+20_000_000)
		}
	}
	if s.maxBacklog != 0 {
		t.Errorf("a backlog of %d without a queue", s.maxBacklog)
	}
}

func TestNothingStaysLongerThanMaxHold(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 2))
		d := randomDirection(random)
		hold := int64(d.maxHold(1500))
		s := newShaper(d)
		now, longest := int64(0), int64(0)
		for range 2000 {
			now += gap(random, d) / 4 // overloaded: the buffer is mostly full
			if at, _, ok := s.arrive(now, 1500); ok {
				longest = max(longest, at-now)
			}
		}
		service := 1500 * 8 * int64(time.Second) / int64(d.Rate)
		if longest > hold || longest < hold-3*service {
			t.Errorf("seed %d %+v: a packet stayed %d ns; maxHold says %d", seed, d, longest, hold)
		}
	}
}

func BenchmarkShaper(b *testing.B) {
	s := newShaper(Direction{Rate: 100_000_000, Delay: 20 * time.Millisecond, Buffer: 500_000, Overhead: 14})
	now := int64(0)
	for b.Loop() {
		now += 100_000 // 20 % more than the link carries
		s.arrive(now, 1500)
	}
}
