package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ccbench/internal/compare"
	"ccbench/internal/result"
	"ccbench/internal/unit"
)

// matrixFile has two round trips and two losses: 1.5 to 95 Mbit/s, 10 ms to
// more than a second. Conditions take turns, block by block.
func matrixFile() *result.File {
	f := makeFile(loss1pct)
	f.Header.Factors = []string{"path.rtt", "drop.every"}
	for _, c := range []struct {
		rtt, buffer, every string
		goodput, roundTrip float64 // times those of loss1pct
	}{
		{"10ms", "125000 B (1bdp)", "30", 0.5, 0.25}, {"10ms", "125000 B (1bdp)", "1000", 1.03, 0.25},
		{"1300ms", "16250000 B (1bdp)", "30", 0.07, 32}, {"1300ms", "16250000 B (1bdp)", "1000", 0.3, 32},
	} {
		f.Header.Conditions = append(f.Header.Conditions, result.Condition{
			Labels: map[string]string{"path.rtt": c.rtt, "drop.every": c.every},
			Path:   map[string]string{"rtt": c.rtt, "buffer": c.buffer, "drop": "nth every " + c.every},
		})
		for _, trial := range f.Trials[:18] {
			f.Trials = append(f.Trials, scaled(trial, len(f.Header.Conditions), c.goodput, c.roundTrip))
		}
	}
	f.Trials = f.Trials[18:]
	slices.SortFunc(f.Trials, func(a, b *result.Trial) int { return a.Trial - b.Trial })
	for _, key := range []string{"rtt", "buffer", "drop"} {
		delete(f.Header.Path, key)
	}
	label(f)
	f.Header.Name, f.Header.Description = "grid", "two round trips, two losses"
	return f
}

// scaled is a trial under the nth of four conditions.
func scaled(of *result.Trial, n int, goodput, roundTrip float64) *result.Trial {
	trial := *of
	trial.Labels, trial.Metrics = maps.Clone(of.Labels), map[string]*float64{}
	trial.Block = (of.Block-1)*4 + n
	trial.Trial = (trial.Block-1)*3 + (of.Trial-1)%3 + 1
	for name, factor := range map[string]float64{
		"goodput": goodput, "retransmits": goodput, "retransmit_ratio": 1, "rtt_mean": roundTrip, "netpower": goodput / roundTrip,
	} {
		trial.Metrics[name] = new(*of.Metrics[name] * factor)
	}
	return &trial
}

// label gives each trial the labels of its block's condition.
func label(f *result.File) {
	for _, trial := range f.Trials {
		maps.Copy(trial.Labels, f.Header.Conditions[(trial.Block-1)%len(f.Header.Conditions)].Labels)
	}
}

// troubledMatrix was interrupted before its last condition; its first has no
// valid trial, its second lacks one.
func troubledMatrix() *result.File {
	f := matrixFile()
	f.Trials = slices.DeleteFunc(f.Trials, func(t *result.Trial) bool { return t.Block%4 == 0 })
	lost := 0
	for _, trial := range f.Trials {
		switch {
		case trial.Block%4 == 1:
			invalidate(trial, result.Invalid, "window", "the receiver's window was 3.90 s, asked 4 s")
		case trial.Block%4 == 2 && trial.Labels["arm"] == "cubic" && lost == 0:
			invalidate(trial, result.Invalid, "lateness", "the emulator was 4 ms late")
			lost++
		}
	}
	return f
}

// oneFactor varies what the path's line says in the same words.
func oneFactor() *result.File {
	f := matrixFile()
	f.Header.Factors = []string{"flows"}
	for i := range f.Header.Conditions {
		flows := []string{"1", "4", "16", "64"}[i]
		f.Header.Conditions[i] = result.Condition{Labels: map[string]string{"flows": flows}, Path: map[string]string{"flows": flows}}
	}
	for _, trial := range f.Trials {
		trial.Labels = map[string]string{"arm": trial.Labels["arm"]}
	}
	label(f)
	return f
}

// oneArm has nothing to compare.
func oneArm() *result.File {
	f := matrixFile()
	f.Header.Arms = f.Header.Arms[:1]
	f.Trials = slices.DeleteFunc(f.Trials, func(t *result.Trial) bool { return t.Labels["arm"] != "newreno" })
	return f
}

func TestMatrix(t *testing.T) {
	for _, tt := range []struct {
		name  string
		file  *result.File
		opts  compare.Options
		looks Options
	}{
		{"matrix", matrixFile(), compare.Options{}, Options{}},
		{"matrix-ascii", matrixFile(), compare.Options{Metrics: []string{"rtt_mean"}}, Options{ASCII: true}},
		{"matrix-troubled", troubledMatrix(), compare.Options{}, Options{}},
		{"matrix-one-factor", oneFactor(), compare.Options{}, Options{}},
		{"matrix-one-arm", oneArm(), compare.Options{}, Options{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := text(t, tt.file, tt.opts, tt.looks)
			golden(t, tt.name, got)
			checkLines(t, got, tt.looks)
		})
	}
	for format := range formats {
		t.Run(format, func(t *testing.T) {
			golden(t, format+"-matrix", formatted(t, format, matrixFile(), compare.Options{}))
			golden(t, format+"-matrix-troubled", formatted(t, format, troubledMatrix(), compare.Options{}))
		})
	}
}

