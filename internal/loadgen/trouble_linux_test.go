package loadgen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestUnknownAlgorithm(t *testing.T) {
	s := quick("reno", "cubik")
	r := s.receiver(t)
	_, err := Dial(bounded(t), s.config(r.Port()))
	for _, err := range []error{err, TryAlgorithm("cubik")} {
		var refused *CCError
		if !errors.As(err, &refused) {
			t.Fatalf("error %v, want a CCError", err)
		}
		if refused.Algorithm != "cubik" || refused.Errno != unix.ENOENT || !slices.Contains(refused.Available, "reno") {
			t.Errorf("refused: %+v", refused)
		}
	}
	if err := TryAlgorithm("reno"); err != nil {
		t.Errorf("reno: %v", err)
	}
}

// An ordinary user on a host of others may use only what is allowed.
func TestAlgorithmNotAllowed(t *testing.T) {
	available := readNames("/proc/sys/net/ipv4/tcp_available_congestion_control")
	allowed := readNames("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
	i := slices.IndexFunc(available, func(n string) bool { return !slices.Contains(allowed, n) })
	if i < 0 {
		t.Skipf("all of %v are allowed to everybody here", available)
	}
	got := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends without its capabilities
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var none [2]unix.CapUserData
		if err := unix.Capset(&header, &none[0]); err != nil {
			got <- err
			return
		}
		got <- TryAlgorithm(available[i])
	}()
	var refused *CCError
	if err := <-got; !errors.As(err, &refused) || refused.Errno != unix.EPERM {
		t.Fatalf("%s without capabilities: %v, want a CCError with EPERM", available[i], err)
	}
	if !slices.Equal(refused.Allowed, allowed) {
		t.Errorf("allowed %v, want %v", refused.Allowed, allowed)
	}
}

func TestStraysDoNotDisturb(t *testing.T) {
	s := quick("reno", "reno", "reno", "reno")
	r := s.receiver(t)
	address := netip.AddrPortFrom(netip.MustParseAddr(s.address), uint16(r.Port())).String()
	stray := func(say []byte) net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write(say); err != nil {
			t.Fatal(err)
		}
		return c
	}
	silent := func(n int) {
		for range n {
			c := stray(nil)
			t.Cleanup(func() { c.Close() })
		}
	}
	silent(200)
	sender := s.sender(t, r.Port())
	silent(200)
	wrong := testToken
	wrong[15]++
	for i := range 600 {
		say := encodePreamble(wrong, i%4)
		if i%2 == 0 {
			say = encodePreamble(testToken, 4+i) // no such flow
		}
		c := stray(say)
		// That this one is turned away proves that those before it were accepted.
		if _, err := c.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
			t.Fatalf("stray %d was not turned away: %v", i, err)
		}
		c.Close()
	}
	start(t, sender)
	out := finish(t, sender, r)
	if out.received.Strays != 1000 {
		t.Errorf("%d strays, want 1000", out.received.Strays)
	}
	for i := range out.sent.Flows {
		if a, b := out.sent.Flows[i].Error, out.received.Flows[i].Error; a != "" || b != "" {
			t.Errorf("flow %d: %q at the sender, %q at the receiver", i, a, b)
		}
	}
}

