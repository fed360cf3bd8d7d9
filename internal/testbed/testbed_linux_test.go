package testbed

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccbench/internal/agent/wire"
	"ccbench/internal/experiment"
	"ccbench/internal/plan"
	"ccbench/internal/result"
)

// A path without loss carries what its rate lets through: at 100 Mbit/s with
// 1514-byte frames 95.64 Mbit/s of payload, less what a full buffer costs reno
// and cubic, and probing bbr.
func TestCleanPath(t *testing.T) {
	needRoot(t)
	for algorithm, test := range map[string]struct {
		low    float64 // bit/s
		warmup time.Duration
	}{
		// Slow start overshoots, and takes one to three recoveries to make up
		// for it. From a quarter of its peak reno needs 165 round trips to fill
		// the path again.
		"reno":  {94.0e6, 10 * time.Second},
		"cubic": {94.0e6, 10 * time.Second},
		"bbr":   {91.5e6, 2 * time.Second},
	} {
		t.Run(algorithm, func(t *testing.T) {
			m := undisturbed(t, trial(algorithm, func(tr *plan.Trial) {
				tr.Warmup, tr.Duration = test.warmup, 4*time.Second
			}))
			m.valid(t)
			m.within(t, "goodput", test.low, 95.7e6)
			m.within(t, "rtt_min", 0.0400, 0.0406)
			asked := result.Path{Rate: 100_000_000, RTT: 0.04, Buffer: 500_000, Overhead: 14, MTU: 1500, Data: m.Path.Data, Ack: m.Path.Ack}
			if *m.Path != asked {
				t.Errorf("the emulated path was %+v, want %+v", *m.Path, asked)
			}
			t.Logf("goodput %.2f Mbit/s, rtt_min %.3f ms, rtt_mean %.2f ms, queue drops %g",
				m.metric(t, "goodput")/1e6, 1e3*m.metric(t, "rtt_min"), 1e3*m.metric(t, "rtt_mean"), m.metric(t, "drops_queue"))
		})
	}
}

func every100(first int) func(*plan.Trial) {
	return func(tr *plan.Trial) {
		tr.Drop = &experiment.Drop{Mode: experiment.Nth, Every: 100, First: first, Unit: "segment"}
		tr.Duration = 4 * time.Second
	}
}

// The rule hits exactly every 100th data packet, and a packet socket on the
// receiver's device, which sees packets before the rule does, confirms which.
func TestDropPositions(t *testing.T) {
	needRoot(t)
	for _, first := range []int{1, 37, 100} {
		c := make(chan capture, 1)
		m, nsids := carry(t, trial("reno", every100(first)), func(a Agent) {
			if a.Role != wire.RoleReceiver {
				return
			}
			opened, err := captureIn(a.PID)
			if err != nil {
				t.Error(err)
			}
			c <- opened
		})
		checkPositions(t, m, first, (<-c).segments(t))
		gone(t, nsids)
	}
}

func checkPositions(t *testing.T, m measured, first int, seen []segment) {
	t.Helper()
	final := m.Drop.Final
	data := dataSegments(t, m, seen)
	if int64(len(data)) != final.Matched {
		t.Errorf("first %d: the rule matched %d packets, the packet socket saw %d with data", first, final.Matched, len(data))
	}
	if want := max(0, (final.Matched+100-int64(first))/100); final.Hits != want || final.Overlong != 0 {
		t.Errorf("first %d: %d hits and %d overlong of %d matched, want %d and 0", first, final.Hits, final.Overlong, final.Matched, want)
	}
	if final.Hits < 5 {
		t.Fatalf("first %d: only %d hits: nothing is proven", first, final.Hits)
	}
	dropped := repeated(data)
	var want []int
	for at := first - 1; at < len(data); at += 100 {
		want = append(want, at)
	}
	// The last may have been dropped too late to be sent again.
	if !slices.Equal(dropped, want) && !slices.Equal(dropped, want[:len(want)-1]) {
		t.Errorf("first %d: sent again were the data packets at %v, want those at %v", first, dropped, want)
	}
}

// dataSegments picks the flow's data out of what was seen, and makes sure that
// there was nothing but the flow: one SYN, the data, the abort, and the ACKs.
func dataSegments(t *testing.T, m measured, seen []segment) []segment {
	t.Helper()
	var data []segment
	var syns, resets, acks int
	for _, s := range seen {
		port := s.source
		if s.outgoing {
			port = s.dest
		}
		switch {
		case s.foreign || int(port) != m.Flows[0].LocalPort:
			t.Errorf("a packet that is not the flow's: %+v", s)
		case s.outgoing:
			acks++
		case s.flags&flagSYN != 0:
			syns++
		case s.payload > 0:
			data = append(data, s)
		case s.flags&flagRST != 0:
			resets++
		}
		if s.length > 1500 {
			t.Errorf("a packet of %d bytes", s.length)
		}
	}
	if syns != 1 || resets == 0 || acks == 0 {
		t.Errorf("%d SYNs, %d resets, %d packets back; want 1, some, some", syns, resets, acks)
	}
	return data
}

