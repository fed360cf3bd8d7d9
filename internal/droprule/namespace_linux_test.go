package droprule

import (
	"context"
	"encoding/binary"
	"net/netip"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// backend is System with the tools of one backend.
type backend struct {
	System
	name string // nft or legacy
}

func (b backend) Run(ctx context.Context, argv []string) (Output, error) {
	if argv[0] == "iptables" || argv[0] == "ip6tables" {
		argv = append([]string{argv[0] + "-" + b.name}, argv[1:]...)
	}
	return b.System.Run(ctx, argv)
}

func (b backend) need(t *testing.T) {
	t.Helper()
	if _, err := lookPath("iptables-" + b.name); err != nil {
		t.Skip(err)
	}
}

var backends = []backend{{name: "nft"}, {name: "legacy"}}

// namespace moves the test's goroutine to a network namespace of its own,
// with lo up. The goroutine keeps its thread, and the thread dies with it.
func namespace(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, of the machine or of a user namespace")
	}
	runtime.LockOSThread()
	must(t, unix.Unshare(unix.CLONE_NEWNET|unix.CLONE_NEWNS))
	hideLock(t)
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	must(t, err)
	lo.SetUint16(unix.IFF_UP)
	must(t, unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo))
}

// lockFile is what all users of the older backend on a machine lock.
const lockFile = "/run/xtables.lock"

// hideLock gives the test a /run of its own where it may, so that a fault
// would not make the lock file on this machine.
func hideLock(t *testing.T) {
	t.Helper()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err == nil {
		must(t, unix.Mount("tmpfs", "/run", "tmpfs", 0, ""))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wire sends packets with TCP headers over lo and sees which of them INPUT let
// pass: a raw socket is handed them next. TCP itself ignores them, as their
// checksums are wrong.
type wire struct {
	t       *testing.T
	rule    Rule
	out, in int
	to      unix.Sockaddr
	header  int // of IP
}

func newWire(t *testing.T, r Rule) *wire {
	t.Helper()
	w := &wire{t: t, rule: r, header: 20}
	family := unix.AF_INET
	w.to = &unix.SockaddrInet4{Addr: [4]byte(r.Destination.AsSlice()[:4])}
	if r.Destination.Is6() {
		family, w.header = unix.AF_INET6, 40
		w.to = &unix.SockaddrInet6{Addr: r.Destination.As16()}
	}
	w.out, w.in = rawSocket(t, family, unix.IPPROTO_RAW), rawSocket(t, family, unix.IPPROTO_TCP)
	timeout := unix.Timeval{Sec: 10}
	must(t, unix.SetsockoptTimeval(w.in, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout))
	return w
}

func rawSocket(t *testing.T, family, protocol int) int {
	t.Helper()
	fd, err := unix.Socket(family, unix.SOCK_RAW|unix.SOCK_CLOEXEC, protocol)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// packet describes one packet; zero fields are the rule's own.
type packet struct {
	length  int // of IP
	options int // bytes of TCP options
	flags   byte
	port    int
	source  netip.Addr
	seq     uint32
}

const (
	flagFIN = 0x01
	flagSYN = 0x02
	flagRST = 0x04
	flagACK = 0x10
	// sentinel is a port that no rule here names.
	sentinel = 9
)

func (w *wire) send(p packet) {
	w.t.Helper()
	if p.port == 0 {
		p.port = w.rule.Port
	}
	if !p.source.IsValid() {
		p.source = w.rule.Source
	}
	must(w.t, unix.Sendto(w.out, w.bytes(p), 0, w.to))
}

func (w *wire) bytes(p packet) []byte {
	b := make([]byte, p.length)
	if w.rule.Destination.Is6() {
		b[0], b[6], b[7] = 0x60, unix.IPPROTO_TCP, 64
		binary.BigEndian.PutUint16(b[4:], uint16(p.length-40))
		copy(b[8:], p.source.AsSlice())
		copy(b[24:], w.rule.Destination.AsSlice())
	} else {
		b[0], b[8], b[9] = 0x45, 64, unix.IPPROTO_TCP
		copy(b[12:], p.source.AsSlice())
		copy(b[16:], w.rule.Destination.AsSlice())
	}
	tcp := b[w.header:]
	binary.BigEndian.PutUint16(tcp[0:], 40000)
	binary.BigEndian.PutUint16(tcp[2:], uint16(p.port))
	binary.BigEndian.PutUint32(tcp[4:], p.seq)
	tcp[12] = byte((20 + p.options) / 4 << 4)
	tcp[13] = p.flags
	return b
}

// arrived is the sequence numbers of the rule's packets that passed INPUT up
// to a marker sent now. The thread stays on one CPU meanwhile, so lo keeps the order.
func (w *wire) arrived() []uint32 {
	w.t.Helper()
	w.send(packet{length: w.header + 20, flags: flagACK, port: sentinel})
	var seqs []uint32
	buf := make([]byte, 1<<16)
	for {
		n, _, err := unix.Recvfrom(w.in, buf, 0)
		if err == unix.EINTR {
			continue
		}
		must(w.t, err)
		tcp := buf[:n]
		if !w.rule.Destination.Is6() {
			tcp = tcp[20:] // a raw IPv4 socket is given the IP header
		}
		switch port := int(binary.BigEndian.Uint16(tcp[2:])); port {
		case sentinel:
			return seqs
		case w.rule.Port:
			seqs = append(seqs, binary.BigEndian.Uint32(tcp[4:]))
		}
	}
}

// data sends n data packets numbered from 1 and returns the numbers of those
// that passed, a few at a time so that no socket buffer overflows.
func (w *wire) data(n int) []uint32 {
	w.t.Helper()
	var seqs []uint32
	for i := 1; i <= n; i++ {
		w.send(packet{length: 1500, flags: flagACK, seq: uint32(i)})
		if i%25 == 0 || i == n {
			seqs = append(seqs, w.arrived()...)
		}
	}
	return seqs
}

// oneCPU holds the thread to one CPU: lo keeps the order only on each.
func oneCPU(t *testing.T) {
	t.Helper()
	first := 0
	var allowed, one unix.CPUSet
	must(t, unix.SchedGetaffinity(0, &allowed))
	for !allowed.IsSet(first) {
		first++
	}
	one.Set(first)
	must(t, unix.SchedSetaffinity(0, &one))
}

// settled reads the counters until so many packets have matched.
func settled(t *testing.T, i *Installed, matched int64) int64 {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		c, err := i.Read(t.Context())
		must(t, err)
		if c.Matched >= matched || time.Now().After(deadline) {
			if c.Matched != matched {
				t.Fatalf("matched %d, want %d", c.Matched, matched)
			}
			return c.Hits
		}
	}
}
