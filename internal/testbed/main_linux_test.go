package testbed

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"ccbench/internal/agent"
	"ccbench/internal/agent/wire"
	"ccbench/internal/carrier"
	"ccbench/internal/experiment"
	"ccbench/internal/link"
	"ccbench/internal/metric"
	"ccbench/internal/plan"
	"ccbench/internal/result"
	"ccbench/internal/validity"
)

const testVersion = "test"

// TestMain makes this binary the agents of the paths that the tests build.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "agent" {
		if err := agent.Stdio(wire.Role(os.Args[4]), testVersion); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// needRoot skips where paths cannot be built.
func needRoot(t testing.TB) {
	t.Helper()
	privileged, err := carrier.Privileged()
	if err != nil {
		t.Fatal(err)
	}
	if !privileged {
		t.Skip("needs CAP_SYS_ADMIN and CAP_NET_ADMIN: run as root")
	}
}

// trial is one trial of an algorithm on 100mbit, 40ms and 1bdp, as changed.
func trial(algorithm string, change func(*plan.Trial)) plan.Trial {
	t := plan.Trial{
		Index: 1, Block: 1, Arm: algorithm, Labels: map[string]string{"arm": algorithm},
		Flows:    []plan.Flow{{ID: 0, Algorithm: algorithm, Kernel: algorithm}},
		Warmup:   200 * time.Millisecond,
		Duration: 800 * time.Millisecond,
		Interval: 10 * time.Millisecond,
		Path: experiment.Path{
			Engine: experiment.Userspace, Rate: 100_000_000, RTT: 40 * time.Millisecond,
			Buffer: experiment.Buffer{Text: "1bdp", Bytes: 500_000}, MTU: 1500, Overhead: 14,
		},
	}
	if change != nil {
		change(&t)
	}
	return t
}

// measured is a finished trial.
type measured struct {
	*result.Trial
	series []result.Series
}

// do carries out a trial, and fails the test unless it went through. Its
// namespaces must have ended within 2 s.
func do(t testing.TB, tr plan.Trial, started func(Agent)) measured {
	t.Helper()
	m, nsids := carry(t, tr, started)
	gone(t, nsids)
	return m
}

// carry is do for who has something in the namespaces to close first.
func carry(t testing.TB, tr plan.Trial, started func(Agent)) (measured, []int) {
	t.Helper()
	var nsids []int
	bed := New(Options{Version: testVersion, Started: func(a Agent) {
		nsids = append(nsids, a.NSID)
		if started != nil {
			started(a)
		}
	}})
	record, series, err := bed.Trial(t.Context(), tr, func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(nsids) < 2 {
		t.Fatalf("%d agents were started", len(nsids))
	}
	record.Labels = tr.Labels
	record.Metrics = metric.Compute(record, series)
	record.Verdict, record.Reasons = validity.Judge(record)
	return measured{record, series}, nsids
}

// gone waits until none of the namespaces is left.
func gone(t testing.TB, nsids []int) {
	t.Helper()
	const limit = 2 * time.Second
	for deadline := time.Now().Add(limit); ; runtime.Gosched() {
		ids, err := link.ListNSIDs()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(nsids, func(n int) bool { return slices.Contains(ids, n) }) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: of the namespaces %v, all ended; there are %v", limit, nsids, ids)
		}
		time.Sleep(time.Millisecond)
	}
}

// undisturbed does a trial again, a few times, when the machine was too busy
// to emulate its path: what is tested is the path, not the machine. A machine
// that others keep busy all along can show nothing; one that is idle must.
func undisturbed(t testing.TB, tr plan.Trial) measured {
	t.Helper()
	busy := 0
	const attempts = 5
	for range attempts {
		m := do(t, tr, nil)
		if !m.disturbed() {
			return m
		}
		t.Logf("disturbed: %v", m.Reasons)
		if m.othersLoad() > 0.25 {
			busy++
		}
	}
	if busy == attempts {
		t.Skipf("others kept over 25 %% of the processors busy in each of %d trials", attempts)
	}
	t.Fatalf("%d trials in a row were disturbed, with others' load in only %d of them", attempts, busy)
	return measured{}
}

// disturbed says whether the machine did not keep up, whatever else was wrong.
func (m measured) disturbed() bool {
	return slices.ContainsFunc(m.Reasons, func(r result.Reason) bool { return validity.OfMachine(r.Check) })
}

// othersLoad is the part of all processors that others than the trial took.
func (m measured) othersLoad() float64 {
	if m.CPU == nil {
		return 0
	}
	return (m.CPU.Busy + m.CPU.Steal - m.CPU.Own) / (float64(m.CPU.CPUs) * m.CPU.Window)
}

// valid fails the test when a trial is not, for another reason than the machine.
func (m measured) valid(t testing.TB) {
	t.Helper()
	if m.Verdict == result.Invalid && !m.disturbed() {
		t.Errorf("%s: %s: %v", m.Labels["arm"], m.Verdict, m.Reasons)
	}
}

func (m measured) metric(t testing.TB, name string) float64 {
	t.Helper()
	v := m.Metrics[name]
	if v == nil {
		t.Fatalf("%s: no %s", m.Labels["arm"], name)
	}
	return *v
}

// within fails the test unless a metric lies between two values.
func (m measured) within(t testing.TB, name string, low, high float64) {
	t.Helper()
	if v := m.metric(t, name); v < low || v > high {
		t.Errorf("%s: %s is %g, want %g to %g", m.Labels["arm"], name, v, low, high)
	}
}
