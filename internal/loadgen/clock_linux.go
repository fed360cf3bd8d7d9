package loadgen

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// now is CLOCK_MONOTONIC in ns, the clock of tcpinfo.Raw.At and of the timers.
func now() int64 {
	var t unix.Timespec
	// It cannot fail: the clock exists on every Linux and t is ours.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}

// alarm is a timer for absolute times. A timerfd rather than clock_nanosleep,
// because one can wait for it and for an event at once, and because the timer
// slack of the thread does not apply to it.
type alarm struct{ fd int }

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("create the sampling timer: %w", err)
	}
	return &alarm{fd}, nil
}

func (a *alarm) close() error { return unix.Close(a.fd) }

// wait returns true at the given time, in ns of now's clock, or false as soon
// as the event has happened.
func (a *alarm) wait(at int64, stop *event) (bool, error) {
	// Setting the timer also takes back an expiration nobody read. A time of
	// 0 would disarm it, so the distant past is the first nanosecond.
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(max(at, 1))}
	if err := unix.TimerfdSettime(a.fd, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		return false, fmt.Errorf("set the sampling timer: %w", err)
	}
	if err := await(a.fd, unix.POLLIN, stop); err != nil {
		return false, fmt.Errorf("wait for the sampling timer: %w", err)
	}
	return !stop.happened(), nil
}
