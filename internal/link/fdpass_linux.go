package link

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// SendFD passes a copy of f's descriptor over a UNIX socket (SCM_RIGHTS, unix(7)).
func SendFD(socket, f *os.File) error {
	err := WithFD(socket, func(to int) error {
		return WithFD(f, func(fd int) error {
			// A byte goes along: a stream carries no control message alone.
			return unix.Sendmsg(to, []byte{0}, unix.UnixRights(fd), nil, unix.MSG_NOSIGNAL)
		})
	})
	if err != nil {
		return fmt.Errorf("pass the descriptor of %s: %w", f.Name(), err)
	}
	return nil
}

// ReceiveFD waits until deadline for one descriptor from SendFD and names it.
// The file is non-blocking and outside the runtime's poller, as OpenTUN's.
func ReceiveFD(socket *os.File, name string, deadline time.Time) (*os.File, error) {
	var file *os.File
	err := WithFD(socket, func(from int) error {
		if err := waitReadable(from, deadline); err != nil {
			return err
		}
		fd, err := receiveOne(from)
		if err != nil {
			return err
		}
		if file, err = outsidePoller(fd, name); err != nil {
			return errors.Join(err, unix.Close(fd))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("receive the descriptor of %s: %w", name, err)
	}
	return file, nil
}

func receiveOne(from int) (int, error) {
	// Room for more than one, so that a second is seen and closed.
	data, control := make([]byte, 1), make([]byte, unix.CmsgSpace(4*4))
	n, m, flags, _, err := unix.Recvmsg(from, data, control, unix.MSG_CMSG_CLOEXEC|unix.MSG_DONTWAIT)
	if err != nil {
		return -1, os.NewSyscallError("recvmsg", err)
	}
	fds, err := rights(control[:m])
	switch {
	case err != nil:
	case n == 0:
		err = fmt.Errorf("the other end closed without sending it: %w", io.ErrUnexpectedEOF)
	case flags&unix.MSG_CTRUNC != 0 || len(fds) != 1:
		err = fmt.Errorf("%d descriptors came instead of 1", len(fds))
	}
	if err != nil {
		for _, fd := range fds {
			err = errors.Join(err, unix.Close(fd))
		}
		return -1, err
	}
	return fds[0], nil
}

func rights(control []byte) ([]int, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil, err
	}
	var all []int
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		all = append(all, fds...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func waitReadable(fd int, deadline time.Time) error {
	for {
		left := max(0, time.Until(deadline))
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		// Rounded up: a deadline is not to be missed by a fraction.
		n, err := unix.Poll(fds, int((left+time.Millisecond-1)/time.Millisecond))
		switch {
		case err == unix.EINTR:
		case err != nil:
			return os.NewSyscallError("poll", err)
		case n > 0:
			return nil
		case left == 0:
			return os.ErrDeadlineExceeded
		}
	}
}

// WithFD lends the descriptor of f, which stays open meanwhile.
func WithFD(f *os.File, do func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = do(int(fd)) }); err != nil {
		return err
	}
	return failed
}
