package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ccbench/internal/result"
	"ccbench/internal/stats"
)

// matrix is a file with arms a and b under each RTT, and in each block of three
// the goodputs of fixture, times the RTT's number. Blocks of the conditions alternate.
func matrix(rtts ...int) *result.File {
	f := fixture([]float64{100, 110, 120}, []float64{50, 56, 59})
	once := f.Trials
	f.Trials, f.Header.Factors = nil, []string{"path.rtt"}
	for i, rtt := range rtts {
		value := fmt.Sprintf("%dms", rtt)
		f.Header.Conditions = append(f.Header.Conditions, result.Condition{
			Labels: map[string]string{"path.rtt": value}, Path: map[string]string{"rtt": value},
		})
		for n, of := range once {
			again := trial(n*len(rtts)+i+1, (of.Block-1)*len(rtts)+i+1, of.Labels["arm"], *of.Metrics["goodput"]*float64(rtt))
			again.Labels["path.rtt"] = value
			f.Trials = append(f.Trials, again)
		}
	}
	slices.SortFunc(f.Trials, func(a, b *result.Trial) int { return a.Block - b.Block })
	return f
}

// under are the trials of an arm under an RTT, by block.
func under(f *result.File, rtt, arm string) []*result.Trial {
	return slices.DeleteFunc(slices.Clone(f.Trials), func(t *result.Trial) bool {
		return t.Labels["path.rtt"] != rtt || t.Labels["arm"] != arm
	})
}

func TestRowsAreConditionsByArms(t *testing.T) {
	f := matrix(40, 10)
	suspect := under(f, "10ms", "b")[0]
	suspect.Trial, suspect.Verdict = 12, result.Suspect
	f.Header.Conditions = append(f.Header.Conditions, result.Condition{Labels: map[string]string{"path.rtt": "80ms"}})
	table := mustNew(t, f, Options{})
	var rows []string
	for _, r := range table.Rows {
		rows = append(rows, fmt.Sprintf("%s %s %d/%d", table.Condition(r), r.Name, r.Usable, r.Total()))
	}
	want := []string{"path.rtt=40ms a 3/3", "path.rtt=40ms b 3/3", "path.rtt=10ms a 3/3", "path.rtt=10ms b 3/3", "path.rtt=80ms a 0/3", "path.rtt=80ms b 0/3"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	if got := table.Arms[1]; got != (Arm{Name: "b", Planned: 9, Usable: 6, Suspect: 1}) || len(table.Arms) != 2 {
		t.Errorf("arms %+v, want the counts over all conditions", table.Arms)
	}
	cells := table.Compared[0].Cells
	for i, mean := range []float64{4400, 2200, 1100, 550} {
		if cells[i].Summary.Mean != mean {
			t.Errorf("row %d: mean %v, want %v", i, cells[i].Summary.Mean, mean)
		}
	}
	for i, cell := range cells {
		if (cell.Comparison == nil) != (i%2 == 0) {
			t.Errorf("row %d: comparison %v; the baseline is the first row of each condition", i, cell.Comparison)
		}
	}
	checkWarnings(t, table, "path.rtt=80ms: the file has none of the planned trials",
		"1 trial SUSPECT (?), averaged all the same: unknown in 1 (trial 12, path.rtt=10ms, b: the record gives no reason)")
}

// The arms are held against the baseline under their own condition, by block,
// at one level over the whole table.
func TestPairsWithinACondition(t *testing.T) {
	table := mustNew(t, matrix(10, 40, 80), Options{Metrics: []string{"goodput", "cwnd_mean"}, Baseline: "b"})
	if table.Comparisons != 6 {
		t.Fatalf("%d comparisons, want 3 conditions x 1 arm x 2 metrics", table.Comparisons)
	}
	level := stats.JointLevel(Level, 6)
	for i, scale := range []float64{10, 40, 80} {
		var pairs []stats.Pair
		for block, b := range []float64{50, 56, 59} {
			pairs = append(pairs, stats.Pair{A: b * scale, B: float64(100+10*block) * scale})
		}
		got, want := table.Compared[1].Cells[2*i].Comparison, stats.ComparePaired(pairs, level)
		if !got.Paired || math.Abs(got.Level-(1-0.05/6)) > 1e-12 || *got.Difference.Interval != *want.Difference.Interval {
			t.Errorf("condition %d: %+v, want %+v", i, *got, want)
		}
	}
}

// Nothing depends on the order of trials in the file.
func TestOrderOfTrials(t *testing.T) {
	f := matrix(10, 40)
	f.Trials[3].Metrics["goodput"] = nil
	want := fmt.Sprintf("%+v", columns(mustNew(t, f, Options{})))
	for seed := range uint64(20) {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(f.Trials), func(i, j int) { f.Trials[i], f.Trials[j] = f.Trials[j], f.Trials[i] })
		if got := fmt.Sprintf("%+v", columns(mustNew(t, f, Options{}))); got != want {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
		}
	}
}

