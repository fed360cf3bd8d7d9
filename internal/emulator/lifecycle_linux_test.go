package emulator

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// What comes back, here for 20 s, is not waited for.
func TestFlushWaitsForWhatHasComeAndNoMore(t *testing.T) {
	const delay = 50 * time.Millisecond
	r := newRig(t, Config{Data: Direction{Delay: delay}, Ack: Direction{Delay: 20 * time.Second}, MTU: 1500}).start(t)
	in, out := r.sender.socket(t), r.receiver.socket(t)
	r.flushed(t) // an idle path has nothing to wait for
	go echo(out)
	begun := time.Now()
	burst(t, in, r.receiver.addr, 10, 8)
	short, cancel := context.WithTimeout(r.ctx, time.Millisecond)
	defer cancel()
	if err := r.Flush(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with 10 packets on their way: got %v, want the deadline", err)
	}
	r.flushed(t)
	if took := time.Since(begun); took < delay || took > 10*time.Second {
		t.Errorf("flushed after %v, want the delay of %v and not that of the way back", took, delay)
	}
	if d := r.Stats().Data; d.PacketsOut != 10 {
		t.Errorf("got %+v, want 10 out", d)
	}
}

func TestFlushEndsWithRun(t *testing.T) {
	r := newRig(t, Config{Data: Direction{Delay: time.Hour}, MTU: 1500}).start(t)
	burst(t, r.sender.socket(t), r.receiver.addr, 3, 8)
	flushed := make(chan error)
	go func() { flushed <- r.Flush(r.ctx) }()
	for r.Stats().Data.Held < 3 {
		runtime.Gosched()
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if err := <-flushed; err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("got %v, want that it stopped", err)
	}
	if d := r.Stats().Data; d.Held != 3 || balance(d) != 0 {
		t.Errorf("got %+v, want 3 held for good", d)
	}
	if err := r.Run(r.ctx); err == nil {
		t.Error("it ran a second time")
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: makes network namespaces and TUN devices")
	}
	a, b := newEnd(t, "198.18.0.1/30"), newEnd(t, "198.18.0.2/30")
	descriptors, goroutines := openDescriptors(t), runtime.NumGoroutine()
	for range 5 {
		e, err := New(Config{MTU: 1500}, a.tun, b.tun)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- e.Run(ctx) }()
		if err := e.Flush(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if got := openDescriptors(t); got != descriptors {
		t.Errorf("%d descriptors are open, %d were before", got, descriptors)
	}
	// A goroutine that has sent its last word may take a moment to go.
	for until := time.Now().Add(deadline); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		if time.Now().After(until) {
			t.Fatalf("%d goroutines run, %d did before", runtime.NumGoroutine(), goroutines)
		}
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
