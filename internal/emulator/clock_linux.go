package emulator

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// clock reads CLOCK_MONOTONIC, the clock of the timers, as the runtime does:
// without a system call.
type clock struct {
	base   time.Time
	offset int64 // ns, of CLOCK_MONOTONIC at base
}

func newClock() (clock, error) {
	c := clock{base: time.Now()}
	const tries = 32 // one of them is not interrupted
	for i := range tries {
		since := int64(time.Since(c.base))
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
			return c, os.NewSyscallError("clock_gettime", err)
		}
		// Read after since, so never too small: when a timer has expired, now()
		// is not before its time.
		if offset := ts.Nano() - since; i == 0 || offset < c.offset {
			c.offset = offset
		}
	}
	return c, nil
}

// now is in ns.
func (c clock) now() int64 { return int64(time.Since(c.base)) + c.offset }
