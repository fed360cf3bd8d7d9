package testbed

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ccbench/internal/experiment"
	"ccbench/internal/plan"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// summary is what a plan of an experiment in testdata is shown as.
func summary(t *testing.T, name string, overrides ...string) *plan.Summary {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	p := planOf(t, name, string(text), overrides...)
	return plan.Summarize(p, Describe(p), 28*time.Second)
}

func planOf(t *testing.T, name, text string, overrides ...string) *plan.Plan {
	t.Helper()
	e, err := experiment.Parse(name, []byte(text), overrides...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanGoldens(t *testing.T) {
	shaped := summary(t, "plan-shaped.yaml", "path.rtt=30ms", "seed=7")
	golden(t, "plan-shaped.txt", shaped.Text())
	golden(t, "plan-shaped.json", jsonOf(t, shaped))
	golden(t, "plan-direct.txt", summary(t, "plan-direct.yaml").Text())
	golden(t, "plan-direct.json", jsonOf(t, summary(t, "plan-direct.yaml")))
}

func jsonOf(t *testing.T, s *plan.Summary) string {
	t.Helper()
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it); got\n%s", file, got)
	}
}

func TestPlanTextFits(t *testing.T) {
	arms := "version: 1\nbaseline: " + strings.Repeat("n", 64) + "\narms:\n  - {name: " + strings.Repeat("n", 64) + ", algorithm: newreno}\n"
	for i, s := range []string{"a", "b", "c", "d", "e"} {
		arms += fmt.Sprintf("  - {name: %s, algorithm: cubic, sysctl: {net.ipv4.tcp_wmem: 1 2 %d}}\n", strings.Repeat(s, 40), i)
	}
	p := planOf(t, "wide.yaml", arms+"path: {engine: direct}\ndrop: {mode: nth, every: 1000000000}\n",
		"description="+strings.Repeat("word ", 60), "sysctl={net.ipv4.tcp_ecn: 1, net.ipv4.tcp_sack: 1, net.ipv4.tcp_timestamps: 1, net.ipv4.tcp_dsack: 1}")
	for line := range strings.Lines(plan.Summarize(p, Describe(p), time.Hour).Text()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

// Arms share a setup exactly when nothing but the algorithm differs.
func TestDescribeOncePerSetup(t *testing.T) {
	setups := summary(t, "plan-shaped.yaml").Setups
	var arms [][]string
	for _, s := range setups {
		arms = append(arms, s.Arms)
	}
	want := [][]string{{"cubic", "newreno"}, {"cubic-buffers"}}
	if !slices.EqualFunc(arms, want, slices.Equal[[]string]) {
		t.Errorf("setups of %v, want %v", arms, want)
	}
}

// Offloads stay on where nothing counts packets.
func TestDescribeOffloads(t *testing.T) {
	for text, want := range map[string]bool{
		"path: {engine: direct}":                              false,
		"path: {engine: direct}\ndrop: {mode: nth, every: 9}": true,
		"path: {engine: userspace}":                           true,
	} {
		steps := Describe(planOf(t, "x.yaml", "version: 1\nalgorithms: [reno]\n"+text+"\n"))[0].Steps
		receiver := steps[len(steps)-1]
		if got := slices.Contains(receiver.Lines, "ethtool -K ccb0 tso off gso off gro off"); got != want {
			t.Errorf("%s: offloads turned off is %v, want %v", text, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"net.ipv4.tcp_ecn=1":       "net.ipv4.tcp_ecn=1",
		"net.ipv4.tcp_rmem=1 2 3":  "'net.ipv4.tcp_rmem=1 2 3'",
		"net.ipv4.x=a'b":           `'net.ipv4.x=a'\''b'`,
		"net.ipv4.x=$(reboot);`x`": "'net.ipv4.x=$(reboot);`x`'",
		"net.ipv4.x=\t":            "'net.ipv4.x=\t'",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}