// columns are a table's numbers, pointers followed.
func columns(t *Table) []any {
	var all []any
	for _, c := range slices.Concat(t.Compared, t.Described) {
		for _, cell := range c.Cells {
			all = append(all, cell.Summary, cell.Verdict, cell.More)
			if d := cell.Comparison; d != nil {
				all = append(all, d.Delta.Value, d.Delta.Interval, d.Paired)
			}
		}
	}
	for i, v := range all {
		if interval, ok := v.(*stats.Interval); ok && interval != nil {
			all[i] = *interval
		}
	}
	return append(all, t.Rows, t.Warnings)
}

func TestWarningsNameTheCondition(t *testing.T) {
	f := matrix(10, 40)
	mark(under(f, "10ms", "b")[1], result.Invalid, result.Reason{Verdict: result.Invalid, Check: "window", Detail: "3.9 s"})
	mark(under(f, "40ms", "a")[0], result.Suspect, result.Reason{Verdict: result.Suspect, Check: "limited", Detail: "6 %"})
	under(f, "10ms", "b")[1].Trial, under(f, "40ms", "a")[0].Trial = 14, 12
	lost := under(f, "40ms", "b")[2]
	f.Trials = slices.DeleteFunc(f.Trials, func(t *result.Trial) bool { return t == lost })
	checkWarnings(t, mustNew(t, f, Options{}),
		"path.rtt=40ms, b: the file has 2 of 3 planned trials",
		"1 trial INVALID and not averaged: window in 1 (trial 14, path.rtt=10ms, b: 3.9 s)",
		"1 trial SUSPECT (?), averaged all the same: limited in 1 (trial 12, path.rtt=40ms, a: 6 %)",
		"path.rtt=10ms, goodput, b vs a: "+notPaired("block 3"),
		"every condition, goodput, b vs a: "+ofTwo,
		"path.rtt=40ms, goodput, b vs a: "+notPaired("block 6"))
}

// What is so everywhere is said once, of the conditions that have trials.
func TestWarningsOfEveryCondition(t *testing.T) {
	f := matrix(10, 40, 80)
	f.Header.Repetitions = 2
	f.Trials = slices.DeleteFunc(f.Trials, func(t *result.Trial) bool { return t.Block > 6 || t.Labels["path.rtt"] == "80ms" })
	checkWarnings(t, mustNew(t, f, Options{}),
		"path.rtt=80ms: the file has none of the planned trials",
		"every condition with trials, goodput, b vs a: the baseline's mean is too uncertain to divide by: the difference stands for a percentage",
		"every condition with trials, goodput, b vs a: "+ofTwo)
}

const ofTwo = "an interval from 2 repetitions rests wholly on the assumption of normal errors; " +
	"at least 7 complete blocks whose differences have one sign would tell without it"

