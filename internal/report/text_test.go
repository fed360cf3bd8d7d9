package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ccbench/internal/compare"
	"ccbench/internal/result"
	"ccbench/internal/stats"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample are the values of one arm, one a block; nil values are null.
type sample struct {
	arm    string
	values map[string][]float64
}

// loss1pct is what an experiment with one drop in a hundred looks like.
var loss1pct = []sample{
	{"newreno", map[string][]float64{
		"goodput":          {31.42e6, 30.87e6, 31.95e6, 31.10e6, 30.66e6, 31.73e6},
		"retransmits":      {108, 106, 110, 107, 105, 109},
		"retransmit_ratio": {0.00998, 0.00997, 0.01001, 0.00999, 0.00994, 0.00998},
		"rtt_mean":         {0.04021, 0.04019, 0.04023, 0.04020, 0.04018, 0.04022},
		"netpower":         {97.7e6, 96.0e6, 99.3e6, 96.7e6, 95.4e6, 98.6e6},
	}},
	{"cubic", map[string][]float64{
		"goodput":          {20.95e6, 20.71e6, 21.60e6, 20.77e6, 20.30e6, 21.38e6},
		"retransmits":      {72, 71, 75, 71, 70, 74},
		"retransmit_ratio": {0.00998, 0.00996, 0.01008, 0.00993, 0.01002, 0.01005},
		"rtt_mean":         {0.04019, 0.04018, 0.04020, 0.04018, 0.04017, 0.04020},
		"netpower":         {65.2e6, 64.4e6, 67.2e6, 64.6e6, 63.2e6, 66.5e6},
	}},
	{"bbr", map[string][]float64{
		"goodput":          {91.92e6, 92.05e6, 91.88e6, 92.11e6, 91.97e6, 92.01e6},
		"retransmits":      {316, 318, 315, 319, 317, 316},
		"retransmit_ratio": {0.00998, 0.01003, 0.00995, 0.01006, 0.01001, 0.00997},
		"rtt_mean":         {0.04467, 0.04482, 0.04455, 0.04490, 0.04471, 0.04473},
		"netpower":         {257.2e6, 256.7e6, 257.8e6, 256.4e6, 257.1e6, 257.1e6},
	}},
}

var definitions = []result.Metric{
	{Name: "goodput", Unit: "bit/s", Better: result.Higher},
	{Name: "retransmits", Unit: "segments", Better: result.Lower},
	{Name: "retransmit_ratio", Unit: "ratio", Better: result.Lower},
	{Name: "rtt_mean", Unit: "s", Better: result.Lower},
	{Name: "netpower", Unit: "B/s^2", Better: result.Higher},
	{Name: "rwnd_limited", Unit: "ratio"},
}

// makeFile lays samples out as trials, block by block.
func makeFile(samples []sample) *result.File {
	f := &result.File{Name: "x.jsonl", Header: &result.Header{
		Name: "loss1pct", Description: "every 100th data packet\ndropped at the receiver",
		Ccbench: "0.1.0", Seed: 1, Repetitions: blocks(samples), Baseline: samples[0].arm, Metrics: definitions,
		Path: map[string]string{"rate": "100mbit", "rtt": "40ms", "engine": "userspace", "buffer": "1bdp", "drop": "nth every 100", "mtu": "1500 (default)", "warmup": "1s", "duration": "4s"},
	}, Hosts: []*result.Host{{Kernel: "6.18.5"}}}
	for _, s := range samples {
		f.Header.Arms = append(f.Header.Arms, result.Arm{Name: s.arm, Algorithm: s.arm, Kernel: strings.TrimPrefix(s.arm, "new")})
	}
	for block := range f.Header.Repetitions {
		for _, s := range samples {
			f.Trials = append(f.Trials, makeTrial(s, block, len(f.Trials)+1))
		}
	}
	return f
}

// blocks is how many values a metric of the samples has.
func blocks(samples []sample) int {
	n := 0
	for _, values := range samples[0].values {
		n = max(n, len(values))
	}
	return n
}

func makeTrial(s sample, block, index int) *result.Trial {
	trial := &result.Trial{Trial: index, Block: block + 1, Verdict: result.Valid,
		Labels: map[string]string{"arm": s.arm}, Metrics: map[string]*float64{}}
	for metric, values := range s.values {
		trial.Metrics[metric] = &values[block]
	}
	return trial
}

func invalidate(trial *result.Trial, verdict result.Verdict, check, detail string) {
	trial.Verdict = verdict
	trial.Reasons = []result.Reason{{Verdict: verdict, Check: check, Detail: detail}}
}

