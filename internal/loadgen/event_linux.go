package loadgen

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// event happens once, and wakes every thread that waits for a descriptor at
// the time. Closing that descriptor would not: poll and send sleep on.
type event struct {
	fd   int
	past atomic.Bool
	once sync.Once
}

func newEvent() (*event, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("create an event descriptor: %w", err)
	}
	return &event{fd: fd}, nil
}

func (e *event) happened() bool { return e.past.Load() }

// happen never fails: a write of 1 to a fresh eventfd has room.
func (e *event) happen() {
	e.once.Do(func() {
		e.past.Store(true)
		_, _ = unix.Write(e.fd, binary.NativeEndian.AppendUint64(nil, 1))
	})
}

// close is for when nobody waits any more.
func (e *event) close() error { return unix.Close(e.fd) }

// await returns when fd is ready for the poll events, is broken, or e has happened.
func await(fd int, events int16, e *event) error {
	fds := [2]unix.PollFd{{Fd: int32(fd), Events: events}, {Fd: int32(e.fd), Events: unix.POLLIN}}
	return poll(fds[:], -1)
}

// poll is poll(2) that starts over when a signal interrupts it, which is often
// (the Go runtime preempts with signals); the timeout in ms is one of each try.
func poll(fds []unix.PollFd, timeout int) error {
	for {
		if _, err := unix.Poll(fds, timeout); err != unix.EINTR {
			return err
		}
	}
}
