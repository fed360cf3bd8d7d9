package loadgen

import (
	"context"
	"net/netip"
	"os"
	"testing"
	"time"
)

// patience bounds what must happen on any machine, however slow.
const patience = 20 * time.Second

var testToken = Token{1, 2, 3, 15: 16}

// shape is what a test chooses of a pair of ends.
type shape struct {
	address          string
	algorithms       []string
	warmup, duration time.Duration
	interval         time.Duration
}

func quick(algorithms ...string) shape {
	return shape{"127.0.0.1", algorithms, 50 * time.Millisecond, 200 * time.Millisecond, 10 * time.Millisecond}
}

func bounded(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func (s shape) receiver(t testing.TB) *Receiver {
	t.Helper()
	r, err := Listen(ReceiverConfig{Address: netip.AddrPortFrom(netip.MustParseAddr(s.address), 0),
		Flows: len(s.algorithms), Token: testToken, Warmup: s.warmup, Duration: s.duration, Interval: s.interval})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func (s shape) config(port int) SenderConfig {
	c := SenderConfig{Remote: netip.AddrPortFrom(netip.MustParseAddr(s.address), uint16(port)), Token: testToken,
		Warmup: s.warmup, Duration: s.duration, Interval: s.interval, CPUPIDs: []int{os.Getpid()}}
	for i, name := range s.algorithms {
		c.Flows = append(c.Flows, Flow{ID: i, Algorithm: name})
	}
	return c
}

func (s shape) sender(t testing.TB, port int) *Sender {
	t.Helper()
	sender, err := Dial(bounded(t), s.config(port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sender.Close() })
	return sender
}

func start(t testing.TB, s *Sender) {
	t.Helper()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
}

func awaitDone(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s did not happen in %v", what, patience)
	}
}

// outcome is a whole trial's.
type outcome struct {
	sent     *SenderReport
	received *ReceiverReport
}

// finish waits for both windows and ends both ends.
func finish(t testing.TB, s *Sender, r *Receiver) outcome {
	t.Helper()
	awaitDone(t, "the close of the sender's window", s.WindowClosed())
	awaitDone(t, "the close of the receiver's window", r.WindowClosed())
	sent, err := s.Finish()
	if err != nil {
		t.Fatal(err)
	}
	received, err := r.Finish(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	return outcome{sent, received}
}

func (s shape) run(t testing.TB) outcome {
	t.Helper()
	r := s.receiver(t)
	sender := s.sender(t, r.Port())
	start(t, sender)
	return finish(t, sender, r)
}
