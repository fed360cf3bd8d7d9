package emulator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"ccbench/internal/link"
	"ccbench/internal/result"
)

// Emulator is a link between two TUN devices.
type Emulator struct {
	cfg       Config
	data, ack *relay
	started   atomic.Bool
	done      chan struct{} // closed when Run has ended
}

// New makes a link between the sender's and the receiver's device, which must
// deliver bare IP packets (IFF_TUN, IFF_NO_PI, no IFF_VNET_HDR). Nothing moves
// before Run. The files stay the caller's, to be closed after Run.
func New(cfg Config, sender, receiver *os.File) (*Emulator, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c, err := newClock()
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	e := &Emulator{cfg: cfg, done: make(chan struct{})}
	e.data = &relay{
		from: "sender", to: "receiver", in: sender, out: receiver,
		line: newLine(cfg.Data, cfg.MTU, cfg.Window), clock: c,
	}
	e.ack = &relay{
		from: "receiver", to: "sender", in: receiver, out: sender,
		line: newLine(cfg.Ack, cfg.MTU, Window{}), clock: c,
	}
	return e, nil
}

// Run relays until ctx is done, which is the normal end and no error; packets
// still held are discarded and stay counted as held. It ends with an error
// that names the side when a device is gone. An Emulator runs once.
func (e *Emulator) Run(ctx context.Context) error {
	if !e.started.CompareAndSwap(false, true) {
		return errors.New("emulator: it has run already")
	}
	defer close(e.done)
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return fmt.Errorf("emulator: %w", os.NewSyscallError("eventfd", err))
	}
	ended := make(chan error, 2)
	for _, r := range []*relay{e.data, e.ack} {
		go func() { ended <- r.run(stop) }()
	}
	select {
	case <-ctx.Done():
	case err = <-ended:
		ended <- nil // its place
	}
	// Readable for good: both see it.
	_, wake := unix.Write(stop, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	err = errors.Join(err, os.NewSyscallError("write to eventfd", wake))
	err = errors.Join(err, <-ended, <-ended)
	return errors.Join(err, os.NewSyscallError("close", unix.Close(stop)))
}

// Stats is the link as it was asked for, and the account of both directions.
// In each, at any time,
// PacketsIn = PacketsOut + DropsQueue + DropsOversize + DropsWrite + Held.
func (e *Emulator) Stats() result.Path {
	return result.Path{
		Rate: int64(e.cfg.Data.Rate), RTT: (e.cfg.Data.Delay + e.cfg.Ack.Delay).Seconds(),
		Buffer: int64(e.cfg.Data.Buffer), Overhead: e.cfg.Data.Overhead, MTU: e.cfg.MTU,
		Data: e.data.stats(), Ack: e.ack.stats(),
	}
}

// flushEvery is how often Flush looks.
const flushEvery = time.Millisecond

// Flush waits until all that the sender's device had to give at the call has
// left the link or been dropped. It does not wait for what comes later, such as
// the resets by which a host answers the ACKs of an aborted flow.
func (e *Emulator) Flush(ctx context.Context) error {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	target := int64(-1) // packets in, once all there was has come in
	for {
		if target < 0 {
			ready, err := readable(e.data.in)
			if err != nil {
				return err
			}
			if !ready {
				target = e.data.stats().PacketsIn
			}
		}
		if d := e.data.stats(); target >= 0 && d.PacketsIn-d.Held >= target {
			return nil
		}
		select {
		case <-tick.C:
		case <-e.done:
			return errors.New("emulator: it stopped before it had been flushed")
		case <-ctx.Done():
			return fmt.Errorf("emulator: waiting for %d packets to leave: %w", e.data.stats().Held, context.Cause(ctx))
		}
	}
}

func readable(f *os.File) (bool, error) {
	ready := false
	err := link.WithFD(f, func(fd int) error {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, 0)
		for err == unix.EINTR {
			_, err = unix.Poll(fds, 0)
		}
		ready = fds[0].Revents&unix.POLLIN != 0
		return os.NewSyscallError("poll", err)
	})
	return ready, err
}
