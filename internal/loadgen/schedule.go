package loadgen

import (
	"fmt"
	"time"
)

// maxTicks bounds the memory for samples, which is set aside before the start:
// about 300 bytes a sample and flow at the sender, thus about 1.2 GB.
const maxTicks = 4_000_000

// schedule says when to sample, in ns from the start: at each multiple of
// interval up to the window's close, and exactly at its open and its close.
type schedule struct {
	open, close, interval int64
}

func newSchedule(warmup, duration, interval time.Duration) schedule {
	return schedule{open: int64(warmup), close: int64(warmup + duration), interval: int64(interval)}
}

func (s schedule) validate(flows int) error {
	switch {
	case s.open < 0:
		return fmt.Errorf("warm-up of %v: need 0 or more", time.Duration(s.open))
	case s.close <= s.open:
		return fmt.Errorf("window of %v: need more than 0", time.Duration(s.close-s.open))
	case s.interval <= 0:
		return fmt.Errorf("sampling interval of %v: need more than 0", time.Duration(s.interval))
	case s.ticks() > maxTicks/int64(flows):
		return fmt.Errorf("%d samples of %d flows are more than can be kept (%d in all): use a longer interval",
			s.ticks(), flows, maxTicks)
	}
	return nil
}

// ticks is the largest number of samples the schedule asks for.
func (s schedule) ticks() int64 { return s.close/s.interval + 3 }

// next is the tick after the given one. Multiples of interval that have passed
// at now are skipped, so that a late sampler takes one sample and not a burst;
// open and close are never skipped.
func (s schedule) next(tick, now int64) int64 {
	regular := (max(tick, now)/s.interval + 1) * s.interval
	if tick < s.open {
		return min(s.open, regular)
	}
	return min(s.close, regular)
}
