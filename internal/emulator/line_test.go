package emulator

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"ccbench/internal/result"
)

func balance(d result.Direction) int64 {
	return d.PacketsIn - d.PacketsOut - d.DropsQueue - d.DropsOversize - d.DropsWrite - d.Held
}

// put lets a packet arrive whose first bytes are its number.
func put(l *line, now int64, size int, number uint64) {
	binary.BigEndian.PutUint64(l.room, number)
	l.arrive(now, size)
}

func TestLineLosesAndInventsNothing(t *testing.T) {
	const mtu = 1500
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		l := newLine(randomDirection(random), mtu, Window{})
		now, number, refused, oversize := int64(1), uint64(0), int64(0), int64(0)
		var bytesIn, bytesOut int64
		last, seen := int64(-1), map[uint64]bool{}
		take := func() {
			for {
				at := l.next()
				data, ok := l.due(now)
				if ok != (at != 0 && at <= now) {
					t.Fatalf("seed %d: next is due at %d, and at %d due says %v", seed, at, now, ok)
				}
				if !ok {
					return
				}
				got := binary.BigEndian.Uint64(data)
				if int64(got) <= last || seen[got] {
					t.Fatalf("seed %d: packet %d came after %d", seed, got, last)
				}
				last, seen[got] = int64(got), true
				if random.IntN(20) == 0 {
					refused++
					l.refused()
				} else {
					bytesOut += int64(len(data))
					l.delivered(now)
				}
			}
		}
		for range 3000 {
			now += gap(random, Direction{Rate: 10_000_000})
			take()
			size := 20 + random.IntN(mtu-20+50) // some are too long
			if size > mtu {
				oversize++
			}
			bytesIn += int64(size)
			number++
			put(l, now, size, number)
			if d := l.account(); balance(d) != 0 {
				t.Fatalf("seed %d: packets unaccounted for: %+v", seed, d)
			}
		}
		now += int64(time.Hour) * 3
		take()
		d := l.account()
		if balance(d) != 0 || d.Held != 0 || d.PacketsIn != 3000 || d.DropsWrite != refused || d.DropsOversize != oversize {
			t.Errorf("seed %d: got %+v, want 3000 in, %d refused, %d too long, none held", seed, d, refused, oversize)
		}
		if d.BytesIn != bytesIn || d.BytesOut != bytesOut {
			t.Errorf("seed %d: got %d bytes in and %d out, want %d and %d", seed, d.BytesIn, d.BytesOut, bytesIn, bytesOut)
		}
	}
}

func TestLineKeepsPacketsApart(t *testing.T) {
	l := newLine(Direction{Delay: time.Second}, 100, Window{})
	for i := range uint64(1000) { // several chunks of buffers
		put(l, int64(i), 100, i)
	}
	for i := range uint64(1000) {
		data, ok := l.due(int64(2 * time.Second))
		if !ok || len(data) != 100 || binary.BigEndian.Uint64(data) != i {
			t.Fatalf("packet %d is not what was put in", i)
		}
		l.delivered(int64(2 * time.Second))
	}
}

func TestLineMeasuresLateness(t *testing.T) {
	l := newLine(Direction{Delay: time.Millisecond}, 100, Window{})
	if d := l.account(); d.LatenessP50 != nil || d.LatenessP99 != nil || d.LatenessMax != nil {
		t.Errorf("before the first packet: got %+v, want null", d)
	}
	for i := range int64(100) {
		put(l, 0, 100, 0)
		l.delivered(int64(time.Millisecond) + (i+1)*1000) // 1 to 100 us late
	}
	d := l.account()
	check := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil || *got < 0.99*want || *got > 1.01*want {
			t.Errorf("%s: got %v, want %v", what, *got, want)
		}
	}
	check("p50", d.LatenessP50, 50e-6)
	check("p99", d.LatenessP99, 99e-6)
	if *d.LatenessMax != 100e-6 {
		t.Errorf("max: got %v, want exactly %v", *d.LatenessMax, 100e-6)
	}
}

// cycle carries one packet through, as the relay does.
func cycle(l *line, now int64) {
	l.arrive(now, 1500)
	for {
		if _, ok := l.due(now); !ok {
			return
		}
		l.delivered(now)
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	l := newLine(Direction{Rate: 100_000_000, Delay: 20 * time.Millisecond, Buffer: 500_000, Overhead: 14}, 1500, Window{})
	now := int64(0)
	step := func() {
		now += 100_000 // 20 % more than the link carries: the buffer is full
		cycle(l, now)
	}
	for range 10_000 {
		step()
	}
	if l.account().DropsQueue == 0 {
		t.Fatal("the steady state is not reached")
	}
	if got := testing.AllocsPerRun(10_000, step); got != 0 {
		t.Errorf("got %v allocations a packet, want 0", got)
	}
}

func BenchmarkLine(b *testing.B) {
	l := newLine(Direction{Rate: 100_000_000, Delay: 20 * time.Millisecond, Buffer: 500_000, Overhead: 14}, 1500, Window{})
	now := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 100_000
		cycle(l, now)
	}
}
