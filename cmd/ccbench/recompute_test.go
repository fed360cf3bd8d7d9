package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ccbench/internal/metric"
	"ccbench/internal/result"
)

// randomResults is a results file of three arms and seven blocks, with one
// invalid trial, and whatever goodput comes.
func randomResults(t *testing.T, seed uint64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "out.jsonl")
	arms := []result.Arm{{Name: "newreno", Kernel: "reno"}, {Name: "cubic", Kernel: "cubic"}, {Name: "bbr", Kernel: "bbr"}}
	w, err := result.Create(path, result.Header{
		Name: "random", Arms: arms, Baseline: "newreno", Trials: 21, Repetitions: 7, Metrics: metric.Definitions(),
	})
	if err == nil {
		err = w.Begin([]result.Host{{Kernel: "6.0"}})
	}
	for i := 0; i < 21 && err == nil; i++ {
		goodput := 1e8 * random.Float64()
		trial := &result.Trial{
			Trial: i + 1, Block: i/3 + 1, Labels: map[string]string{"arm": arms[i%3].Name},
			Verdict: result.Valid, Metrics: map[string]*float64{"goodput": &goodput},
		}
		if i == 10 {
			trial.Verdict, trial.Reasons = result.Invalid, []result.Reason{{Verdict: result.Invalid, Check: "window"}}
		}
		err = w.Trial(trial, nil)
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
// results file.
func TestTableAgreesWithAwk(t *testing.T) {
	row := regexp.MustCompile(`(?m)^(\S+) +(\d+)/7 +([0-9.]+) +([0-9.]+) .*?(?:baseline|([-+][0-9.]+)%)`)
	for seed := range uint64(20) {
		path := randomResults(t, seed)
		var stdout, stderr strings.Builder
		if status := run([]string{"compare", "--ascii", path}, &stdout, &stderr); status != exitOK {
			t.Fatalf("status %d: %s", status, stderr.String())
		}
		awk, err := exec.Command("awk", "-f", "../../docs/recompute.awk", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		lines, rows := strings.Split(strings.TrimSpace(string(awk)), "\n"), row.FindAllStringSubmatch(stdout.String(), -1)
		if len(lines) != 3 || len(rows) != 3 {
			t.Fatalf("awk has %d lines, the table %d rows:\n%s", len(lines), len(rows), stdout.String())
		}
		for i := range rows {
			agree(t, rows[i][1:], strings.Fields(lines[i]))
		}
	}
}

// agree compares a row of the table, name, n, mean, stddev and delta, with
// the unrounded figures.
func agree(t *testing.T, row, exact []string) {
	t.Helper()
	if row[0] != exact[0] || row[1] != exact[1] {
		t.Errorf("the table has %v, awk %v", row, exact)
	}
	for i := 2; i < 5; i++ {
		value, err := strconv.ParseFloat(exact[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		_, decimals, _ := strings.Cut(row[i], ".")
		form := "%.*f"
		if i == 4 {
			form = "%+.*f"
		}
		if rounded := fmt.Sprintf(form, len(decimals), value); row[i] != "" && row[i] != rounded {
			t.Errorf("%s: the table has %s, awk %s", row[0], row[i], exact[i])
		}
	}
}
