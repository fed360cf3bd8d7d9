package compare

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ccbench/internal/result"
	"ccbench/internal/stats"
	"ccbench/internal/validity"
)

// fixture is a file with arms a and b and the given goodputs, one a block.
func fixture(a, b []float64) *result.File {
	f := &result.File{Name: "x.jsonl", Header: &result.Header{
		Arms: []result.Arm{{Name: "a"}, {Name: "b"}}, Baseline: "a", Repetitions: max(len(a), len(b)),
		Metrics: []result.Metric{
			{Name: "goodput", Unit: "bit/s", Better: result.Higher},
			{Name: "rtt_mean", Unit: "s", Better: result.Lower},
			{Name: "cwnd_mean", Unit: "B"},
		},
	}}
	for block := range max(len(a), len(b)) {
		for arm, values := range map[string][]float64{"a": a, "b": b} {
			if block < len(values) {
				f.Trials = append(f.Trials, trial(len(f.Trials)+1, block+1, arm, values[block]))
			}
		}
	}
	return f
}

func trial(index, block int, arm string, goodput float64) *result.Trial {
	return &result.Trial{Trial: index, Block: block, Verdict: result.Valid,
		Labels:  map[string]string{"arm": arm, "algorithm": arm},
		Metrics: map[string]*float64{"goodput": &goodput, "cwnd_mean": &goodput}}
}

// of finds the trial of an arm in a block.
func of(f *result.File, arm string, block int) *result.Trial {
	i := slices.IndexFunc(f.Trials, func(t *result.Trial) bool { return t.Labels["arm"] == arm && t.Block == block })
	return f.Trials[i]
}

func mark(trial *result.Trial, verdict result.Verdict, reasons ...result.Reason) {
	trial.Verdict, trial.Reasons = verdict, reasons
}