// troubledFile lacks trials and values, and some of what it has is doubtful.
func troubledFile() *result.File {
	f := makeFile(loss1pct)
	invalidate(f.Trials[4], result.Invalid, "window", "the receiver's window was 3.90 s, asked 4 s")
	invalidate(f.Trials[5], result.Suspect, "limited", "rwnd_limited and sndbuf_limited were 7.2 % of the window")
	f.Trials, f.Torn = f.Trials[:16], true
	f.Trials[0].Metrics["netpower"] = nil
	f.Hosts = append(f.Hosts, &result.Host{Kernel: "6.12.9"})
	return f
}

// zeroFile has a baseline that no percentage can be of.
func zeroFile() *result.File {
	f := makeFile([]sample{{"dctcp", map[string][]float64{"retransmits": {0, 0, 0, 0, 0, 0}}},
		{"dctcp-ecn", map[string][]float64{"retransmits": {3, 5, 4, 6, 2, 4}}}})
	f.Header.Arms[1].Kernel, f.Header.Arms[1].Sysctl = "dctcp", map[string]string{"net.ipv4.tcp_ecn": "1"}
	return f
}

func TestText(t *testing.T) {
	troubled, zero := troubledFile(), zeroFile()
	open := makeFile([]sample{loss1pct[0], {"reno-again", map[string][]float64{
		"goodput": {31.02e6, 31.87e6, 30.15e6, 32.10e6, 30.96e6, 31.03e6}, "rtt_mean": loss1pct[1].values["rtt_mean"]}}})

	once := makeFile(loss1pct)
	once.Header.Repetitions, once.Trials = 1, once.Trials[:3]

	uncertain := makeFile([]sample{{"westwood", map[string][]float64{"retransmits": {0, 1, 0, 0, 9, 0}}},
		{"vegas", map[string][]float64{"retransmits": {83, 95, 104, 86, 92, 94}}}})

	// No value of a metric at all, no direction, and a difference of shares.
	share := makeFile([]sample{{"reno", map[string][]float64{"rwnd_limited": {0, 0, 0, 0, 0, 0}}},
		{"bbr", map[string][]float64{"rwnd_limited": {0.012, 0.015, 0.014, 0.016, 0.012, 0.014}}}})

	// Two repetitions on a veth, where processors alone set the figures.
	veth := makeFile([]sample{
		{"newreno", map[string][]float64{"goodput": {1.104e9, 1.098e9}, "retransmits": {0, 1},
			"retransmit_ratio": {0, 0.0000021}, "rtt_mean": {0.00041, 0.00047}, "netpower": {368e9, 271e9}}},
		{"bbr", map[string][]float64{"goodput": {28.31e9, 29.94e9}, "retransmits": {67164, 95629},
			"retransmit_ratio": {0.0132, 0.0161}, "rtt_mean": {0.000041, 0.000038}, "netpower": {86.31e12, 98.49e12}}},
	})
	veth.Header.Name, veth.Header.Description = "unshaped", ""
	veth.Header.Path = map[string]string{"engine": "direct", "duration": "4s", "warmup": "1s"}
	for _, trial := range veth.Trials {
		invalidate(trial, result.Suspect, "unlimited", "neither a rate nor a loss limits the flows on this path, only the processors")
	}

	// An interval from two blocks that would reach below -100 %, and one SUSPECT trial.
	clipped := makeFile([]sample{
		{"cubic", map[string][]float64{"goodput": {41.2e6, 43.9e6}}},
		{"westwood", map[string][]float64{"goodput": {12.9e6, 9.8e6}}},
	})
	invalidate(clipped.Trials[3], result.Suspect, "cpu", "others used 31 % of the processors")

	for _, tt := range []struct {
		name  string
		file  *result.File
		opts  compare.Options
		looks Options
	}{
		{"plain", makeFile(loss1pct), compare.Options{}, Options{}},
		{"ascii", makeFile(loss1pct), compare.Options{}, Options{ASCII: true}},
		{"metrics", makeFile(loss1pct), compare.Options{Metrics: []string{"goodput", "netpower", "rtt_mean"}, Baseline: "cubic"}, Options{}},
		{"troubled", troubled, compare.Options{}, Options{}},
		{"open", open, compare.Options{}, Options{}},
		{"once", once, compare.Options{}, Options{}},
		{"zero", zero, compare.Options{Metrics: []string{"retransmits"}}, Options{}},
		{"share", share, compare.Options{Metrics: []string{"rwnd_limited", "rtt_mean"}}, Options{}},
		{"veth", veth, compare.Options{}, Options{}},
		{"veth-ascii", veth, compare.Options{}, Options{ASCII: true}},
		{"clipped", clipped, compare.Options{}, Options{}},
		{"uncertain", uncertain, compare.Options{Metrics: []string{"retransmits"}}, Options{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := text(t, tt.file, tt.opts, tt.looks)
			golden(t, tt.name, got)
			checkLines(t, got, tt.looks)
		})
	}
}

