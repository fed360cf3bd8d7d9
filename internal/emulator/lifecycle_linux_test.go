package emulator

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestDrainWaitsForWhatIsHeld(t *testing.T) {
	const delay = 50 * time.Millisecond
	r := newRig(t, Config{Data: Direction{Delay: delay}, Ack: Direction{Delay: delay}, MTU: 1500}).start(t)
	in, out := r.sender.socket(t), r.receiver.socket(t)
	r.drained(t) // an idle path is empty at once
	go echo(out)
	begun := time.Now()
	burst(t, in, r.receiver.addr, 10, 8)
	short, cancel := context.WithTimeout(r.ctx, time.Millisecond)
	defer cancel()
	if err := r.Drain(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with 10 packets on their way: got %v, want the deadline", err)
	}
	r.drained(t)
	if took := time.Since(begun); took < delay {
		t.Errorf("drained after %v, before the delay of %v", took, delay)
	}
	if d := r.Stats().Data; d.PacketsOut != 10 || d.Held != 0 {
		t.Errorf("got %+v, want 10 out and none held", d)
	}
}

// What comes back, here for 20 s, is not waited for.
func TestFlushWaitsForWhatHasComeAndNoMore(t *testing.T) {
	const delay = 50 * time.Millisecond
	r := newRig(t, Config{Data: Direction{Delay: delay}, Ack: Direction{Delay: 20 * time.Second}, MTU: 1500}).start(t)
	in, out := r.sender.socket(t), r.receiver.socket(t)
	go echo(out)
	begun := time.Now()
	burst(t, in, r.receiver.addr, 10, 8)
	short, cancel := context.WithTimeout(r.ctx, time.Millisecond)
	defer cancel()
	if err := r.Flush(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with 10 packets on their way: got %v, want the deadline", err)
	}
	if err := r.Flush(r.ctx); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took < delay || took > 10*time.Second {
		t.Errorf("flushed after %v, want the delay of %v and not that of the way back", took, delay)
	}
	if d := r.Stats().Data; d.PacketsOut != 10 {
		t.Errorf("got %+v, want 10 out", d)
	}
}

func TestOneWakeUpIsEnoughForAllDrains(t *testing.T) {
	r := newRig(t, Config{MTU: 1500}) // not running: nobody else wakes anyone
	burst(t, r.sender.socket(t), r.receiver.addr, 1, 8)
	drained := make(chan error)
	for range 2 {
		go func() { drained <- r.Drain(r.ctx) }()
	}
	for r.waiters.Load() < 2 {
		runtime.Gosched()
	}
	select {
	case err := <-drained:
		t.Fatalf("drained with a packet unread: %v", err)
	default:
	}
	if err := withFD(r.sender.tun, func(fd int) error { _, err := unix.Read(fd, make([]byte, 2000)); return err }); err != nil {
		t.Fatal(err)
	}
	r.quieter()
	if err := errors.Join(<-drained, <-drained); err != nil {
		t.Error(err)
	}
}

func TestDrainEndsWithRun(t *testing.T) {
	r := newRig(t, Config{Data: Direction{Delay: time.Hour}, MTU: 1500}).start(t)
	burst(t, r.sender.socket(t), r.receiver.addr, 3, 8)
	drained := make(chan error)
	go func() { drained <- r.Drain(r.ctx) }()
	for r.waiters.Load() == 0 || r.Stats().Data.Held < 3 {
		runtime.Gosched()
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if err := <-drained; err == nil || !strings.Contains(err.Error(), "stopped") {
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
		if err := e.Drain(ctx); err != nil {
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