func mustNew(t *testing.T, f *result.File, opts Options) *Table {
	t.Helper()
	table, err := New(f, opts)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func checkWarnings(t *testing.T, table *Table, want ...string) {
	t.Helper()
	if !slices.Equal(table.Warnings, want) {
		t.Errorf("warnings:\n  %s\nwant:\n  %s", strings.Join(table.Warnings, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestNew(t *testing.T) {
	table := mustNew(t, fixture([]float64{100, 110, 120}, []float64{50, 56, 59}), Options{})
	if table.Baseline != "a" || table.Comparisons != 1 || len(table.Compared) != 1 || len(table.Described) != 0 {
		t.Fatalf("table %+v, want goodput compared with a once, and no column without values", table)
	}
	c := table.Compared[0]
	if c.Metric.Unit != "bit/s" || c.Margin != 0.02 || c.Cells[0].Comparison != nil {
		t.Errorf("column %+v, want bit/s, a margin of 2 %% and no comparison of the baseline", c)
	}
	b := c.Cells[1]
	if b.Summary.Mean != 55 || b.Summary.N != 3 || b.Comparison.Delta.Value != -0.5 || b.Verdict != stats.Worse {
		t.Errorf("b: %+v, want a mean of 55, half of the baseline, worse", b)
	}
	if !b.Comparison.Paired || b.Comparison.Level != 0.95 {
		t.Errorf("comparison %+v, want paired at 0.95", *b.Comparison)
	}
	checkWarnings(t, table)
}

// Better and worse follow the metric's direction; without one there is no verdict.
func TestVerdictFollowsDirection(t *testing.T) {
	for better, want := range map[result.Better]stats.Verdict{
		result.Higher: stats.Worse, result.Lower: stats.Better, result.Neither: stats.None,
	} {
		f := fixture([]float64{100, 110, 120}, []float64{50, 56, 59})
		f.Header.Metrics[0].Better = better
		if got := mustNew(t, f, Options{}).Compared[0].Cells[1].Verdict; got != want {
			t.Errorf("half of the baseline with better=%q: %q, want %q", better, got, want)
		}
	}
}

func TestLevelCoversAllComparisons(t *testing.T) {
	f := fixture([]float64{1, 2, 3}, []float64{2, 3, 5})
	f.Header.Arms = append(f.Header.Arms, result.Arm{Name: "c"})
	for block := 1; block <= 3; block++ {
		f.Trials = append(f.Trials, trial(100+block, block, "c", float64(block)+0.5))
	}
	table := mustNew(t, f, Options{Metrics: []string{"goodput", "cwnd_mean"}, Baseline: "c"})
	if table.Comparisons != 4 {
		t.Errorf("%d comparisons, want 2 arms x 2 metrics", table.Comparisons)
	}
	for i, cell := range table.Compared[1].Cells[:2] {
		if got := cell.Comparison.Level; math.Abs(got-0.9875) > 1e-12 {
			t.Errorf("arm %d: level %v, want 1-0.05/4", i, got)
		}
	}
	if table.Compared[1].Cells[2].Comparison != nil {
		t.Error("the chosen baseline was compared with itself")
	}
}

func TestInvalidIsNeverAveraged(t *testing.T) {
	f := fixture([]float64{100, 110, 120, 115}, []float64{50, 56, 59, 1e9})
	mark(of(f, "b", 4), result.Invalid,
		result.Reason{Verdict: result.Invalid, Check: "window", Detail: "it was 3.9 s"},
		result.Reason{Verdict: result.Invalid, Check: "window", Detail: "and the other, too"},
		result.Reason{Verdict: result.Suspect, Check: "limited", Detail: "7 %"})
	mark(of(f, "a", 1), result.Suspect, result.Reason{Verdict: result.Suspect, Check: "limited", Detail: "6 %"})
	of(f, "a", 1).Trial, of(f, "b", 4).Trial = 11, 14
	table := mustNew(t, f, Options{})
	b := table.Compared[0].Cells[1]
	if b.Summary.Mean != 55 || b.Summary.N != 3 {
		t.Errorf("b: mean %v of %d, want 55 of 3", b.Summary.Mean, b.Summary.N)
	}
	if got, want := table.Arms[1], (Arm{Name: "b", Planned: 4, Usable: 3, Invalid: 1}); got != want {
		t.Errorf("arm %+v, want %+v", got, want)
	}
	if got, want := table.Arms[0], (Arm{Name: "a", Planned: 4, Usable: 4, Suspect: 1}); got != want {
		t.Errorf("arm %+v, want %+v", got, want)
	}
	// The delta stays that of the printed means, so the pairs cannot be used.
	if got, want := b.Comparison.Delta.Value, 55/111.25-1; math.Abs(got-want) > 1e-12 || b.Comparison.Paired {
		t.Errorf("delta %v paired %v, want %v unpaired", got, b.Comparison.Paired, want)
	}
	checkWarnings(t, table,
		"a: 1 trial SUSPECT (?), averaged all the same: limited in 1 (trial 11: 6 %)",
		"b: 1 trial INVALID and not averaged: window in 1 (trial 14: it was 3.9 s)",
		"goodput, b vs a: "+notPaired("block 4"))
}

// A block that neither arm can use does not break the pairs of the others.
func TestPairsSurviveALostBlock(t *testing.T) {
	f := fixture([]float64{100, 110, 120}, []float64{50, 56, 59})
	mark(of(f, "a", 2), result.Invalid)
	mark(of(f, "b", 2), result.Invalid)
	b := mustNew(t, f, Options{}).Compared[0].Cells[1]
	if !b.Comparison.Paired || b.Comparison.NA != 2 || b.Comparison.NB != 2 {
		t.Errorf("comparison %+v, want 2 pairs", *b.Comparison)
	}
}

// Trials of a block may come in any order, and blocks as well.
func TestPairsByBlock(t *testing.T) {
	f := fixture([]float64{100, 200, 300}, []float64{110, 220, 330})
	slices.Reverse(f.Trials[1:4])
	c := mustNew(t, f, Options{}).Compared[0].Cells[1].Comparison
	if i := c.Delta.Interval; i != nil && i.High-i.Low > 1e-9 {
		t.Errorf("interval %+v, want no width: b is 1.1 a in every block", *i)
	}
	if d := c.Difference.Interval; d == nil || math.Abs((d.High-d.Low)/2-10/math.Sqrt(3)*4.302653) > 1e-4 {
		t.Errorf("difference %+v, want that of the pairs", d)
	}
}

func TestFileWarnings(t *testing.T) {
	f := fixture([]float64{100, 110, 120, 115}, []float64{50, 56, 59})
	f.Torn = true
	f.Hosts = []*result.Host{{Kernel: "6.18.5"}, {Kernel: "6.18.5"}, {Kernel: "6.12.9"}}
	table := mustNew(t, f, Options{})
	checkWarnings(t, table,
		"the file ends inside a trial, as after a kill: the trials before it are complete",
		"the hosts run different kernels: 6.18.5, 6.12.9",
		"b: the file has 3 of 4 planned trials",
		"goodput, b vs a: "+notPaired("block 4"))
}

func notPaired(blocks string) string {
	return "not paired, as only one of the two has a usable value in " + blocks + " and the delta is the ratio of the printed means, " +
		"which are over all usable trials; the interval may be wider than with complete blocks"
}

func TestBufferWarnings(t *testing.T) {
	for buffer, want := range map[int64]bool{49_000: true, 51_000: false, 4_990_000: false, 5_010_000: true} {
		f := fixture([]float64{1, 2}, []float64{1, 2})
		f.Trials[0].Path = &result.Path{Rate: 100_000_000, RTT: 0.04, Buffer: buffer} // BDP 500,000
		got := bufferWarnings(f, []string{""})
		if (len(got) == 1) != want {
			t.Errorf("%d bytes: got %q", buffer, got)
		}
	}
}

func TestValueWarnings(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b []float64
		want []string
	}{
		{"one trial", []float64{100}, []float64{50}, []string{
			"goodput, a; goodput, b: one value has no spread: at least 2 are needed for a standard deviation",
			"goodput, b vs a: an interval needs at least 2 complete blocks"}},
		{"two trials", []float64{100, 101}, []float64{50, 51}, []string{
			"goodput, b vs a: an interval from 2 repetitions rests wholly on the assumption of normal errors; " +
				"at least 6 complete blocks whose differences have one sign would tell without it"}},
		{"copies", []float64{100, 100, 100}, []float64{50, 51, 52}, []string{
			"goodput, a: all 3 values are identical: repetitions may be copies of each other"}},
		{"zero baseline", []float64{0, 0, 0}, []float64{5, 6, 7}, []string{
			"goodput, b vs a: the baseline's mean is not above zero: the difference stands for a percentage"}},
		{"nothing of b", []float64{100, 101}, nil, []string{
			"b: the file has 0 of 2 planned trials",
			"goodput, b: no usable value",
			"goodput, b vs a: an interval needs at least 2 values of each arm"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkWarnings(t, mustNew(t, fixture(tt.a, tt.b), Options{}), tt.want...)
		})
	}
}

func TestNullIsLeftOutAndSaid(t *testing.T) {
	f := fixture([]float64{100, 110, 101, 102}, []float64{50, 56, 59, 55})
	of(f, "a", 2).Metrics["goodput"] = nil
	delete(of(f, "b", 2).Metrics, "goodput")
	table := mustNew(t, f, Options{})
	if got := table.Compared[0].Cells[0].Summary; got.N != 3 || got.Mean != 101 {
		t.Errorf("a: mean %v of %d, want 101 of 3", got.Mean, got.N)
	}
	checkWarnings(t, table,
		"goodput, a; goodput, b: 1 of 4 usable trials have no value and are left out")
}

func TestReasonsAreCounted(t *testing.T) {
	f := fixture([]float64{1, 2, 3}, []float64{1, 2, 3})
	drop := result.Reason{Verdict: result.Invalid, Check: "drop_matched", Detail: "0 packets"}
	window := result.Reason{Verdict: result.Invalid, Check: "window", Detail: "3.9 s"}
	for block, reasons := range [][]result.Reason{{window, drop}, {drop}, nil} {
		of(f, "b", block+1).Trial = block + 11
		mark(of(f, "b", block+1), result.Invalid, reasons...)
	}
	want := "b: 3 trials INVALID and not averaged: drop_matched in 2 (trial 11: 0 packets); " +
		"unknown in 1 (trial 13: the record gives no reason); window in 1 (trial 11: 3.9 s)"
	if got := mustNew(t, f, Options{}).Warnings[0]; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLoneBlocks(t *testing.T) {
	a := byBlock{}
	for block := range 8 {
		a[block] = 1
	}
	for n, want := range map[int]string{1: "block 0", 2: "blocks 0, 1", 5: "blocks 0, 1, 2, 3, 4", 7: "blocks 0, 1, 2, 3, 4 and 2 others"} {
		b := byBlock{}
		for block := n; block < 8; block++ {
			b[block] = 1
		}
		if got := loneBlocks(a, b); got != want {
			t.Errorf("%d missing: %q, want %q", n, got, want)
		}
		if got := loneBlocks(b, a); got != want {
			t.Errorf("%d missing in the other: %q, want %q", n, got, want)
		}
	}
}

// What a column says of SUSPECT trials is about the values averaged in it.
func TestSuspectsAreThoseWithAValue(t *testing.T) {
	f := fixture([]float64{100, 110, 120}, []float64{50, 56, 59})
	for block := 1; block <= 2; block++ {
		mark(of(f, "b", block), result.Suspect, result.Reason{Verdict: result.Suspect, Check: "limited"})
	}
	of(f, "b", 1).Metrics["cwnd_mean"] = nil
	table := mustNew(t, f, Options{Metrics: []string{"goodput", "cwnd_mean"}})
	for column, want := range []int{2, 1} {
		if got := table.Compared[column].Cells[1].Suspect; got != want {
			t.Errorf("%s: %d SUSPECT, want %d", table.Compared[column].Metric.Name, got, want)
		}
		if got := table.Compared[column].Cells[0].Suspect; got != 0 {
			t.Errorf("%s: %d SUSPECT of the other arm, want 0", table.Compared[column].Metric.Name, got)
		}
	}
}

// Whichever arm has the one trial, nothing is said to be better or worse.
func TestUnlimitedHasNoVerdict(t *testing.T) {
	reason := result.Reason{Verdict: result.Suspect, Check: unlimited, Detail: "only the processors"}
	for _, arm := range []string{"a", "b"} {
		f := fixture([]float64{100, 110, 120}, []float64{50, 56, 59})
		mark(of(f, arm, 2), result.Suspect, reason)
		of(f, arm, 2).Trial = 12
		table := mustNew(t, f, Options{})
		b := table.Compared[0].Cells[1]
		if b.Verdict != stats.None || b.More != 0 || b.Because != "nothing but the processors limited the flows" {
			t.Errorf("%s unlimited: verdict %q, %d more, because %q; want none, and why", arm, b.Verdict, b.More, b.Because)
		}
		if b.Comparison.Delta.Interval == nil {
			t.Errorf("%s unlimited: no interval; the figures stay", arm)
		}
		checkWarnings(t, table,
			arm+": 1 trial SUSPECT (?), averaged all the same: unlimited in 1 (trial 12: only the processors)",
			"goodput, b vs a: no verdict, as nothing but the processors limited the flows: give the path a rate or a drop rule")
		mark(of(f, arm, 2), result.Invalid, reason)
		if b := mustNew(t, f, Options{}).Compared[0].Cells[1]; b.Because != "" || b.Verdict == stats.None {
			t.Errorf("%s unlimited and not averaged: verdict %q because %q, want one", arm, b.Verdict, b.Because)
		}
	}
}

func TestUnlimitedIsACheck(t *testing.T) {
	if !slices.ContainsFunc(validity.Checks(), func(c validity.Check) bool { return c.Name == unlimited }) {
		t.Errorf("no check is called %q", unlimited)
	}
}

// No goodput is below zero, so none is more than 100 % below another.
func TestNothingIsBelowMinus100Percent(t *testing.T) {
	pairs := []stats.Pair{{A: 100, B: 5}, {A: 110, B: 40}, {A: 120, B: 2}}
	whole := stats.ComparePaired(pairs, 0.95)
	if whole.Delta.Interval.Low >= -1 {
		t.Fatalf("interval %+v: the sample does not reach below -1", *whole.Delta.Interval)
	}
	b := mustNew(t, fixture([]float64{100, 110, 120}, []float64{5, 40, 2}), Options{}).Compared[0].Cells[1]
	if got, want := *b.Comparison.Delta.Interval, (stats.Interval{Low: -1, High: whole.Delta.Interval.High}); got != want {
		t.Errorf("interval %+v, want %+v", got, want)
	}
	if got, want := b.Verdict, whole.Verdict(0.02, true); got != want {
		t.Errorf("verdict %q, want %q as of the whole interval", got, want)
	}
	open := []stats.Pair{{A: 1, B: 2.1}, {A: 1.1, B: 0.1}, {A: 0.9, B: 1.6}}
	wide := mustNew(t, fixture([]float64{1, 1.1, 0.9}, []float64{2.1, 0.1, 1.6}), Options{}).Compared[0].Cells[1]
	if got, want := wide.More, stats.ComparePaired(open, 0.95).More(0.02); wide.Comparison.Delta.Interval.Low != -1 || got != want {
		t.Errorf("interval %+v, %d more; want one from -1, and %d as of the whole interval", *wide.Comparison.Delta.Interval, got, want)
	}
}

// A caller tells what was asked for wrongly from what is wrong in the file.
func TestUsageErrors(t *testing.T) {
	f := fixture([]float64{100, 110}, []float64{50, 56})
	f.Header.Arms[0].Kernel, f.Header.Arms[1].Kernel = "reno", "b"
	for _, tt := range []struct {
		opts  Options
		spoil func(*result.Header)
		want  string
		usage bool
	}{
		{Options{Baseline: "reno"}, func(*result.Header) {}, `choosing the baseline: there is no arm "reno"; the arms are a (reno), b`, true},
		{Options{Metrics: []string{"speed"}}, func(*result.Header) {}, `choosing metrics: there is no metric "speed"; there are goodput, rtt_mean, cwnd_mean`, true},
		{Options{Metrics: []string{"goodput", "goodput"}}, func(*result.Header) {}, `choosing metrics: "goodput" is named twice`, true},
		{Options{}, func(h *result.Header) { h.Baseline = "z" }, `choosing the baseline: the header names "z", which is no arm; the arms are a (reno), b`, false},
		{Options{}, func(h *result.Header) { h.Metrics = h.Metrics[1:] },
			`choosing metrics: the file has no metric "goodput", which is compared unless others are named; it has rtt_mean, cwnd_mean`, false},
	} {
		header := *f.Header
		tt.spoil(&header)
		_, err := New(&result.File{Name: f.Name, Header: &header, Trials: f.Trials}, tt.opts)
		var usage *UsageError
		if err == nil || err.Error() != tt.want || errors.As(err, &usage) != tt.usage {
			t.Errorf("error %T %v, want usage=%v %s", err, err, tt.usage, tt.want)
		}
	}
}

// What a caller needs to guess what was meant.
func TestUsageErrorsKnowTheNames(t *testing.T) {
	f := fixture([]float64{100, 110}, []float64{50, 56})
	for _, tt := range []struct {
		opts  Options
		asked string
		known []string
	}{
		{Options{Baseline: "c"}, "c", []string{"a", "b"}},
		{Options{Metrics: []string{"rtt_men"}}, "rtt_men", []string{"goodput", "rtt_mean", "cwnd_mean"}},
	} {
		_, err := New(f, tt.opts)
		var usage *UsageError
		if !errors.As(err, &usage) || usage.Asked != tt.asked || !slices.Equal(usage.Known, tt.known) {
			t.Errorf("error %+v, want %q among %v", err, tt.asked, tt.known)
		}
	}
}

// Whatever is compared, goodput is shown; once, and judged only when it is asked for.
func TestGoodputIsAlwaysShown(t *testing.T) {
	f := fixture([]float64{100, 110}, []float64{50, 56})
	beside := mustNew(t, f, Options{Metrics: []string{"cwnd_mean"}})
	if len(beside.Described) != 1 || beside.Described[0].Metric.Name != Primary || beside.Described[0].Cells[1].Comparison != nil {
		t.Errorf("described %+v, want goodput without a comparison", beside.Described)
	}
	judged := mustNew(t, f, Options{Metrics: []string{"cwnd_mean", Primary}})
	if len(judged.Described) != 0 || len(judged.Compared) != 2 || judged.Compared[1].Metric.Name != Primary {
		t.Errorf("compared %+v, described %+v, want goodput compared alone", judged.Compared, judged.Described)
	}
}

func TestNewErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opts  Options
		spoil func(*result.File)
		want  string
	}{
		{"unknown baseline", Options{Baseline: "c"}, nil, `no arm "c"; the arms are a, b`},
		{"unknown metric", Options{Metrics: []string{"speed"}}, nil, `no metric "speed"; there are goodput, rtt_mean, cwnd_mean`},
		{"metric twice", Options{Metrics: []string{"goodput", "goodput"}}, nil, "named twice"},
		{"no arms", Options{}, func(f *result.File) { f.Header.Arms = nil }, "lists no arms"},
		{"arm twice", Options{}, func(f *result.File) { f.Header.Arms[1].Name = "a" }, `lists arm "a" twice`},
		{"unknown arm", Options{}, func(f *result.File) { f.Trials[0].Labels["arm"] = "z" }, `arm "z"`},
		{"no label", Options{}, func(f *result.File) { f.Trials[0].Labels = nil }, `arm ""`},
		{"unknown verdict", Options{}, func(f *result.File) { f.Trials[0].Verdict = "FINE" }, `verdict "FINE"`},
		{"same block twice", Options{}, func(f *result.File) { of(f, "a", 2).Block = 1 }, "both of arm a in block 1"},
		{"two conditions", Options{}, func(f *result.File) { f.Trials[3].Labels["path.rtt"] = "10ms" }, "one condition"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fixture([]float64{100, 110}, []float64{50, 56})
			if tt.spoil != nil {
				tt.spoil(f)
			}
			if _, err := New(f, tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	a := make([]float64, 50_000)
	for i := range a {
		a[i] = 100 + float64(i%17)
	}
	f := fixture(a, a)
	for b.Loop() {
		if _, err := New(f, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(f.Trials)), "trials")
}
