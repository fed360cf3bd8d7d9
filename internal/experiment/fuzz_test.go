package experiment

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"
)

// FuzzLoad looks for a file that breaks the reader, or that it takes although
// the experiment in it could not be carried out.
func FuzzLoad(f *testing.F) {
	for _, c := range badFiles {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	for _, c := range badMatrices {
		f.Add([]byte(minimal + c.text))
	}
	full, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Add([]byte(minimal))
	f.Add([]byte(minimal + "path: {engine: direct}\ndrop: [{mode: random, probability: 0.5%}]\n"))
	f.Add([]byte(minimal + "path: {engine: userspace}\nmatrix: {path.rtt: [1ms, 2ms], drop.every: [5, 6]}\ndrop: {mode: nth}\n"))
	f.Add([]byte("%YAML 1.1\n---\n? version\n: 1\n? algorithms\n: - reno\n...\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := Parse("fuzz.yaml", text)
		if err == nil {
			checkExperiment(t, e)
			return
		}
		checkErrors(t, err)
	})
}

// FuzzOverride does the same for overrides.
func FuzzOverride(f *testing.F) {
	for _, c := range badOverrides {
		f.Add(c.set[len(c.set)-1])
	}
	f.Add("path={engine: direct}")
	f.Add("drop.every=50")
	f.Add("matrix.path.rtt=[1ms, 2ms]")
	f.Add("matrix={flows: [1, 2], sysctl.net.ipv4.tcp_ecn: [0, 1]}")
	f.Fuzz(func(t *testing.T, override string) {
		e, err := Parse("fuzz.yaml", []byte(minimal+"path: {engine: userspace}\ndrop: [{mode: nth, every: 5}]\n"), override)
		if err == nil {
			checkExperiment(t, e)
			return
		}
		checkErrors(t, err)
	})
}

func checkErrors(t *testing.T, err error) {
	var all Errors
	if !errors.As(err, &all) || len(all) == 0 {
		t.Fatalf("not a list of errors: %#v", err)
	}
	for i, e := range all {
		if e.Set == 0 && e.Line < 1 || e.Column < 0 || e.Problem == "" {
			t.Errorf("an error without its place or problem: %#v", e)
		}
		if i > 0 && slices.Compare([]int{e.Set, e.Line, e.Column}, []int{all[i-1].Set, all[i-1].Line, all[i-1].Column}) < 0 {
			t.Errorf("out of order: %v after %v", e, all[i-1])
		}
	}
}

func checkExperiment(t *testing.T, e *Experiment) {
	that := func(what string, ok bool) {
		if !ok {
			t.Errorf("%s: %+v", what, e)
		}
	}
	names := e.ArmNames()
	that("name", isName(e.Name))
	that("arms", len(names) >= 1 && len(names)*e.Repetitions <= maxTrials)
	that("baseline", slices.Contains(names, e.Baseline))
	that("repetitions", e.Repetitions >= 1 && e.Repetitions <= 10_000)
	that("conditions", len(e.Conditions) >= 1 && len(e.Conditions) <= maxConditions)
	for i := range e.Conditions {
		checkCondition(that, e, &e.Conditions[i])
	}
	for i, a := range e.Arms {
		that("arm "+a.Name, isName(a.Name) && a.Algorithm != "" && len(a.Kernel) <= maxAlgorithm && a.Kernel != "newreno")
		that("twice "+a.Name, slices.Index(names, a.Name) == i)
	}
}

func checkCondition(that func(string, bool), e *Experiment, c *Condition) {
	that("labels", len(c.Labels) == len(e.Factors))
	that("times", c.Duration >= 100*time.Millisecond && c.Warmup >= 0 && c.Interval >= time.Millisecond && c.Interval <= c.Duration)
	that("flows", c.Flows >= 1 && c.Flows <= 1024)
	for _, a := range e.Arms {
		for key, value := range c.SysctlOf(a) {
			that("sysctl "+key, sysctlKey(key) == "" && value != "")
		}
	}
	checkPath(that, c.Path)
	checkDrop(that, c.Drop)
}

func checkPath(that func(string, bool), p Path) {
	that("mtu", p.MTU >= 576 && p.MTU <= 9000)
	if p.Engine == Direct {
		that("direct", p.Rate == 0 && p.RTT == 0 && p.Buffer == Buffer{} && p.Overhead == 0)
		return
	}
	that("engine", p.Engine == Userspace)
	that("rate", p.Rate >= 1000 && p.Rate <= 100_000_000_000)
	that("rtt", p.RTT >= time.Millisecond && p.RTT <= 10*time.Second)
	that("buffer", int(p.Buffer.Bytes) >= p.MTU+p.Overhead && bytesIn(p.Rate, p.RTT)+p.Buffer.Bytes <= maxInFlight)
}

func checkDrop(that func(string, bool), d *Drop) {
	if d == nil {
		return
	}
	that("unit", d.Unit == "segment")
	nth := d.Mode == Nth && d.Every >= 2 && d.First >= 0 && d.First <= d.Every && d.Probability == 0
	random := d.Mode == Random && d.Probability > 0 && d.Probability < 1 && d.Every == 0 && d.First == 0
	that("drop", nth || random)
}