// repeated returns the positions of the data packets whose bytes came again later.
func repeated(data []segment) []int {
	var positions []int
	last := map[uint32]int{}
	for i, s := range data {
		if at, ok := last[s.seq]; ok {
			positions = append(positions, at)
		}
		last[s.seq] = i
	}
	slices.Sort(positions)
	return positions
}

// Every packet lost is sent again, and nothing else is.
func TestRetransmitsMatchDrops(t *testing.T) {
	needRoot(t)
	for _, algorithm := range []string{"reno", "cubic", "bbr"} {
		t.Run(algorithm, func(t *testing.T) {
			m := undisturbed(t, trial(algorithm, func(tr *plan.Trial) {
				every100(50)(tr)
				tr.Warmup = time.Second // bbr has left its start by then
			}))
			m.valid(t)
			hits := float64(m.Drop.AtAbort.Hits)
			extra := float64(*m.Flows[0].Final.TotalRetrans) - hits - float64(m.Path.Data.DropsQueue)
			t.Logf("%g hits, %d queue drops, %g retransmits beyond them", hits, m.Path.Data.DropsQueue, extra)
			// bbr fills the path: what it has in flight at the abort, about
			// two BDP of 330 packets, holds some hits not sent again yet.
			if allowed := max(3, 0.1*hits); math.Abs(extra) > allowed {
				t.Errorf("%g retransmits beyond the losses, allowed %g", extra, allowed)
			}
		})
	}
}

func TestRandomDrop(t *testing.T) {
	needRoot(t)
	m := do(t, trial("bbr", func(tr *plan.Trial) {
		tr.Drop = &experiment.Drop{Mode: experiment.Random, Probability: 0.02, Unit: "segment"}
	}), nil)
	if m.Drop.Final.Matched < 100 || m.Drop.Final.Hits == 0 {
		t.Errorf("%d hits of %d", m.Drop.Final.Hits, m.Drop.Final.Matched)
	}
}

// Four flows that a loss keeps small, so that none of them depends on how the
// others leave slow start: some 3 Mbit/s each.
func TestFlowsStartTogether(t *testing.T) {
	needRoot(t)
	m := undisturbed(t, trial("cubic", func(tr *plan.Trial) {
		every100(50)(tr)
		tr.Flows = nil
		for i := range 4 {
			tr.Flows = append(tr.Flows, plan.Flow{ID: i, Algorithm: "cubic", Kernel: "cubic"})
		}
		tr.Warmup, tr.Duration = time.Second, 2*time.Second
	}))
	m.valid(t)
	if len(m.Flows) != 4 || len(m.series) != 8 {
		t.Fatalf("%d flows and %d series, want 4 and 8", len(m.Flows), len(m.series))
	}
	m.within(t, "goodput", 6e6, 24e6)
	for _, f := range m.Flows {
		// Times are from the common start; a flow's own share of the path says
		// that it took part from the beginning.
		if math.Abs(f.Open.T-1) > 0.01 || *f.ReceivedOpen < 50_000 {
			t.Errorf("flow %d: %d bytes at the window's open at %g s", f.Flow, *f.ReceivedOpen, f.Open.T)
		}
	}
}

func TestDirect(t *testing.T) {
	needRoot(t)
	for _, drop := range []bool{false, true} {
		m := do(t, trial("reno", func(tr *plan.Trial) {
			tr.Path = experiment.Path{Engine: experiment.Direct, MTU: 1500}
			if drop {
				tr.Drop = &experiment.Drop{Mode: experiment.Nth, Every: 100, First: 10, Unit: "segment"}
			}
		}), nil)
		if m.Path != nil || m.metric(t, "goodput") < 10e6 {
			t.Errorf("drop %v: path %v, goodput %g", drop, m.Path, m.metric(t, "goodput"))
		}
		for _, l := range m.Links {
			// A rule counts packets only where none is longer than the wire's.
			if l.Offloads == drop || l.Qdisc != "pfifo" || l.MTU != 1500 {
				t.Errorf("drop %v: %s's device: offloads %v, qdisc %s, MTU %d", drop, l.Side, l.Offloads, l.Qdisc, l.MTU)
			}
		}
		if drop && (m.Drop.Final.Overlong != 0 || m.Drop.Final.Hits != (m.Drop.Final.Matched+90)/100) {
			t.Errorf("counters %+v", *m.Drop.Final)
		}
	}
}