func TestBufferWarningsByCondition(t *testing.T) {
	for _, tt := range []struct {
		ten, forty int64 // bytes; BDP 125,000 and 500,000
		want       []string
	}{
		{125_000, 500_000, nil},
		{125_000, 45_000, []string{"path.rtt=40ms: the buffer is 0.09 BDP; " + outside}},
		{1_500_000, 45_000, []string{"path.rtt=10ms: the buffer is 12 BDP; " + outside, "path.rtt=40ms: the buffer is 0.09 BDP; " + outside}},
		{1_500_000, 6_000_000, []string{"every condition: the buffer is 12 BDP; " + outside}},
	} {
		f := matrix(10, 40)
		for _, trial := range f.Trials {
			trial.Path = &result.Path{Rate: 100_000_000, RTT: 0.01, Buffer: tt.ten}
			if trial.Labels["path.rtt"] == "40ms" {
				trial.Path.RTT, trial.Path.Buffer = 0.04, tt.forty
			}
		}
		slices.Reverse(f.Trials)
		if last := f.Trials[11].Path; len(tt.want) == 2 {
			last.Buffer *= 100 // the first of a condition is told
		}
		checkWarnings(t, mustNew(t, f, Options{}), tt.want...)
	}
}

const outside = "outside 0.1 to 10 it may decide more than the congestion control"

// A condition whose trials are all INVALID has rows without numbers.
func TestConditionWithoutAValidTrial(t *testing.T) {
	f := matrix(10, 40)
	for _, trial := range f.Trials {
		if trial.Labels["path.rtt"] == "10ms" {
			mark(trial, result.Invalid, result.Reason{Verdict: result.Invalid, Check: "window", Detail: "3.9 s"})
		}
	}
	table := mustNew(t, f, Options{})
	cells := table.Compared[0].Cells
	if cells[1].Summary.N != 0 || cells[1].Verdict != stats.None || cells[1].Comparison.Delta.Interval != nil || table.Rows[1].Invalid != 3 {
		t.Errorf("b at 10 ms: %+v, row %+v; want no number and no verdict", cells[1], table.Rows[1])
	}
	if cells[3].Summary.N != 3 || !cells[3].Comparison.Paired || cells[3].Comparison.Level != 0.975 {
		t.Errorf("b at 40 ms: %+v, want 3 pairs at a level for 2 planned comparisons", cells[3])
	}
}

// One arm has nothing to be compared with.
func TestMatrixOfOneArm(t *testing.T) {
	f := matrix(10, 40)
	f.Header.Arms = f.Header.Arms[:1]
	f.Trials = slices.DeleteFunc(f.Trials, func(t *result.Trial) bool { return t.Labels["arm"] == "b" })
	table := mustNew(t, f, Options{})
	if table.Comparisons != 0 || len(table.Rows) != 2 || table.Compared[0].Cells[1].Summary.Mean != 4400 {
		t.Errorf("table %+v, want two rows and no comparison", table)
	}
	checkWarnings(t, table)
}

func TestMatrixErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*result.File)
		want  string
	}{
		{"unknown condition", func(f *result.File) { f.Trials[2].Labels["path.rtt"], f.Trials[2].Trial = "20ms", 9 },
			"reading x.jsonl: trial 9 is of path.rtt=20ms, which is no condition of the header; those are path.rtt=10ms; path.rtt=40ms"},
		{"no label", func(f *result.File) { delete(f.Trials[0].Labels, "path.rtt") }, "has no label path.rtt, which tells the header's conditions apart"},
		{"another label", func(f *result.File) { f.Trials[3].Labels["flows"] = "2" }, "differ in labels that are neither the arm's nor a factor of the header (map[], map[flows:2])"},
		{"condition twice", func(f *result.File) { f.Header.Conditions[1] = f.Header.Conditions[0] }, "lists a condition twice: path.rtt=10ms; path.rtt=10ms"},
		{"factor without a value", func(f *result.File) { f.Header.Factors = append(f.Header.Factors, "flows") }, "condition 1 of its header has no label flows"},
		{"factors alone", func(f *result.File) { f.Header.Conditions = nil }, "lists 1 factors and 0 conditions"},
		{"conditions alone", func(f *result.File) { f.Header.Factors = nil }, "lists 0 factors and 2 conditions"},
		{"same block twice", func(f *result.File) { under(f, "40ms", "a")[1].Block = under(f, "40ms", "a")[0].Block }, "both of arm a in block 2"},
	} {
		f := matrix(10, 40)
		tt.spoil(f)
		if _, err := New(f, Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}
