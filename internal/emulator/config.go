// Package emulator is the userspace bottleneck: it carries IP packets between
// two TUN devices, through a queue, a serialising rate and a delay in each
// direction, packet by packet and by absolute time. A packet is never
// delivered early, and every packet that comes in is accounted for.
//
// The pure part (shaper, line, histogram) gets its time as a number and knows
// no kernel; the relay moves packets between it and the devices.
package emulator

import (
	"fmt"
	"math"
	"math/big"
	"time"

	"ccbench/internal/unit"
)

// Config describes the emulated link.
type Config struct {
	Data Direction // sender to receiver
	Ack  Direction // receiver to sender
	MTU  int       // bytes of the longest IP packet that passes
	// Window is when the queue's delay is recorded, in the data direction.
	Window Window
}

// Window is a part of a trial: Duration from Warmup after the first packet that
// carries TCP data. A Duration of 0 is no window.
type Window struct{ Warmup, Duration time.Duration }

// Direction is one direction of the link. Order in it: queue, serialise, delay.
type Direction struct {
	Rate  unit.BitRate  // 0: not shaped, neither serialised nor queued
	Delay time.Duration // from the end of serialisation to delivery
	// Buffer is how many wire bytes may wait, overhead included, without the
	// packet in service. A packet that finds the link idle needs no room in it.
	Buffer   unit.Bytes
	Overhead int // bytes a packet counted against Rate beside the IP packet
}

// The limits of what is accepted. Within them the exact arithmetic of the
// shaper fits in 64 bits.
const (
	minMTU      = 68    // RFC 791
	maxMTU      = 65535 // an IPv4 packet
	maxRate     = unit.BitRate(1e15)
	maxOverhead = 65535
	holdLimit   = time.Hour
)

// Validate says what is wrong with c, if anything is.
func (c Config) Validate() error {
	if c.MTU < minMTU || c.MTU > maxMTU {
		return fmt.Errorf("emulator: MTU %d is not between %d and %d", c.MTU, minMTU, maxMTU)
	}
	if c.Window.Warmup < 0 || c.Window.Duration < 0 {
		return fmt.Errorf("emulator: window of %v after %v is negative", c.Window.Duration, c.Window.Warmup)
	}
	if err := c.Data.validate(c.MTU); err != nil {
		return fmt.Errorf("emulator: data direction: %w", err)
	}
	if err := c.Ack.validate(c.MTU); err != nil {
		return fmt.Errorf("emulator: ack direction: %w", err)
	}
	return nil
}

func (d Direction) validate(mtu int) error {
	switch {
	case d.Rate < 0 || d.Rate > maxRate:
		return fmt.Errorf("rate %d bit/s is not between 0 and %d", d.Rate, maxRate)
	case d.Delay < 0:
		return fmt.Errorf("delay %v is negative", d.Delay)
	case d.Buffer < 0:
		return fmt.Errorf("buffer of %d bytes is negative", d.Buffer)
	case d.Overhead < 0 || d.Overhead > maxOverhead:
		return fmt.Errorf("overhead of %d bytes is not between 0 and %d", d.Overhead, maxOverhead)
	case d.maxHold(mtu) > holdLimit:
		return fmt.Errorf("it could hold a packet for %v; at most %v is possible", d.maxHold(mtu), holdLimit)
	}
	return nil
}

// maxHold is the longest that a packet can stay inside: the packet in service,
// a full buffer, the delay.
func (d Direction) maxHold(mtu int) time.Duration {
	if d.Rate == 0 {
		return d.Delay
	}
	bits := big.NewInt(int64(d.Buffer))
	bits.Add(bits, big.NewInt(int64(mtu+d.Overhead))).Mul(bits, big.NewInt(8))
	hold := bits.Mul(bits, big.NewInt(int64(time.Second)))
	hold.Add(hold, big.NewInt(int64(d.Rate-1))).Div(hold, big.NewInt(int64(d.Rate))) // rounded up
	hold.Add(hold, big.NewInt(int64(d.Delay)))
	if !hold.IsInt64() {
		return math.MaxInt64
	}
	return time.Duration(hold.Int64())
}