func TestSysctlReachesBothEnds(t *testing.T) {
	needRoot(t)
	m := do(t, trial("reno", func(tr *plan.Trial) {
		tr.Sysctl = map[string]string{"net.ipv4.tcp_ecn": "1", "net.ipv4.tcp_timestamps": "0"}
	}), nil)
	// Without the timestamp option a segment carries its 12 bytes of payload more.
	if mss := m.Flows[0].MSS; mss == nil || *mss != 1460 {
		t.Errorf("MSS %v, want 1460", mss)
	}
}

// planFor is a plan of one arm.
func planFor(algorithm string, change func(*plan.Trial)) *plan.Plan {
	return &plan.Plan{Trials: []plan.Trial{trial(algorithm, change)}}
}

func TestCheckRefuses(t *testing.T) {
	needRoot(t)
	bed := New(Options{Version: testVersion})
	for name, test := range map[string]struct {
		plan       *plan.Plan
		want, hint string
	}{
		"an algorithm that is not there": {planFor("cubik", nil), "cubik", "cubic"},
		"a sysctl that is not there": {planFor("reno", func(tr *plan.Trial) {
			tr.Sysctl = map[string]string{"net.ipv4.tcp_ecm": "1"}
		}), "net.ipv4.tcp_ecm", ""},
		"a sysctl value that is refused": {planFor("reno", func(tr *plan.Trial) {
			tr.Sysctl = map[string]string{"net.ipv4.tcp_ecn": "77"}
		}), "net.ipv4.tcp_ecn", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bed.Check(t.Context(), test.plan)
			var refusal *Refusal
			if !errors.As(err, &refusal) || len(refusal.Found) != 1 || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(refusal.Found[0].Hint(), test.hint) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCheckDescribesTheHost(t *testing.T) {
	needRoot(t)
	hosts, err := New(Options{Version: testVersion}).Check(t.Context(), planFor("reno", every100(1)))
	if err != nil || len(hosts) != 1 {
		t.Fatalf("%d hosts, %v", len(hosts), err)
	}
	h := hosts[0]
	if h.Kernel == "" || h.BootID == "" || !slices.Contains(h.Available, "reno") ||
		!strings.HasPrefix(h.Tools["iptables"], "iptables v") || h.Sysctl["net.ipv4.tcp_no_metrics_save"] != "1" {
		t.Errorf("host %+v", h)
	}
}

// A trial whose algorithm is refused says so, so that its arm can be given up.
func TestTrialWithoutItsAlgorithm(t *testing.T) {
	needRoot(t)
	record, _, err := New(Options{Version: testVersion}).Trial(t.Context(), trial("nosuch", nil), func(Progress) {})
	if !errors.Is(err, ErrAlgorithm) || record == nil {
		t.Errorf("got %v", err)
	}
}

// Whatever agent dies in the window, the trial ends at once with its name.
func TestAgentDiesInTheWindow(t *testing.T) {
	needRoot(t)
	long := func(tr *plan.Trial) { tr.Duration = time.Hour }
	for _, role := range []wire.Role{wire.RoleSender, wire.RoleReceiver, wire.RolePath} {
		t.Run(string(role), func(t *testing.T) {
			dies(t, role, trial("reno", long), true, 5*time.Second)
		})
	}
}

// So it does when it dies while another is being waited for: a handshake over a
// round trip of 4 s.
func TestAgentDiesInTheHandshake(t *testing.T) {
	needRoot(t)
	slow := func(tr *plan.Trial) { tr.Path.RTT = 4 * time.Second }
	for _, role := range []wire.Role{wire.RoleSender, wire.RoleReceiver, wire.RolePath} {
		t.Run(string(role), func(t *testing.T) {
			dies(t, role, trial("reno", slow), false, 3*time.Second)
		})
	}
}

// dies kills an agent of a trial, once data flows or as soon as it has been
// started, and looks at how the trial ends.
func dies(t *testing.T, role wire.Role, tr plan.Trial, flowing bool, limit time.Duration) {
	t.Helper()
	var nsids []int
	pid := make(chan int, 1)
	bed := New(Options{Version: testVersion, Started: func(a Agent) {
		nsids = append(nsids, a.NSID)
		if a.Role == role {
			pid <- a.PID
		}
	}})
	begun := time.Now()
	var once sync.Once
	kill := func() { unix.Kill(<-pid, unix.SIGKILL) }
	if !flowing {
		go kill()
	}
	_, _, err := bed.Trial(t.Context(), tr, func(Progress) {
		if flowing {
			once.Do(kill)
		}
	})
	if err == nil || !strings.Contains(err.Error(), string(role)+" agent ended") || !strings.Contains(err.Error(), "killed") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(begun); took > limit {
		t.Errorf("it took %v", took)
	}
	gone(t, nsids)
}

// A series that does not fit a frame comes whole all the same.
func TestLongSeries(t *testing.T) {
	needRoot(t)
	m := do(t, trial("reno", func(tr *plan.Trial) { tr.Interval, tr.Duration = 4*time.Microsecond, 2*time.Second }), nil)
	samples := 0
	for _, s := range m.series {
		samples = max(samples, len(s.Columns["t"]))
		for name, column := range s.Columns {
			if len(column) != len(s.Columns["t"]) {
				t.Errorf("%s: %d values of %s for %d times", s.Side, len(column), name, len(s.Columns["t"]))
			}
		}
		if times := s.Columns["t"]; !slices.IsSorted(times) {
			t.Errorf("%s: the times are not in order", s.Side)
		}
	}
	// 500,000 are asked for; even a loaded machine takes a part of them.
	if samples <= samplesAtOnce {
		t.Errorf("%d samples came in one part: nothing is proven", samples)
	}
}

func TestInterruptedTrialIsUndone(t *testing.T) {
	needRoot(t)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var nsids []int
	bed := New(Options{Version: testVersion, Started: func(a Agent) { nsids = append(nsids, a.NSID) }})
	_, _, err := bed.Trial(ctx, trial("reno", func(tr *plan.Trial) { tr.Duration = time.Hour }), func(Progress) { cancel(why) })
	if !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	gone(t, nsids)
}

func TestSizes(t *testing.T) {
	small, large := trial("reno", nil), trial("reno", func(tr *plan.Trial) {
		tr.Path.Rate, tr.Path.Buffer.Bytes = 10_000_000_000, 50_000_000
	})
	if got := txQueueLen(small); got != minTxQueueLen {
		t.Errorf("txqueuelen %d, want %d", got, minTxQueueLen)
	}
	// 4 x (BDP 50 MB + buffer 50 MB) in packets of 1500 bytes.
	if got := txQueueLen(large); got != 400_000_000/1500 {
		t.Errorf("txqueuelen %d, want %d", got, 400_000_000/1500)
	}
	if got := sysctls(large)["net.ipv4.tcp_rmem"]; got != "4096 131072 400000000" {
		t.Errorf("tcp_rmem %q", got)
	}
	large.Sysctl = map[string]string{"net.ipv4.tcp_rmem": "4096 8192 16384"}
	if got := sysctls(large)["net.ipv4.tcp_rmem"]; got != "4096 8192 16384" {
		t.Errorf("tcp_rmem %q: the experiment's own must win", got)
	}
}

func TestMerge(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	var record result.Trial
	merge(&record,
		wire.FlowReport{Flows: []result.Flow{{Flow: 0, Error: "sent badly"}, {Flow: 1}}},
		wire.FlowReport{Flows: []result.Flow{{Flow: 1, Received: n(5), Error: "received badly"}, {Flow: 0, Received: n(7), Error: "too"}}})
	if f := record.Flows[0]; *f.Received != 7 || f.Error != "sent badly" {
		t.Errorf("flow 0: %+v", f)
	}
	if f := record.Flows[1]; *f.Received != 5 || f.Error != "received badly" {
		t.Errorf("flow 1: %+v", f)
	}
}

// What the emulator says of its queue is what the flow sees: the RTT is the
// path's own, a packet's serialisation and the wait.
func TestQueueDelayIsInTheRTT(t *testing.T) {
	needRoot(t)
	m := undisturbed(t, trial("reno", func(tr *plan.Trial) {
		tr.Path.Rate, tr.Path.RTT, tr.Path.Buffer.Bytes = 10_000_000, 20*time.Millisecond, 100_000
		tr.Warmup, tr.Duration = 2*time.Second, 2*time.Second
	}))
	wait, own := m.metric(t, "queue_delay_mean"), 0.020+8*1514/10e6
	if rtt := m.metric(t, "rtt_mean"); math.Abs(rtt-own-wait) > 0.1*rtt {
		t.Errorf("rtt_mean is %g s; the path's %g and the queue's %g are %g", rtt, own, wait, own+wait)
	}
	if p50, p95, p99 := m.metric(t, "queue_delay_p50"), m.metric(t, "queue_delay_p95"), m.metric(t, "queue_delay_p99"); wait < 0.01 || p50 > p95 || p95 > p99 || p99 > 0.0801 {
		t.Errorf("waits of %g on average, %g, %g and %g; the buffer of 80 ms was to be used", wait, p50, p95, p99)
	}
	packets := float64(m.Path.Data.QueueDelay.Packets)
	if sent := m.metric(t, "goodput") / 8 * 2 / float64(*m.Flows[0].MSS); math.Abs(packets/sent-1) > 0.05 {
		t.Errorf("%g packets waited, %g were read in a window of that length", packets, sent)
	}
}
