package emulator

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccbench/internal/link"
)

// deadline bounds every wait of these tests on a loaded machine.
const deadline = 30 * time.Second

// end is a namespace with a thread in it, and a TUN device of it.
type end struct {
	tun  *os.File
	addr netip.Addr
	jobs chan func()
}

func newEnd(t testing.TB, prefix string) *end {
	t.Helper()
	p := netip.MustParsePrefix(prefix)
	e := &end{addr: p.Addr(), jobs: make(chan func())}
	go func() {
		runtime.LockOSThread() // for good: the namespace ends with the thread
		for job := range e.jobs {
			job()
		}
	}()
	err := e.do(func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return err
		}
		e.tun, err = link.OpenTUN(link.TUN{Name: "ccb0", MTU: 1500, Address: p, TxQueueLen: 20_000})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		close(e.jobs)
		_ = e.tun.Close()
	})
	return e
}

// do runs f on the namespace's thread.
func (e *end) do(f func() error) error {
	result := make(chan error)
	e.jobs <- func() { result <- f() }
	return <-result
}

// ip runs iproute2 in the namespace.
func (e *end) ip(args ...string) error {
	return e.do(func() error {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %v: %w: %s", args, err, out)
		}
		return nil
	})
}

// socket is a UDP socket of the end, on port 9000, with room for all that the
// tests send.
func (e *end) socket(t testing.TB) *net.UDPConn {
	t.Helper()
	var conn *net.UDPConn
	err := e.do(func() (err error) {
		conn, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(e.addr, 9000)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Control(func(fd uintptr) {
		for option, value := range map[int]int{unix.SO_RCVBUFFORCE: 1 << 28, unix.SO_SNDBUFFORCE: 1 << 28, unix.SO_TIMESTAMPNS: 1} {
			if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, option, value); err != nil {
				t.Errorf("setsockopt %d: %v", option, err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// rig is an emulator between two ends.
type rig struct {
	*Emulator
	sender, receiver *end
	ctx              context.Context // of the test's waits
	cancel           context.CancelFunc
	ended            chan error
}

// newRig builds a rig; its emulator does not run yet.
func newRig(t testing.TB, cfg Config) *rig {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: makes network namespaces and TUN devices")
	}
	r := &rig{sender: newEnd(t, "198.18.0.1/30"), receiver: newEnd(t, "198.18.0.2/30")}
	e, err := New(cfg, r.sender.tun, r.receiver.tun)
	if err != nil {
		t.Fatal(err)
	}
	var done context.CancelFunc
	r.Emulator = e
	r.ctx, done = context.WithTimeout(context.Background(), deadline)
	t.Cleanup(done)
	return r
}

// start lets it run until stop or the end of the test.
func (r *rig) start(t testing.TB) *rig {
	running, cancel := context.WithCancel(context.Background())
	r.cancel, r.ended = cancel, make(chan error, 1)
	go func() { r.ended <- r.Run(running) }()
	t.Cleanup(func() { cancel(); <-r.done })
	return r
}

// stop ends Run and returns its error; once.
func (r *rig) stop() error {
	r.cancel()
	return <-r.ended
}

// flushed waits until what was sent has arrived or been dropped.
func (r *rig) flushed(t testing.TB) {
	t.Helper()
	if err := r.Flush(r.ctx); err != nil {
		t.Fatal(err)
	}
}

// ipSize is the IP packet's size with a UDP payload.
func ipSize(payload int) int { return 20 + 8 + payload }
