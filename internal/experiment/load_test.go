package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"ccbench/internal/unit"
)

const minimal = "version: 1\nalgorithms: [newreno, cubic]\n"

func mustParse(t *testing.T, text string) *Experiment {
	t.Helper()
	e, err := Parse("dir/quick.yaml", []byte(text))
	if err != nil {
		t.Fatalf("Parse of %q: %v", text, err)
	}
	return e
}

func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestDefaults(t *testing.T) {
	got := mustParse(t, minimal)
	want := &Experiment{
		Name:        "quick",
		Seed:        1,
		Arms:        []Arm{{Name: "newreno", Algorithm: "newreno", Kernel: "reno"}, {Name: "cubic", Algorithm: "cubic", Kernel: "cubic"}},
		Baseline:    "newreno",
		Repetitions: 10,
		Conditions: []Condition{{
			Labels:   map[string]string{},
			Duration: 10 * time.Second,
			Warmup:   2 * time.Second,
			Interval: 10 * time.Millisecond,
			Path: Path{
				Engine: Userspace, Rate: 100_000_000, RTT: 40 * time.Millisecond, Buffer: Buffer{"1bdp", 500_000},
				MTU: 1500, Overhead: 14, Default: []string{"engine", "rate", "rtt", "buffer", "mtu", "overhead"},
			},
			Flows:   1,
			Default: []string{"duration", "warmup", "interval", "flows"},
		}},
		Default: []string{"seed", "baseline", "repetitions"},
		File:    "dir/quick.yaml",
		Text:    []byte(minimal),
	}
	check(t, "experiment", got, want)
}

func TestEveryKey(t *testing.T) {
	f, err := os.Open("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := Load("testdata/full.yaml", f)
	if err != nil {
		t.Fatal(err)
	}
	got.Text = nil
	want := &Experiment{
		Name:        "full.example",
		Description: "Two lines\nof text.\n",
		Seed:        1<<64 - 1,
		Arms: []Arm{
			{Name: "cubic", Algorithm: "cubic", Kernel: "cubic"},
			{Name: "cubic-ecn", Algorithm: "cubic", Kernel: "cubic", Sysctl: map[string]string{"net.ipv4.tcp_ecn": "1"}},
			{Name: "newreno", Algorithm: "newreno", Kernel: "reno"},
		},
		Baseline:    "cubic-ecn",
		Repetitions: 3,
		Conditions: []Condition{{
			Labels:   map[string]string{},
			Duration: 90 * time.Second,
			Interval: 100 * time.Millisecond,
			Path: Path{
				Engine: Userspace, Rate: 1_500_000, RTT: 20 * time.Millisecond, Buffer: Buffer{"20pkt", 20 * 1438},
				MTU: 1400, Overhead: 38, Default: []string{},
			},
			Drop:    &Drop{Mode: Nth, Every: 50, First: 7, Unit: "segment"},
			Flows:   4,
			Sysctl:  map[string]string{"net.ipv4.tcp_rmem": "4096 131072 6291456", "net.ipv4.tcp_ecn": "0"},
			Default: []string{},
		}},
		Default: []string{},
		File:    "testdata/full.yaml",
	}
	check(t, "experiment", got, want)
	check(t, "sysctls of cubic-ecn", got.Conditions[0].SysctlOf(got.Arms[1]),
		map[string]string{"net.ipv4.tcp_rmem": "4096 131072 6291456", "net.ipv4.tcp_ecn": "1"})
}

func TestBuffer(t *testing.T) {
	for text, want := range map[string]unit.Bytes{
		"1bdp": 500_000, "0.5bdp": 250_000, "0.0033bdp": 1650, "250KB": 250_000, "64KiB": 65_536, "200pkt": 200 * 1514,
		"20ms": 250_000, "0.5s": 6_250_000, "1514B": 1514, "1pkt": 1514,
	} {
		e := mustParse(t, minimal+"path: {engine: userspace, buffer: "+text+"}\n").Conditions[0]
		check(t, text, e.Path.Buffer, Buffer{text, want})
	}
	// 10 Mbit/s x 43 ms is 53750 B to the byte; in floats it would be one less.
	e := mustParse(t, minimal+"path: {engine: userspace, rate: 10mbit, rtt: 43ms}\n").Conditions[0]
	check(t, "1bdp", e.Path.Buffer.Bytes, unit.Bytes(53_750))
}

func TestDirectPath(t *testing.T) {
	e := mustParse(t, minimal+"path: {engine: direct}\ndrop: {mode: random, probability: 0.5%}\n").Conditions[0]
	check(t, "path", e.Path, Path{Engine: Direct, MTU: 1500, Default: []string{"mtu"}})
	check(t, "drop", e.Drop, &Drop{Mode: Random, Probability: 0.005, Unit: "segment"})
	e = mustParse(t, minimal+"path: {engine: direct, mtu: 9000}\n").Conditions[0]
	check(t, "path", e.Path, Path{Engine: Direct, MTU: 9000, Default: []string{}})
}

func TestWrittenIsNotDefault(t *testing.T) {
	e := mustParse(t, minimal+"seed: 1\nflows: 1\npath: {engine: userspace, rate: 100mbit}\n")
	check(t, "defaults", e.Default, []string{"baseline", "repetitions"})
	check(t, "defaults of the condition", e.Conditions[0].Default, []string{"duration", "warmup", "interval"})
	check(t, "path defaults", e.Conditions[0].Path.Default, []string{"rtt", "buffer", "mtu", "overhead"})
}

func TestSysctlValuesStayAsWritten(t *testing.T) {
	e := mustParse(t, minimal+`sysctl: {net.ipv4.a: "010", net.ipv4.b: -1, net.core.somaxconn: 1.50, net.ipv6.d: "true", net.ipv4.e: 12:30}`).Conditions[0]
	check(t, "sysctl", e.Sysctl, map[string]string{
		"net.ipv4.a": "010", "net.ipv4.b": "-1", "net.core.somaxconn": "1.50", "net.ipv6.d": "true", "net.ipv4.e": "12:30",
	})
}

func TestReadError(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := Load("x.yaml", iotest.ErrReader(broken))
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "x.yaml") {
		t.Errorf("got %v, want the read error and the file's name", err)
	}
	if list := (Errors)(nil); errors.As(err, &list) {
		t.Error("a file that cannot be read is no bad file")
	}
}

// The files that come with the program are read by the program.
func TestShippedExperiments(t *testing.T) {
	files, err := filepath.Glob("../../experiments/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no experiments found: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Parse(file, text)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		check(t, file+": name", e.Name+".yaml", filepath.Base(file))
		if e.Description == "" {
			t.Errorf("%s has no description", file)
		}
	}
}
