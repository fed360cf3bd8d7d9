package loadgen

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// A connection has this long to show its token. The sender shows it when
	// it starts, a moment after all flows are connected.
	preambleTime = 30 * time.Second
	// maxNewcomers bounds the connections that have not shown it yet, as does
	// half the limit on descriptors. When there are more the oldest goes: our
	// own connections are without their token for a moment only.
	maxNewcomers = 2048
	// acceptBatch is how many are accepted before the others are looked at again.
	acceptBatch = 64
)

// newcomer is a connection that has not shown its preamble.
type newcomer struct {
	fd       int
	deadline int64
	preamble [preambleSize]byte
	got      int
}

// acceptor takes connections in one goroutine, so that no number of strays
// costs more than room descriptors.
type acceptor struct {
	receiver  *Receiver
	listener  int
	newcomers []*newcomer // oldest first
	room      int         // for newcomers
	missing   int         // flows
	fds       []unix.PollFd
}

// accept runs until all flows have come or the receiver stops.
func (r *Receiver) accept(listener int) {
	defer r.workers.Done()
	a := &acceptor{receiver: r, listener: listener, missing: r.config.Flows}
	err := a.measure()
	if err == nil {
		err = a.run()
	}
	for _, n := range a.newcomers {
		a.refuse(n)
	}
	if closed := unix.Close(listener); closed != nil {
		err = errors.Join(err, fmt.Errorf("close the listening socket: %w", closed))
	}
	if r.acceptErr = err; err != nil {
		r.nothingLeft()
	}
}

// measure finds out how much room there is.
func (a *acceptor) measure() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("read the limit on descriptors: %w", err)
	}
	a.room = int(min(maxNewcomers, limit.Cur/2))
	return nil
}

func (a *acceptor) run() error {
	for a.missing > 0 {
		if err := a.wait(); err != nil {
			return fmt.Errorf("wait for connections: %w", err)
		}
		if a.receiver.stop.happened() {
			return nil
		}
		a.greet()
		if a.fds[1].Revents == 0 {
			continue
		}
		if err := a.take(); err != nil {
			return err
		}
	}
	return nil
}

// wait returns when something happened or the oldest newcomer is out of time.
// Entry i+2 of fds belongs to newcomer i.
func (a *acceptor) wait() error {
	a.fds = append(a.fds[:0],
		unix.PollFd{Fd: int32(a.receiver.stop.fd), Events: unix.POLLIN},
		unix.PollFd{Fd: int32(a.listener), Events: unix.POLLIN})
	for _, n := range a.newcomers {
		a.fds = append(a.fds, unix.PollFd{Fd: int32(n.fd), Events: unix.POLLIN})
	}
	timeout := -1
	if len(a.newcomers) > 0 {
		left := time.Duration(a.newcomers[0].deadline - now())
		timeout = max(0, int(left/time.Millisecond)+1)
	}
	return poll(a.fds, timeout)
}

// greet reads from the newcomers that have said something.
func (a *acceptor) greet() {
	all, at := a.newcomers, now()
	a.newcomers = nil
	for i, n := range all {
		done := false
		if a.fds[i+2].Revents != 0 {
			done = a.hear(n)
		}
		switch {
		case done:
		case at >= n.deadline:
			a.refuse(n)
		default:
			a.newcomers = append(a.newcomers, n)
		}
	}
}

// hear reads some of a preamble. It returns true when the newcomer is one no more.
func (a *acceptor) hear(n *newcomer) bool {
	got, _, err := unix.Recvfrom(n.fd, n.preamble[n.got:], 0)
	if err == unix.EAGAIN || err == unix.EINTR {
		return false
	}
	if err != nil || got == 0 {
		a.refuse(n)
		return true
	}
	at := now()
	if n.got += got; n.got < preambleSize {
		return false
	}
	if !a.admit(n, at) {
		a.refuse(n)
	}
	return true
}

// admit hands a connection over to its flow's reader; false when it has none.
func (a *acceptor) admit(n *newcomer, at int64) bool {
	r := a.receiver
	id, ok := decodePreamble(n.preamble, r.config.Token)
	if !ok || id >= len(r.inflows) || r.inflows[id].came {
		return false
	}
	f := r.inflows[id]
	f.came, f.fd = true, n.fd
	f.bytes.Store(int64(preambleSize))
	r.begin(at)
	a.missing--
	r.workers.Add(1)
	go r.read(f)
	return true
}

func (a *acceptor) refuse(n *newcomer) {
	a.receiver.strays++
	_ = unix.Close(n.fd) // a stray's end is not our failure
}

// take accepts connections that wait.
func (a *acceptor) take() error {
	for range acceptBatch {
		fd, _, err := unix.Accept4(a.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch err {
		case nil:
		case unix.EAGAIN:
			return nil
		case unix.EINTR, unix.ECONNABORTED:
			continue
		default:
			return fmt.Errorf("accept a connection: %w", err)
		}
		if err := prepare(fd); err != nil {
			return closing(fd, err)
		}
		a.newcomers = append(a.newcomers, &newcomer{fd: fd, deadline: now() + int64(preambleTime)})
		if len(a.newcomers) > a.room {
			a.refuse(a.newcomers[0])
			a.newcomers = a.newcomers[1:]
		}
	}
	return nil
}
