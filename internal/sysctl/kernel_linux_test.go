package sysctl

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

var kernel = Dir{Root: "/proc/sys"}

// namespace moves the test's goroutine to a network namespace of its own. The
// goroutine keeps its thread, and the thread dies with it.
func namespace(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, of the machine or of a user namespace")
	}
	runtime.LockOSThread()
	must(t, unix.Unshare(unix.CLONE_NEWNET))
}

func TestKernelTakesAndRestores(t *testing.T) {
	namespace(t)
	const rmem = "net.ipv4.tcp_rmem"
	was, err := kernel.Read(rmem)
	must(t, err)
	s, err := kernel.Apply(map[string]string{rmem: "4096 20000 300000", "net.ipv4.tcp_sack": "0"})
	must(t, err)
	holds(t, kernel, map[string]string{rmem: "4096\t20000\t300000", "net.ipv4.tcp_sack": "0"})
	must(t, kernel.Restore(s))
	holds(t, kernel, map[string]string{rmem: was, "net.ipv4.tcp_sack": "1"})
}

// ENOENT of a write speaks of the value, not of the key.
func TestValueThatIsNotThere(t *testing.T) {
	namespace(t)
	err := kernel.Write("net.ipv4.tcp_congestion_control", "no_such_cc")
	var e *Error
	if !errors.As(err, &e) || e.Missing || !strings.Contains(err.Error(), `"no_such_cc" to sysctl net.ipv4.tcp_congestion_control: this kernel has nothing of that name`) {
		t.Errorf("got %v", err)
	}
}

func TestKernelRefuses(t *testing.T) {
	namespace(t)
	check := func(key, value string, kind error) {
		t.Helper()
		before, err := kernel.Read(key)
		must(t, err)
		_, err = kernel.Apply(map[string]string{"net.ipv4.ip_forward": "1", key: value})
		if kind != nil && !errors.Is(err, kind) || err == nil || strings.Contains(err.Error(), "putting back") {
			t.Errorf("%s = %q: got %v, want %v alone", key, value, err, kind)
		}
		holds(t, kernel, map[string]string{key: before, "net.ipv4.ip_forward": "0"})
	}
	check("net.ipv4.tcp_sack", "yes", syscall.EINVAL)
	check("net.ipv4.tcp_sack", "300", syscall.EINVAL)
	check("net.ipv4.tcp_congestion_control", "no_such_cc", fs.ErrNotExist)
	check("net.ipv4.tcp_available_congestion_control", "reno", fs.ErrPermission)
	check("net.ipv4.tcp_rmem", "4096 20000", nil) // two of three are taken, without an error
}

// The namespace is the calling thread's: another goroutine, on another
// thread, sees its own.
func TestFollowsTheThread(t *testing.T) {
	const key = "net.ipv4.tcp_sack"
	outside := make(chan string)
	ask := make(chan bool)
	go func() {
		for range ask {
			v, err := kernel.Read(key)
			if err != nil {
				v = err.Error()
			}
			outside <- v
		}
	}()
	defer close(ask)
	ask <- true
	was := <-outside
	namespace(t)
	must(t, kernel.Write(key, map[string]string{"0": "1", "1": "0"}[was]))
	ask <- true
	if now := <-outside; now != was {
		t.Errorf("another thread's %s went from %q to %q", key, was, now)
	}
}
