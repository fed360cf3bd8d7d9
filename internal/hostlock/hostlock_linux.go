package hostlock

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// doors are the two directories that are locked on the way in. Whoever releases
// a flock and asks again at once gets it before the one that waited has woken
// up: one of two such loops had 52 turns in a row. So whoever comes waits at the
// gate, and goes through it only with the lock: the one that leaves finds the
// gate shut by the one whose turn it is. Of two, neither has two turns in a row
// while the other waits; of more, those at the gate are woken together and race.
type doors struct{ lock, gate string }

// host are the machine's. Where /proc is not the same for all (another PID
// namespace), they still exclude each other, and only the turns may be uneven.
var host = doors{lock: "/", gate: "/proc"}

// Lock is the lock, held.
type Lock struct{ fd int }

// Take waits for the lock until ctx ends, and returns the cause of that end
// then. Before it has to wait it calls waiting with the PID of the holder, 0
// when that is not known.
func Take(ctx context.Context, waiting func(holder int)) (*Lock, error) {
	return host.take(ctx, waiting)
}

func (d doors) take(ctx context.Context, waiting func(holder int)) (*Lock, error) {
	l, err := d.enter(ctx, unix.LOCK_NB)
	if !errors.Is(err, unix.EWOULDBLOCK) {
		return l, err
	}
	waiting(holder(d.lock))
	type taken struct {
		*Lock
		err error
	}
	got := make(chan taken)
	go func() {
		// Nothing but a signal ends a flock that waits, so one that is no longer
		// wanted is left to come, and given back.
		l, err := d.enter(ctx, 0)
		select {
		case got <- taken{l, err}:
		case <-ctx.Done():
			if l != nil {
				_ = l.Release() // nobody is there to hear of it
			}
		}
	}()
	select {
	case t := <-got:
		return t.Lock, t.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// enter goes through the gate to the lock; how is 0, or LOCK_NB so as not to wait.
func (d doors) enter(ctx context.Context, how int) (l *Lock, err error) {
	gate, err := flock(d.gate, how)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, gate.Release()) }()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return flock(d.lock, how)
}

// flock locks a directory. No program that is started inherits the lock.
func flock(dir string, how int) (*Lock, error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("the lock of this machine: opening %s: %w", dir, err)
	}
	err = unix.EINTR
	for err == unix.EINTR {
		err = unix.Flock(fd, unix.LOCK_EX|how)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the lock of this machine: flock of %s: %w", dir, err), unix.Close(fd))
	}
	return &Lock{fd}, nil
}

// Release lets the next one in.
func (l *Lock) Release() error {
	// Closing alone would not do while a child that is being started still has
	// a copy of the descriptor.
	return errors.Join(
		os.NewSyscallError("flock", unix.Flock(l.fd, unix.LOCK_UN)),
		os.NewSyscallError("close", unix.Close(l.fd)))
}
