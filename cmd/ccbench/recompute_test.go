package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ccbench/internal/metric"
	"ccbench/internal/result"
)

// levels are the factors of random matrices, each with its values.
var levels = []struct {
	factor string
	values []string
}{{"path.rtt", []string{"10ms", "40ms"}}, {"drop.every", []string{"30", "100", "1000"}}, {"flows", []string{"1", "4"}}}

// randomHeader is of three arms, seven repetitions and so many factors.
func randomHeader(factors int) result.Header {
	h := result.Header{
		Name: "random", Baseline: "newreno", Repetitions: 7, Trials: 21, Metrics: metric.Definitions(),
		Arms: []result.Arm{{Name: "newreno", Kernel: "reno"}, {Name: "cubic", Kernel: "cubic"}, {Name: "bbr", Kernel: "bbr"}},
	}
	all := []map[string]string{{}}
	for _, level := range levels[:factors] {
		h.Factors = append(h.Factors, level.factor)
		var longer []map[string]string
		for _, labels := range all {
			for _, value := range level.values {
				more := maps.Clone(labels)
				more[level.factor] = value
				longer = append(longer, more)
			}
		}
		all = longer
	}
	for _, labels := range all[:len(all)*min(factors, 1)] {
		h.Conditions = append(h.Conditions, result.Condition{Labels: labels, Path: map[string]string{}})
	}
	h.Trials *= len(all)
	return h
}

// randomTrials are the header's in random order, each with whatever goodput
// comes. One arm has an invalid trial under each condition.
func randomTrials(h result.Header, random *rand.Rand) []*result.Trial {
	conditions := h.Conditions
	if len(conditions) == 0 {
		conditions = []result.Condition{{}}
	}
	var trials []*result.Trial
	for block := range h.Repetitions * len(conditions) {
		for i, arm := range h.Arms {
			goodput := 1e7 * float64(1+block%len(conditions)) * (1 + random.Float64()/4)
			labels := map[string]string{"arm": arm.Name, "algorithm": arm.Name}
			maps.Copy(labels, conditions[block%len(conditions)].Labels)
			trial := &result.Trial{Block: block + 1, Labels: labels, Verdict: result.Valid, Metrics: map[string]*float64{"goodput": &goodput}}
			if block/len(conditions) == 3 && i == 1 {
				trial.Verdict, trial.Reasons = result.Invalid, []result.Reason{{Verdict: result.Invalid, Check: "window"}}
			}
			trials = append(trials, trial)
		}
	}
	random.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
	for i, trial := range trials {
		trial.Trial = i + 1
	}
	return trials
}

// randomResults is such a file.
func randomResults(t *testing.T, seed uint64, factors int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	h := randomHeader(factors)
	w, err := result.Create(path, h)
	if err == nil {
		err = w.Begin([]result.Host{{Kernel: "6.0"}})
	}
	for _, trial := range randomTrials(h, rand.New(rand.NewPCG(seed, uint64(factors)))) {
		if err == nil {
			err = w.Trial(trial, nil)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// The table agrees to its last digit with what a few lines of awk make of the
// results file, with and without a matrix.
func TestTableAgreesWithAwk(t *testing.T) {
	for seed := range uint64(20) {
		factors := int(seed % 4)
		path := randomResults(t, seed, factors)
		var stdout, stderr strings.Builder
		if status := run([]string{"compare", "--ascii", path}, &stdout, &stderr); status != exitOK {
			t.Fatalf("status %d: %s", status, stderr.String())
		}
		awk, err := exec.Command("awk", "-f", "../../docs/recompute.awk", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		lines, rows := strings.Split(strings.TrimSpace(string(awk)), "\n"), tableRows(stdout.String(), factors)
		if want := randomHeader(factors).Trials / 7; len(lines) != want || len(rows) != want {
			t.Fatalf("awk has %d lines, the table %d rows, want %d:\n%s", len(lines), len(rows), want, stdout.String())
		}
		for i := range rows {
			agree(t, rows[i], strings.Fields(lines[i]))
		}
	}
}

// tableRows are the rows of the first table: condition and arm in words, n,
// mean, stddev and delta. The delta is "" where it is no percentage.
func tableRows(table string, factors int) [][]string {
	row := regexp.MustCompile(`(?m)^(.*\S) +(\d+)/7 +([0-9.]+) +([0-9.]+) +(?:[0-9.]+ +){3}(?:baseline|([-+]?[0-9.]+)% .*|.*)$`)
	var rows [][]string
	var condition []string
	for _, found := range row.FindAllStringSubmatch(table, -1) {
		names := strings.Fields(found[1])
		if len(names) > 1 {
			condition = nil
			for i, value := range names[:factors] {
				condition = append(condition, levels[i].factor+"="+value)
			}
		}
		rows = append(rows, slices.Concat(condition, names[len(names)-1:], found[2:]))
	}
	return rows
}

// agree compares a row of the table with the unrounded figures.
func agree(t *testing.T, row, exact []string) {
	t.Helper()
	numbers := len(row) - 3
	if len(exact) != len(row) || !slices.Equal(row[:numbers], exact[:numbers]) {
		t.Fatalf("the table has %v, awk %v", row, exact)
	}
	for i := numbers; i < len(row); i++ {
		value, err := strconv.ParseFloat(exact[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		_, decimals, _ := strings.Cut(row[i], ".")
		rounded := fmt.Sprintf("%+.*f", len(decimals), value)
		if i < len(row)-1 || strings.Trim(rounded, "+-0.") == "" { // only a delta has a sign, and zero has none
			rounded = rounded[1:]
		}
		if row[i] != "" && row[i] != rounded {
			t.Errorf("%v: the table has %s, awk %s", row[:numbers], row[i], exact[i])
		}
	}
}