// What a factor says is not said again; what follows from it is.
func TestConditionPaths(t *testing.T) {
	for _, tt := range []struct {
		factor, value string
		path          map[string]string
		want          []string
	}{
		{"path.rtt", "10ms", map[string]string{"rtt": "10ms"}, nil},
		{"path.rtt", "10ms", map[string]string{"rtt": "10ms", "buffer": "125000 B (1bdp)"}, []string{"buffer=125000 B (1bdp)"}},
		{"path.buffer", "1bdp", map[string]string{"buffer": "125000 B (1bdp)"}, []string{"buffer=125000 B (1bdp)"}},
		{"flows", "4", map[string]string{"flows": "4"}, nil},
		{"flows", "4", map[string]string{"warmup": "4"}, []string{"warmup=4"}},
		{"drop.every", "30", map[string]string{"drop": "nth every 30"}, []string{"drop=nth every 30"}},
		{"sysctl.net.ipv4.tcp_ecn", "1", nil, nil},
	} {
		got := conditionPaths(&compare.Table{Header: &result.Header{
			Factors: []string{tt.factor}, Conditions: []result.Condition{{Labels: map[string]string{tt.factor: tt.value}, Path: tt.path}},
		}})
		switch {
		case tt.want == nil && len(got) == 0:
		case len(got) != 1 || got[0].name != tt.factor+"="+tt.value || !slices.Equal(got[0].words, tt.want):
			t.Errorf("%s=%s, path %v: %+v, want %q", tt.factor, tt.value, tt.path, got, tt.want)
		}
	}
}

// One unit for all conditions, and in it digits that tell arms apart.
func TestMatrixColumnsHaveOneScale(t *testing.T) {
	table, err := compare.New(matrixFile(), compare.Options{Metrics: []string{"goodput", "rtt_mean", "netpower"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Mbit/s", "ms", "MB/s²"} {
		c := table.Compared[i]
		scale := columnScale(table, c)
		if scale.Unit != want {
			t.Errorf("%s in %s, want %s", c.Metric.Name, scale.Unit, want)
		}
		for row, cell := range c.Cells {
			printed := scale.Format(cell.Summary.Mean)
			if digits := strings.TrimLeft(strings.ReplaceAll(printed, ".", ""), "0"); len(digits) < 3 {
				t.Errorf("%s, row %d: %s is printed as %s", c.Metric.Name, row, unit.Format(cell.Summary.Mean, c.Metric.Unit), printed)
			}
		}
	}
}

// Each cell of JSON and each row of CSV says of which condition it is; the
// columns of a file without a matrix stay where they are.
func TestMatrixInData(t *testing.T) {
	file := troubledMatrix()
	table, err := compare.New(file, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := JSON(&out, table); err != nil {
		t.Fatal(err)
	}
	var s sheet
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if want := newSheet(table); !reflect.DeepEqual(s, want) {
		t.Errorf("reads back as\n%+v\nwant\n%+v", s, want)
	}
	rows, err := csv.NewReader(strings.NewReader(formatted(t, "csv", file, compare.Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := append(slices.Clone(csvHeader), "path.rtt", "drop.every"); !slices.Equal(rows[0], want) {
		t.Errorf("columns %v, want %v", rows[0], want)
	}
	rows = rows[1:]
	for _, m := range s.Metrics {
		for i, cell := range m.Cells {
			condition, arm := file.Header.Conditions[i/3].Labels, file.Header.Arms[i%3].Name
			last := rows[0][len(csvHeader):]
			if !maps.Equal(cell.Condition, condition) || cell.Arm != arm || rows[0][0] != arm ||
				!slices.Equal(last, []string{condition["path.rtt"], condition["drop.every"]}) {
				t.Errorf("%s, cell %d: %v of %s, in CSV %v of %s; want %v of %s", m.Name, i, cell.Condition, cell.Arm, last, rows[0][0], condition, arm)
			}
			rows = rows[1:]
		}
	}
	checkCounts(t, s)
}

// checkCounts holds an arm's counts against those of its conditions.
func checkCounts(t *testing.T, s sheet) {
	t.Helper()
	for i, arm := range s.Arms {
		sum := sheetCount{Name: arm.Name}
		for _, c := range s.Conditions {
			sum.Planned += c.Arms[i].Planned
			sum.Usable += c.Arms[i].Usable
			sum.Suspect += c.Arms[i].Suspect
			sum.Invalid += c.Arms[i].Invalid
		}
		if want := (sheetCount{arm.Name, arm.Planned, arm.Usable, arm.Suspect, arm.Invalid}); sum != want || want.Invalid == 0 {
			t.Errorf("conditions come to %+v, all of the arm's are %+v", sum, want)
		}
	}
}

// Labels may come from anywhere, too.
func TestMatrixIsSafeToPrint(t *testing.T) {
	file := matrixFile()
	for i, c := range file.Header.Conditions {
		file.Header.Conditions[i].Labels = map[string]string{"a|b\x1b[31m": c.Labels["path.rtt"] + "\u202e", "*x*": c.Labels["drop.every"] + "\n|"}
	}
	file.Header.Factors = []string{"a|b\x1b[31m", "*x*"}
	for _, trial := range file.Trials {
		trial.Labels = map[string]string{"arm": trial.Labels["arm"]}
	}
	label(file)
	for _, printed := range []string{
		text(t, file, compare.Options{}, Options{}), formatted(t, "markdown", file, compare.Options{}),
		strings.ReplaceAll(formatted(t, "csv", file, compare.Options{}), "\r", ""), formatted(t, "json", file, compare.Options{}),
	} {
		if strings.ContainsAny(printed, "\x1b\u202e") {
			t.Errorf("not safe: %q", printed)
		}
	}
	for line := range strings.Lines(formatted(t, "markdown", file, compare.Options{})) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|:") {
			continue
		}
		if n := len(cells(strings.TrimSpace(line))); n != 11 && n != 7 {
			t.Errorf("%d cells in %s", n, line)
		}
	}
}
