package loadgen

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"ccbench/internal/result"
)

// cpuMeter reads processor times at the two ends of the window.
type cpuMeter struct {
	stat          int // descriptor of /proc/stat
	cpus          int
	clocks        []int32
	before, after cpuReading
}

// cpuReading is decoded after the window only.
type cpuReading struct {
	at     int64
	text   [512]byte // the beginning of /proc/stat
	length int
	own    int64 // ns
	err    error
}

func newCPUMeter(pids []int) (*cpuMeter, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil, fmt.Errorf("read processor times: %w", err)
	}
	m := &cpuMeter{cpus: countCPUs(string(text))}
	for _, pid := range pids {
		m.clocks = append(m.clocks, processClock(pid))
	}
	if m.stat, err = unix.Open("/proc/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("read processor times: %w", err)
	}
	if m.read(&m.before); m.before.err != nil {
		return nil, closing(m.stat, m.before.err)
	}
	return m, nil
}

// processClock is the CPU clock of a process, as clock_getcpuclockid(3) makes
// it: to the nanosecond, where /proc/PID/stat has hundredths of a second.
func processClock(pid int) int32 {
	const cpuclockSched = 2 // include/linux/posix-timers.h
	return ^int32(pid)<<3 | cpuclockSched
}

// read allocates only when it fails.
func (m *cpuMeter) read(r *cpuReading) {
	*r = cpuReading{at: now()}
	if r.length, r.err = unix.Pread(m.stat, r.text[:], 0); r.err != nil {
		r.err = fmt.Errorf("read /proc/stat: %w", r.err)
		return
	}
	for _, clock := range m.clocks {
		var t unix.Timespec
		if err := unix.ClockGettime(clock, &t); err != nil {
			r.err = fmt.Errorf("read the processor time of process %d: %w", ^(clock >> 3), err)
			return
		}
		r.own += t.Nano()
	}
}

func (m *cpuMeter) close() error {
	if err := unix.Close(m.stat); err != nil {
		return fmt.Errorf("close /proc/stat: %w", err)
	}
	return nil
}

// result is the difference of the two readings.
func (m *cpuMeter) result() (*result.CPU, error) {
	for _, r := range []*cpuReading{&m.before, &m.after} {
		if r.err != nil {
			return nil, r.err
		}
	}
	first, err := parseHost(string(m.before.text[:m.before.length]))
	if err != nil {
		return nil, err
	}
	last, err := parseHost(string(m.after.text[:m.after.length]))
	if err != nil {
		return nil, err
	}
	window, own := float64(m.after.at-m.before.at)/1e9, float64(m.after.own-m.before.own)/1e9
	return &result.CPU{
		CPUs:   m.cpus,
		Window: window,
		Busy:   busyTime(m.cpus, window, first, last, own),
		Steal:  last.steal - first.steal,
		Own:    own,
	}, nil
}
