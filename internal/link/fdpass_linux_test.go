package link

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func socketPair(t *testing.T) (near, far *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	near, far = os.NewFile(uintptr(fds[0]), "near"), os.NewFile(uintptr(fds[1]), "far")
	t.Cleanup(func() { _ = near.Close(); _ = far.Close() })
	return near, far
}

func TestDescriptorIsPassed(t *testing.T) {
	near, far := socketPair(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := SendFD(near, w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := ReceiveFD(far, "pipe", time.Now().Add(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := got.WriteString("through"); err != nil || got.Name() != "pipe" {
		t.Errorf("writing to %s: %v", got.Name(), err)
	}
	if err := got.Close(); err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(r); string(all) != "through" || err != nil {
		t.Errorf("got %q, %v, want %q", all, err, "through")
	}
}

func TestReceivedDescriptorDoesNotBlock(t *testing.T) {
	near, far := socketPair(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if err := SendFD(near, r); err != nil {
		t.Fatal(err)
	}
	got, err := ReceiveFD(far, "pipe", time.Now().Add(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if _, err := got.Read(make([]byte, 1)); !errors.Is(err, unix.EAGAIN) {
		t.Errorf("reading an empty pipe: got %v, want EAGAIN from outside the poller", err)
	}
}

func TestNoDescriptorComes(t *testing.T) {
	near, far := socketPair(t)
	check := func(what string, want error) {
		t.Helper()
		if _, err := ReceiveFD(far, "tun", time.Now().Add(10*time.Millisecond)); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", what, err, want)
		}
	}
	check("nothing sent", os.ErrDeadlineExceeded)
	if _, err := near.Write([]byte{0}); err != nil {
		t.Fatal(err)
	}
	if _, err := ReceiveFD(far, "tun", time.Now().Add(10*time.Second)); err == nil {
		t.Error("a byte without a descriptor was taken")
	}
	if err := near.Close(); err != nil {
		t.Fatal(err)
	}
	check("the other end closed", io.ErrUnexpectedEOF)
}

func TestSurplusDescriptorsAreClosed(t *testing.T) {
	near, far := socketPair(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fd := int(w.Fd())
	err = WithFD(near, func(to int) error {
		return unix.Sendmsg(to, []byte{0}, unix.UnixRights(fd, fd), nil, 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReceiveFD(far, "tun", time.Now().Add(10*time.Second)); err == nil {
		t.Error("two descriptors were taken for one")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	// The pipe ends only when no copy of its writing end is left.
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("got %v, want EOF", err)
	}
}
