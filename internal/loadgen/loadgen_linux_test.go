package loadgen

import (
	"errors"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccbench/internal/result"
)

// algorithms are four flows' worth of what this kernel has; every kernel has reno.
func fourAlgorithms() []string {
	names := []string{"reno", "reno"}
	for _, name := range []string{"cubic", "bbr"} {
		if TryAlgorithm(name) != nil {
			name = "reno"
		}
		names = append(names, name)
	}
	return names
}

func TestFlowsHaveTheirAlgorithms(t *testing.T) {
	names := fourAlgorithms()
	out := quick(names...).run(t)
	ports := map[int]bool{}
	for i, f := range out.sent.Flows {
		if f.Error != "" || f.MPTCP || f.Flow != i {
			t.Errorf("flow %d: error %q, MPTCP %v, id %d", i, f.Error, f.MPTCP, f.Flow)
		}
		got := []string{f.Requested, f.BeforeConnect, f.AfterConnect, f.AtEnd}
		if want := slices.Repeat([]string{names[i]}, 4); !slices.Equal(got, want) {
			t.Errorf("flow %d: algorithms %v, want %v", i, got, want)
		}
		if f.ConnectTime == nil || *f.ConnectTime <= 0 || *f.ConnectTime > patience.Seconds() {
			t.Errorf("flow %d: connect time %v", i, f.ConnectTime)
		}
		if f.MSS == nil || *f.MSS < 536 || *f.MSS > 65536 {
			t.Errorf("flow %d: MSS %v", i, f.MSS)
		}
		ports[f.LocalPort] = true
	}
	if len(ports) != 4 || ports[0] {
		t.Errorf("local ports %v, want four", ports)
	}
}

func TestBytesArriveAndAreCountedOnce(t *testing.T) {
	out := quick("reno", "reno", "reno", "reno").run(t)
	for i, f := range out.received.Flows {
		if f.Error != "" || f.Flow != i {
			t.Errorf("flow %d: error %q, id %d", i, f.Error, f.Flow)
		}
		open, shut, all := *f.ReceivedOpen, *f.ReceivedClose, *f.Received
		if open < 0 || shut <= open || all < shut {
			t.Errorf("flow %d: received %d at open, %d at close, %d in all", i, open, shut, all)
		}
		// What was acknowledged is in the receiver's hands, and it cannot have
		// more than was written. The SYN counts as one byte acknowledged.
		acked, written := *out.sent.Flows[i].Final.BytesAcked-1, out.sent.Written[i]
		if all < acked || all > written {
			t.Errorf("flow %d: received %d bytes, want between the %d acknowledged and the %d written", i, all, acked, written)
		}
	}
}

func TestWindowIsBetweenTheSameTwoSamples(t *testing.T) {
	s := shape{"127.0.0.1", []string{"reno", "reno"}, 105 * time.Millisecond, time.Second, 10 * time.Millisecond}
	out := s.run(t)
	for i, f := range out.sent.Flows {
		checkEdges(t, s, out.sent.Series[i].Columns["t"], f.Open.T, f.Close.T)
		if f.Final.T <= f.Close.T {
			t.Errorf("flow %d: last sample at %v, not after the close at %v", i, f.Final.T, f.Close.T)
		}
		if *f.Close.BytesAcked <= *f.Open.BytesAcked {
			t.Errorf("flow %d: acknowledged %d at open, %d at close", i, *f.Open.BytesAcked, *f.Close.BytesAcked)
		}
	}
	first := out.sent.Flows[0]
	if got, want := *out.sent.Window, first.Close.T-first.Open.T; got-want > 1e-9 || want-got > 1e-9 {
		t.Errorf("sender's window %v s, want %v", got, want)
	}
	// How late a sample is belongs to the machine, but here is the order of it.
	for _, w := range []float64{*out.sent.Window, *out.received.Window} {
		if w < 0.9 || w > 1.1 {
			t.Errorf("window of %v s, want about 1", w)
		}
	}
	t.Logf("windows %v and %v s", *out.sent.Window, *out.received.Window)
}

// checkEdges wants the open and the close among the samples, never early.
func checkEdges(t *testing.T, s shape, times result.Column, open, shut float64) {
	t.Helper()
	if open < s.warmup.Seconds() || shut < (s.warmup+s.duration).Seconds() {
		t.Errorf("window from %v to %v s is early", open, shut)
	}
	if !slices.Contains(times, open) || times[len(times)-1] != shut {
		t.Errorf("open %v and close %v are not among the samples, the close last", open, shut)
	}
	if !slices.IsSorted(times) || len(slices.Compact(slices.Clone(times))) != len(times) {
		t.Errorf("times of samples do not grow: %v", times)
	}
	// 111 multiples of 10 ms with 0, the open and the close; some may be missed, but not half.
	if n := len(times); n > 113 || n < 56 {
		t.Errorf("%d samples, want 113 or somewhat fewer", n)
	}
}