// A second connection that knows the token is not the flow.
func TestOneConnectionAFlow(t *testing.T) {
	s := quick("reno", "reno")
	r := s.receiver(t)
	address := netip.AddrPortFrom(netip.MustParseAddr(s.address), uint16(r.Port())).String()
	first, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	// In two parts, as a network may deliver it.
	preamble := encodePreamble(testToken, 0)
	for _, part := range [][]byte{preamble[:7], preamble[7:], []byte("12345")} {
		if _, err := first.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := second.Write(preamble); err != nil {
		t.Fatal(err)
	}
	// Either may be the flow; the other one is turned away.
	first.SetReadDeadline(time.Now().Add(patience))
	second.SetReadDeadline(time.Now().Add(patience))
	ended := make(chan error, 2)
	for _, c := range []net.Conn{first, second} {
		go func() { _, err := c.Read(make([]byte, 1)); ended <- err }()
	}
	if err := <-ended; err == nil || os.IsTimeout(err) {
		t.Fatalf("neither connection was turned away: %v", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	report, err := r.Finish(ctx)
	if err != nil || !slices.Equal(report.Unended, []int{0, 1}) {
		t.Errorf("unended %v, error %v, want both flows and no error", report.Unended, err)
	}
	if report.Strays != 1 {
		t.Errorf("%d strays, want 1", report.Strays)
	}
	if f := report.Flows[0]; f.Error != "" || f.Received == nil || *f.Received < int64(preambleSize) {
		t.Errorf("flow 0: %+v", f)
	}
	if f := report.Flows[1]; f.Error == "" || f.Received != nil || f.ReceivedOpen != nil {
		t.Errorf("flow 1 never came, but: %+v", f)
	}
	if report.Window != nil {
		t.Errorf("window %v, want none", *report.Window)
	}
}

func TestOrderlyEndAndNothingCopied(t *testing.T) {
	r := quick("reno").receiver(t)
	c, err := net.DialTCP("tcp4", nil, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: r.Port()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(append(encodePreamble(testToken, 0), bytes.Repeat([]byte{0xff}, 1000)...)); err != nil {
		t.Fatal(err)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	report, err := r.Finish(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := *report.Flows[0].Received; got != 1020 {
		t.Errorf("%d bytes received, want 1020", got)
	}
	if got := report.Flows[0].Error; !strings.Contains(got, errEnd.Error()) {
		t.Errorf("error %q, want one about an end before the window's", got)
	}
	if bytes.IndexByte(zeros, 0xff) >= 0 {
		t.Error("the kernel copied what it received")
	}
}

// listenPlain gives a listener that does not know us, and its port.
func listenPlain(t *testing.T) (*net.TCPListener, int) {
	t.Helper()
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, l.Addr().(*net.TCPAddr).Port
}

func TestFinishEndsABlockedWriter(t *testing.T) {
	_, port := listenPlain(t) // accepts nothing, reads nothing
	sender := quick("reno").sender(t, port)
	start(t, sender)
	awaitDone(t, "the close of the window", sender.WindowClosed())
	ended := make(chan struct{})
	var report *SenderReport
	var err error
	go func() {
		defer close(ended)
		report, err = sender.Finish()
	}()
	awaitDone(t, "the end of a blocked writer", ended)
	if err != nil {
		t.Fatal(err)
	}
	if f := report.Flows[0]; f.Error != "" || f.Final == nil {
		t.Errorf("flow: %+v", f)
	}
	if p := sender.Progress(); p.Acked == nil || *p.Acked <= 0 || p.Elapsed <= 0 {
		t.Errorf("progress %+v", p)
	}
}

func TestFinishBeforeTheWindowCloses(t *testing.T) {
	s := quick("reno")
	s.duration = time.Hour
	s.interval = time.Minute
	r := s.receiver(t)
	sender := s.sender(t, r.Port())
	if p := sender.Progress(); p.Acked != nil || p.Elapsed != 0 {
		t.Errorf("progress before the start: %+v", p)
	}
	start(t, sender)
	sent, err := sender.Finish()
	if err != nil {
		t.Fatal(err)
	}
	awaitDone(t, "the end of the sender's samples", sender.WindowClosed())
	if f := sent.Flows[0]; sent.Window != nil || sent.CPU != nil || f.Close != nil || f.Final == nil {
		t.Errorf("sender's report %+v, want no close", sent)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // the flow may not even have come
	received, _ := r.Finish(ctx)
	awaitDone(t, "the end of the receiver's samples", r.WindowClosed())
	if received.Window != nil || received.Flows[0].ReceivedClose != nil {
		t.Errorf("receiver's report %+v, want no close", received)
	}
}

func TestOneFlowDiesAndTheOtherGoesOn(t *testing.T) {
	listener, port := listenPlain(t)
	go func() {
		for i := range 2 {
			c, err := listener.AcceptTCP()
			if err != nil {
				return
			}
			if i == 0 {
				_, _ = c.Read(make([]byte, 1))
				_ = c.SetLinger(0)
				c.Close()
				continue
			}
			_, _ = io.Copy(io.Discard, c)
			c.Close()
		}
	}()
	sender := quick("reno", "reno").sender(t, port)
	start(t, sender)
	awaitDone(t, "the close of the window", sender.WindowClosed())
	report, err := sender.Finish()
	if err != nil {
		t.Fatal(err)
	}
	var died, lived int
	for _, f := range report.Flows {
		switch {
		case f.Error == "" && *f.Close.BytesAcked > *f.Open.BytesAcked:
			lived++
		case strings.Contains(f.Error, "connection reset") || strings.Contains(f.Error, "broken pipe"):
			died++
		default:
			t.Errorf("flow: %+v", f)
		}
		if f.Final == nil || f.Final.BytesSent == nil {
			t.Errorf("no last sample: %+v", f)
		}
	}
	if died != 1 || lived != 1 {
		t.Errorf("%d flows died and %d lived, want one each", died, lived)
	}
}

func TestReceiverSaysWhichFlowEndedEarly(t *testing.T) {
	s := quick("reno", "reno")
	s.duration = time.Hour
	r := s.receiver(t)
	sender := s.sender(t, r.Port())
	start(t, sender)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); runtime.Gosched() {
		if r.inflows[0].bytes.Load() > 0 && r.inflows[1].bytes.Load() > 0 {
			break
		}
	}
	if _, err := sender.Finish(); err != nil {
		t.Fatal(err)
	}
	report, err := r.Finish(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Flows {
		if !strings.Contains(f.Error, "before the receiver's window closed") {
			t.Errorf("flow %d: error %q", f.Flow, f.Error)
		}
	}
}

func TestDialFails(t *testing.T) {
	listener, port := listenPlain(t)
	listener.Close()
	if _, err := Dial(bounded(t), quick("reno").config(port)); !errors.Is(err, unix.ECONNREFUSED) {
		t.Errorf("error %v, want %v", err, unix.ECONNREFUSED)
	}
	c := quick("reno").config(port)
	c.Local = netip.MustParseAddr("192.0.2.1")
	if _, err := Dial(bounded(t), c); !errors.Is(err, unix.EADDRNOTAVAIL) {
		t.Errorf("error %v, want %v", err, unix.EADDRNOTAVAIL)
	}
	c = quick("reno").config(port)
	c.CPUPIDs = []int{os.Getppid(), maxPID - 1} // one of ours, and most likely none
	if _, err := Dial(bounded(t), c); !errors.Is(err, unix.EINVAL) || !strings.Contains(err.Error(), "process 4194303") {
		t.Errorf("error %v, want one about the process", err)
	}
}

func TestDialIsCancelled(t *testing.T) {
	// A full backlog makes the kernel ignore a SYN.
	fd, err := listen(ReceiverConfig{Address: netip.MustParseAddrPort("127.0.0.1:0")})
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	port, err := localPort(fd)
	if err != nil {
		t.Fatal(err)
	}
	s := quick("reno")
	s.sender(t, port)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, s.config(port)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestLifeOfASenderAndAReceiver(t *testing.T) {
	s := quick("reno")
	r := s.receiver(t)
	sender := s.sender(t, r.Port())
	if _, err := sender.Finish(); err == nil {
		t.Error("finished before the start")
	}
	start(t, sender)
	if err := sender.Start(); err == nil {
		t.Error("started twice")
	}
	finish(t, sender, r)
	if _, err := sender.Finish(); err == nil {
		t.Error("finished twice")
	}
	if _, err := r.Finish(bounded(t)); err == nil {
		t.Error("the receiver finished twice")
	}
	for _, err := range []error{sender.Close(), r.Close(), sender.Close(), r.Close()} {
		if err != nil {
			t.Errorf("close after the end: %v", err)
		}
	}
	if err := sender.Start(); err == nil {
		t.Error("started after the end")
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestNothingIsLeft(t *testing.T) {
	s := quick("reno", "reno")
	s.warmup, s.duration = 0, 20*time.Millisecond
	s.run(t) // whatever the runtime opens once is open now
	fds, goroutines := descriptors(t), runtime.NumGoroutine()
	for range 3 {
		s.run(t)
		r := s.receiver(t)
		sender := s.sender(t, r.Port())
		sender.Close() // before the start
		r.Close()
		r = s.receiver(t)
		sender = s.sender(t, r.Port())
		start(t, sender)
		sender.Close() // in the middle
		r.Close()
		if _, err := Dial(bounded(t), s.config(r.Port())); err == nil {
			t.Error("a closed receiver still listens")
		}
		if _, err := Dial(bounded(t), quick("cubik").config(r.Port())); err == nil {
			t.Error("no error for an unknown algorithm")
		}
	}
	if got := descriptors(t); got != fds {
		t.Errorf("%d descriptors, %d before", got, fds)
	}
	// A goroutine that has said it is done may still be on its last step.
	deadline := time.Now().Add(patience)
	for runtime.NumGoroutine() > goroutines && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if got := runtime.NumGoroutine(); got > goroutines {
		t.Errorf("%d goroutines, %d before", got, goroutines)
	}
}

func TestTheWindowAllocatesNothing(t *testing.T) {
	s := quick("reno", "reno")
	r := s.receiver(t)
	_, port := listenPlain(t)
	sender := s.sender(t, port)
	check := func(what string, f func()) {
		t.Helper()
		if n := testing.AllocsPerRun(50, f); n != 0 {
			t.Errorf("%s allocates %v times, want 0", what, n)
		}
	}
	check("a sample", func() { sender.sample(0, inside) })
	check("an edge of the window", func() { sender.sample(0, opens); sender.sample(1, closes) })
	check("a wait for the timer", func() {
		if live, err := sender.sampler.alarm.wait(now(), sender.stop); !live || err != nil {
			t.Error(live, err)
		}
	})
	check("a write", func() {
		if _, err := write(sender.flows[0].fd, nil); err != nil && err != unix.EAGAIN {
			t.Error(err)
		}
	})
	check("a sample of the receiver", func() { r.sample(0, inside) })
}
