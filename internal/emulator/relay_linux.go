package emulator

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"ccbench/internal/link"
	"ccbench/internal/result"
)

// relay moves the packets of one direction between its line and the devices,
// on a thread of its own.
type relay struct {
	from, to string // sender, receiver: for messages
	in, out  *os.File

	mu   sync.Mutex // guards line; held for a batch, never while waiting
	line *line

	delay runDelay
	clock clock

	inFD, outFD int
	timer       int
	armed       int64 // ns; 0: the timer is off
	stop        int
	// A packet that is longer than the room ends in surplus, so that its length is known.
	surplus []byte
	vector  [2]unix.Iovec
}

// batch is how many packets are read under one lock.
const batch = 64

// run relays until the stop descriptor is readable or a device is gone.
func (r *relay) run(stop int) error {
	// The thread's timer slack is changed: it is not given back but ends here.
	runtime.LockOSThread()
	r.stop = stop
	return link.WithFD(r.in, func(in int) error {
		return link.WithFD(r.out, func(out int) error {
			r.inFD, r.outFD = in, out
			return r.prepared(r.loop)
		})
	})
}

// prepared calls loop with all that the thread needs.
func (r *relay) prepared(loop func() error) error {
	for _, fd := range []int{r.inFD, r.outFD} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return fmt.Errorf("emulator: %w", os.NewSyscallError("fcntl", err))
		}
	}
	// The timerfd has no slack (prctl(2) names the calls that have): this keeps it
	// out of every other wait of the thread.
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("emulator: %w", os.NewSyscallError("prctl", err))
	}
	timer, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return fmt.Errorf("emulator: %w", os.NewSyscallError("timerfd_create", err))
	}
	r.timer = timer
	r.surplus = make([]byte, maxMTU)
	r.vector[1].Base = &r.surplus[0]
	r.vector[1].SetLen(len(r.surplus))
	r.delay.begin()
	err = loop()
	r.delay.end()
	return errors.Join(err, unix.Close(timer))
}

func (r *relay) loop() error {
	for {
		more, next, err := r.step()
		if err != nil {
			return err
		}
		if stopped, err := r.wait(more, next); stopped || err != nil {
			return err
		}
	}
}

// step reads a batch and writes what is due. It says whether there may be more
// to read, and when the next packet is due.
func (r *relay) step() (more bool, next int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	more = true
	for i := 0; more && i < batch; i++ {
		if more, err = r.receive(); err != nil {
			return false, 0, err
		}
		if err := r.deliver(); err != nil {
			return false, 0, err
		}
	}
	return more, r.line.next(), nil
}

// receive reads one packet, if there is one.
func (r *relay) receive() (bool, error) {
	r.vector[0].Base = &r.line.room[0]
	r.vector[0].SetLen(len(r.line.room))
	for {
		// Raw: it does not block, and the scheduler need not know.
		n, _, errno := unix.RawSyscall(unix.SYS_READV, uintptr(r.inFD),
			uintptr(unsafe.Pointer(&r.vector[0])), uintptr(len(r.vector)))
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			return false, nil
		case errno != 0:
			return false, fmt.Errorf("emulator: reading the %s's device: %w", r.from, deviceError(errno))
		case n == 0:
			return false, fmt.Errorf("emulator: reading the %s's device: %w", r.from, io.ErrUnexpectedEOF)
		default:
			r.line.arrive(r.clock.now(), int(n))
			return true, nil
		}
	}
}

// deliver writes the packets whose time has come.
func (r *relay) deliver() error {
	for {
		now := r.clock.now()
		data, ok := r.line.due(now)
		if !ok {
			return nil
		}
		_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(r.outFD),
			uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)))
		switch errno {
		case 0:
			r.line.delivered(now)
		case unix.EINTR:
		case unix.EAGAIN, unix.ENOBUFS, unix.ENOMEM, unix.EIO, unix.EINVAL:
			// No room, the device is down, or not an IP packet: lost, as on a wire.
			r.line.refused()
		default:
			return fmt.Errorf("emulator: writing to the %s's device: %w", r.to, deviceError(errno))
		}
	}
}

// deviceError translates the errno of a device that was deleted.
func deviceError(errno unix.Errno) error {
	if errno == unix.EBADFD || errno == unix.ENODEV {
		return fmt.Errorf("the device is gone: %w", errno)
	}
	return errno
}

// wait waits for a packet, for the time next or for the end, whichever is
// first; it only looks when there is more to do at once.
func (r *relay) wait(more bool, next int64) (stopped bool, err error) {
	if err := r.arm(next); err != nil {
		return false, err
	}
	timeout := -1
	if more {
		timeout = 0
	}
	fds := [...]unix.PollFd{
		{Fd: int32(r.stop), Events: unix.POLLIN},
		{Fd: int32(r.timer), Events: unix.POLLIN},
		{Fd: int32(r.inFD), Events: unix.POLLIN},
	}
	_, err = unix.Poll(fds[:], timeout)
	if err != nil && err != unix.EINTR {
		return false, fmt.Errorf("emulator: %w", os.NewSyscallError("poll", err))
	}
	return fds[0].Revents != 0, nil
}

// arm sets the timer to an absolute time; 0 turns it off. Setting it forgets
// an expiry, so it is never read.
func (r *relay) arm(at int64) error {
	if at == r.armed {
		return nil
	}
	setting := unix.ItimerSpec{Value: unix.NsecToTimespec(at)}
	if err := unix.TimerfdSettime(r.timer, unix.TFD_TIMER_ABSTIME, &setting, nil); err != nil {
		return fmt.Errorf("emulator: %w", os.NewSyscallError("timerfd_settime", err))
	}
	r.armed = at
	return nil
}

// stats is a consistent account: what came in is out, dropped or held.
func (r *relay) stats() result.Direction {
	r.mu.Lock()
	d := r.line.account()
	r.mu.Unlock()
	d.RunDelay = r.delay.value()
	return d
}