func TestReceiverSeries(t *testing.T) {
	s := quick("reno")
	out := s.run(t)
	columns := out.received.Series[0].Columns
	bytes, times := columns["bytes"], columns["t"]
	if len(bytes) != len(times) || len(bytes) < 3 {
		t.Fatalf("%d counts at %d times", len(bytes), len(times))
	}
	if !slices.IsSorted(bytes) || !slices.IsSorted(times) || times[0] < 0 {
		t.Errorf("samples run backwards: %v at %v", bytes, times)
	}
	if got := bytes[len(bytes)-1]; got != float64(*out.received.Flows[0].ReceivedClose) {
		t.Errorf("last count %v, want that of the close, %d", got, *out.received.Flows[0].ReceivedClose)
	}
	if got := times[len(times)-1]; got < (s.warmup + s.duration).Seconds() {
		t.Errorf("closed at %v s, which is early", got)
	}
}

func TestNoWarmup(t *testing.T) {
	s := quick("reno")
	s.warmup = 0
	out := s.run(t)
	if open := out.sent.Flows[0].Open; open == nil || open.T < 0 || open.T >= s.duration.Seconds() {
		t.Errorf("open %+v, want a sample at the start", open)
	}
	if out.received.Flows[0].ReceivedOpen == nil {
		t.Error("the receiver has no sample at the start")
	}
}

func TestIPv6(t *testing.T) {
	s := quick("reno", "reno")
	s.address = "::1"
	out := s.run(t)
	if n := *out.received.Flows[1].Received; n <= int64(preambleSize) {
		t.Errorf("%d bytes received over IPv6", n)
	}
}

func TestAbortIsAReset(t *testing.T) {
	s := quick("reno", "reno")
	r := s.receiver(t)
	sender := s.sender(t, r.Port())
	start(t, sender)
	finish(t, sender, r)
	for i, f := range r.inflows {
		if !errors.Is(f.ending, unix.ECONNRESET) {
			t.Errorf("flow %d ended with %v, want %v", i, f.ending, unix.ECONNRESET)
		}
	}
}

func TestProcessorTimes(t *testing.T) {
	out := quick("reno", "reno").run(t)
	cpu := out.sent.CPU
	if cpu == nil {
		t.Fatalf("no processor times: %s", out.sent.CPUError)
	}
	if cpu.CPUs < 1 || cpu.Window <= 0 || cpu.Busy < cpu.Own || cpu.Steal < 0 {
		t.Errorf("processor times %+v", cpu)
	}
	if got := *out.sent.Window; cpu.Window < got*0.9 || cpu.Window > got*1.1 {
		t.Errorf("processor times over %v s, the window was %v", cpu.Window, got)
	}
	// Two flows over loopback keep this process busy, within what there is.
	if most := cpu.Window * float64(cpu.CPUs); cpu.Own <= 0 || cpu.Own > most*1.1 {
		t.Errorf("own time %v s, want more than 0 and at most %v", cpu.Own, most)
	}
}

func TestProcessClockIsThatOfTheProcess(t *testing.T) {
	rusage := func() int64 {
		var r unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
			t.Fatal(err)
		}
		return r.Utime.Nano() + r.Stime.Nano()
	}
	var clock unix.Timespec
	before := rusage()
	if err := unix.ClockGettime(processClock(unix.Getpid()), &clock); err != nil {
		t.Fatal(err)
	}
	after := rusage()
	// rusage is cut to microseconds, user and system time each.
	if got := clock.Nano(); got < before-2000 || got > after+int64(time.Millisecond) {
		t.Errorf("process clock %d ns, rusage %d before and %d after", got, before, after)
	}
}

func BenchmarkLoopback(b *testing.B) {
	s := shape{"127.0.0.1", []string{"reno"}, 100 * time.Millisecond, time.Second, 10 * time.Millisecond}
	rate := 0.0
	for b.Loop() {
		out := s.run(b)
		f := out.received.Flows[0]
		rate += float64(*f.ReceivedClose-*f.ReceivedOpen) * 8 / *out.received.Window / 1e9
	}
	b.ReportMetric(rate/float64(b.N), "Gbit/s")
}
