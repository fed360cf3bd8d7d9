package emulator

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// runDelay is how long a thread was ready to run and had no CPU. A packet that
// is read late is not late by its own schedule: this is where it shows.
type runDelay struct {
	mu    sync.Mutex
	file  *os.File // the thread's schedstat; nil before and after its life
	start int64
	last  *float64 // s, since start; nil: the kernel does not say
}

// begin must be called on the thread.
func (r *runDelay) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.Open("/proc/thread-self/schedstat")
	if err != nil {
		return // a kernel without it: the delay stays unknown
	}
	if r.start, err = readSchedstat(f); err != nil {
		_ = f.Close() // read only
		return
	}
	r.file = f
}

// value is the delay up to now, or up to the thread's end.
func (r *runDelay) value() *float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		r.last = nil
		if now, err := readSchedstat(r.file); err == nil {
			r.last = seconds(now - r.start)
		}
	}
	return r.last
}

// end keeps the last value; it must be called on the thread.
func (r *runDelay) end() {
	r.value()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		_ = r.file.Close() // read only
		r.file = nil
	}
}

// readSchedstat returns the second field of schedstat, in ns: the time spent
// waiting on a runqueue (Documentation/scheduler/sched-stats.rst).
func readSchedstat(f *os.File) (int64, error) {
	text := make([]byte, 128)
	n, err := f.ReadAt(text, 0)
	if n == 0 {
		return 0, err
	}
	return parseSchedstat(text[:n])
}

func parseSchedstat(text []byte) (int64, error) {
	fields := bytes.Fields(text)
	if len(fields) != 3 {
		return 0, fmt.Errorf("schedstat: %d fields in %q instead of 3", len(fields), text)
	}
	if string(fields[2]) == "0" {
		// Whoever reads this has had a time slice: the kernel keeps no account.
		return 0, errors.New("schedstat: the kernel does not count")
	}
	return strconv.ParseInt(string(fields[1]), 10, 64)
}
