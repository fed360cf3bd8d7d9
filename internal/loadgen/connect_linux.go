package loadgen

import (
	"context"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// connect connects all flows at once and returns when the last is established.
func connect(ctx context.Context, flows []*outflow, remote netip.AddrPort) error {
	cancelled, err := newEvent()
	if err != nil {
		return err
	}
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { defer close(fired); cancelled.happen() })
	err = connectAll(ctx, flows, remote, cancelled)
	if !stop() {
		<-fired // it has the event's descriptor in its hands
	}
	_ = cancelled.close() // an eventfd has nothing to lose
	if err != nil {
		return fmt.Errorf("connect to %v: %w", remote, err)
	}
	return nil
}

func connectAll(ctx context.Context, flows []*outflow, remote netip.AddrPort, cancelled *event) error {
	begun := make([]int64, len(flows))
	fds := make([]unix.PollFd, len(flows), len(flows)+1)
	for i, f := range flows {
		begun[i] = now()
		err := unix.Connect(f.fd, sockaddr(remote))
		if err != nil && err != unix.EINPROGRESS && err != unix.EINTR {
			return err
		}
		fds[i] = unix.PollFd{Fd: int32(f.fd), Events: unix.POLLOUT}
	}
	fds = append(fds, unix.PollFd{Fd: int32(cancelled.fd), Events: unix.POLLIN})
	for pending := len(flows); pending > 0; {
		if err := poll(fds, -1); err != nil {
			return err
		}
		if cancelled.happened() {
			return context.Cause(ctx)
		}
		n, err := collect(flows, fds, begun)
		if err != nil {
			return err
		}
		pending -= n
	}
	return nil
}

// collect finishes the flows that poll found ready and returns how many.
func collect(flows []*outflow, fds []unix.PollFd, begun []int64) (int, error) {
	at, n := now(), 0
	for i, f := range flows {
		if fds[i].Revents == 0 {
			continue
		}
		took := float64(at-begun[i]) / 1e9
		f.record.ConnectTime = &took
		fds[i] = unix.PollFd{Fd: -1} // poll passes over it
		n++
		if err := f.established(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// established reads what is known of the connection from now on.
func (f *outflow) established() error {
	errno, err := unix.GetsockoptInt(f.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && errno != 0 {
		err = unix.Errno(errno)
	}
	if err != nil {
		return err
	}
	if f.record.AfterConnect, err = algorithm(f.fd); err != nil {
		return err
	}
	if f.record.MPTCP, err = isMPTCP(f.fd); err != nil {
		return err
	}
	f.record.LocalPort, err = localPort(f.fd)
	return err
}
