package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"ccbench/internal/experiment"
	"ccbench/internal/plan"
	"ccbench/internal/result"
)

// shortTrials make a run of any experiment as short as its check allows.
var shortTrials = []string{"duration=300ms", "warmup=100ms", "repetitions=1"}

// mostMinutes is what one waits for the table of an experiment one has not chosen the length of.
const mostMinutes = 6 * time.Minute

// Every built-in experiment runs: shortened, each trial of its plan is in the
// results with its labels, and nothing broke one. So short a trial may be too
// short to be valid.
func TestBuiltinExperimentsRun(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to build paths")
	}
	for _, name := range builtinNames() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := []string{"run", "--series", "off", "-o", "out.jsonl"}
			for _, set := range shortTrials {
				args = append(args, "--set", set)
			}
			cmd := asRoot(t, dir, append(args, name)...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != exitFewValid {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			carriedOut(t, shortPlan(t, name), readResults(t, dir))
		})
	}
}

func shortPlan(t *testing.T, name string) *plan.Plan {
	t.Helper()
	p, err := loadPlan(name, shortTrials)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// carriedOut fails the test unless a file has the trials of a plan.
func carriedOut(t *testing.T, p *plan.Plan, file *result.File) {
	t.Helper()
	if len(file.Trials) != len(p.Trials) || file.Torn || file.Header.PlanHash != p.Hash {
		t.Fatalf("%d trials of plan %s, torn %v; want %d of %s",
			len(file.Trials), file.Header.PlanHash, file.Torn, len(p.Trials), p.Hash)
	}
	for i, planned := range p.Trials {
		got := file.Trials[i]
		if got.Trial != planned.Index || got.Block != planned.Block || !maps.Equal(got.Labels, planned.Labels) {
			t.Errorf("trial %d of block %d is %v, want %d, %d, %v",
				got.Trial, got.Block, got.Labels, planned.Index, planned.Block, planned.Labels)
		}
		if got.Error != "" || len(got.Flows) == 0 {
			t.Errorf("trial %d, %v, broke: %s", got.Trial, got.Labels, got.Error)
		}
	}
}

// Every built-in experiment is ready to be read: named as its file is, described,
// begun by a line for the list, in plain ASCII, and done in the time one takes for it.
func TestBuiltinExperimentsAreInOrder(t *testing.T) {
	names := builtinNames()
	want := []string{"bufferbloat", "internet-uplink", "lan-direct", "loss-sweep", "loss1pct", "rtt-sweep"}
	if !slices.Equal(names, want) {
		t.Errorf("built in are %v, want %v", names, want)
	}
	for _, name := range names {
		_, text, err := builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		onDisk, err := os.ReadFile(filepath.Join("../../experiments", name+yamlExt))
		if err != nil || !bytes.Equal(text, onDisk) {
			t.Errorf("%s: what is built in is not the file, or error %v", name, err)
		}
		if !regexp.MustCompile(`^# [A-Z][^\n]{20,72}\.\n#\n# Purpose: (?s:.*)\n# Expectation: `).Match(text) {
			t.Errorf("%s does not begin with a line for the list, its purpose and what is expected", name)
		}
		if bytes.ContainsFunc(text, func(r rune) bool { return r > '~' }) {
			t.Errorf("%s is not ASCII", name)
		}
		e, err := experiment.Parse("other.yaml", text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e.Name != name || e.Description == "" {
			t.Errorf("%s calls itself %q: %q", name, e.Name, e.Description)
		}
		if took, _, err := describeBuiltin(name); err != nil || took > mostMinutes {
			t.Errorf("%s takes %v, error %v; want %v at most", name, took, err, mostMinutes)
		}
	}
}