func estimate(value, half float64) *stats.Comparison {
	return &stats.Comparison{Delta: stats.Estimate{Value: value, Interval: &stats.Interval{Low: value - half, High: value + half}}}
}

func TestColumnDecimals(t *testing.T) {
	absolute := &stats.Comparison{Delta: stats.Estimate{Value: 500}, Difference: estimate(5, 1).Delta}
	for _, tt := range []struct {
		name  string
		cells []*stats.Comparison
		want  int
	}{
		{"two digits of the narrowest", []*stats.Comparison{nil, estimate(-0.33, 0.008), estimate(1.94, 0.06)}, 2},
		{"five digits of the largest", []*stats.Comparison{estimate(-0.003, 0.043), estimate(30.83, 1.03)}, 1},
		{"six are too many", []*stats.Comparison{estimate(-0.33, 0.006), estimate(19.4, 0.6)}, 1},
		{"six in the interval", []*stats.Comparison{estimate(0, 0.043), estimate(99.9, 1.03)}, 0},
		{"none to lose", []*stats.Comparison{estimate(31027, 49)}, 0},
		{"absolute does not count", []*stats.Comparison{absolute, estimate(0.3, 0.2)}, 0},
		{"no interval", []*stats.Comparison{{Delta: stats.Estimate{Value: -0.333}}}, 1},
	} {
		var c compare.Column
		for _, comparison := range tt.cells {
			c.Cells = append(c.Cells, compare.Cell{Comparison: comparison})
		}
		if got := columnDecimals(c); got != tt.want {
			t.Errorf("%s: %d decimals, want %d", tt.name, got, tt.want)
		}
	}
}

func TestTimes(t *testing.T) {
	for value, want := range map[float64]string{-0.5: "", 9: "", 9.01: "×10.0; ", 30.83: "×31.8; ", 316.6: "×318; ", 31826: "×31827; "} {
		if got := times(*estimate(value, 0.1)); got != want {
			t.Errorf("%+g %%: %q, want %q", value*100, got, want)
		}
	}
	uncertain := stats.Comparison{Delta: stats.Estimate{Value: 50}, Difference: stats.Estimate{Value: 9, Interval: &stats.Interval{Low: 8, High: 10}}}
	if got := times(uncertain); got != "" {
		t.Errorf("of what is not a percentage: %q, want none", got)
	}
}

func text(t *testing.T, file *result.File, opts compare.Options, looks Options) string {
	t.Helper()
	table, err := compare.New(file, opts)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Text(&out, table, looks); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// checkLines holds what every table promises, whatever the golden file says.
func checkLines(t *testing.T, text string, looks Options) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > width && !strings.Contains(line, " vs ") {
			t.Errorf("%d characters, want at most %d: %s", n, width, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("spaces at the end of %q", line)
		}
		if looks.ASCII && strings.ContainsFunc(line, func(r rune) bool { return r > 127 }) {
			t.Errorf("not ASCII: %s", line)
		}
		if !looks.ASCII && strings.Contains(line, " -") && !strings.Contains(line, "---") {
			t.Errorf("a hyphen for a minus: %s", line)
		}
	}
}

// The library would count some signs as two columns wide in some locales.
func TestTextIgnoresLocale(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestText$", "-test.count=1")
	cmd.Env = append(os.Environ(), "LANG=ja_JP.UTF-8", "LC_ALL=ja_JP.UTF-8", "RUNEWIDTH_EASTASIAN=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("in a Japanese locale: %v\n%s", err, out)
	}
}

// The file may come from anywhere.
func TestTextIsSafeToPrint(t *testing.T) {
	file := makeFile([]sample{{"red\x1b[31m", loss1pct[0].values}, {"a\tb\u202e", loss1pct[1].values}})
	file.Header.Name, file.Header.Description = "\x1b]0;title\a", "two\r\nlines"
	file.Hosts[0].Kernel = "6\x00"
	for _, r := range text(t, file, compare.Options{}, Options{}) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("printed %U", r)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestTextWriteError(t *testing.T) {
	table, err := compare.New(makeFile(loss1pct), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Text(brokenWriter{}, table, Options{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v, want the writer's", err)
	}
}
