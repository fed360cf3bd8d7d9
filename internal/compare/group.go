package compare

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccbench/internal/result"
	"ccbench/internal/stats"
)

// armTrials are the trials of one row: of an arm under one condition.
type armTrials struct {
	row    Row
	under  string                // name of the condition
	blocks map[int]*result.Trial // by block, whatever the verdict
}

// byBlock are the values of one metric of one arm.
type byBlock map[int]float64

// group sorts the trials of a file into the rows of its table.
func group(file *result.File) ([]armTrials, error) {
	groups, err := sorted(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file.Name, err)
	}
	return groups, nil
}

func sorted(file *result.File) ([]armTrials, error) {
	arms := file.Header.Arms
	index, err := armIndex(arms)
	if err != nil {
		return nil, err
	}
	conditions, err := newConditions(file.Header)
	if err != nil {
		return nil, err
	}
	groups := emptyGroups(file.Header, conditions.names)
	if err := conditions.alike(file.Trials); err != nil {
		return nil, err
	}
	for _, trial := range file.Trials {
		arm, ok := index[trial.Labels["arm"]]
		if !ok {
			return nil, fmt.Errorf("trial %d is of arm %q, which the header does not list", trial.Trial, trial.Labels["arm"])
		}
		condition, err := conditions.of(trial)
		if err != nil {
			return nil, err
		}
		if err := groups[condition*len(arms)+arm].add(trial); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

func armIndex(arms []result.Arm) (map[string]int, error) {
	index := map[string]int{}
	for i, a := range arms {
		if _, ok := index[a.Name]; ok {
			return nil, fmt.Errorf("its header lists arm %q twice", a.Name)
		}
		index[a.Name] = i
	}
	if len(arms) == 0 {
		return nil, errors.New("its header lists no arms")
	}
	return index, nil
}

// emptyGroups are all rows that were planned, in the table's order.
func emptyGroups(h *result.Header, conditions []string) []armTrials {
	var groups []armTrials
	for i, name := range conditions {
		for _, a := range h.Arms {
			arm := Arm{Name: a.Name, Planned: h.Repetitions}
			groups = append(groups, armTrials{Row{arm, i}, name, map[int]*result.Trial{}})
		}
	}
	return groups
}

func (g *armTrials) add(trial *result.Trial) error {
	if other := g.blocks[trial.Block]; other != nil {
		return fmt.Errorf("trials %d and %d are both of arm %s in block %d; a block has every arm once",
			other.Trial, trial.Trial, g.row.Name, trial.Block)
	}
	g.blocks[trial.Block] = trial
	switch trial.Verdict {
	case result.Valid:
		g.row.Usable++
	case result.Suspect:
		g.row.Usable++
		g.row.Suspect++
	case result.Invalid:
		g.row.Invalid++
	default:
		return fmt.Errorf("trial %d has the verdict %q; known are VALID, SUSPECT and INVALID", trial.Trial, trial.Verdict)
	}
	return nil
}

// values are the metric's values of the usable trials that have it.
func (g armTrials) values(metric string) byBlock {
	values := byBlock{}
	for block, trial := range g.blocks {
		if v := trial.Metrics[metric]; v != nil && trial.Verdict != result.Invalid {
			values[block] = *v
		}
	}
	return values
}

// suspects is how many of values are those of SUSPECT trials.
func (g armTrials) suspects(values byBlock) int {
	n := 0
	for block := range values {
		if g.blocks[block].Verdict == result.Suspect {
			n++
		}
	}
	return n
}

// unlimited is the check that fails where neither a rate nor a loss limits the
// flows, but only the processors.
const unlimited = "unlimited"

// unlimited reports whether a trial that is averaged failed that check.
func (g armTrials) unlimited() bool {
	for _, trial := range g.blocks {
		failed := func(r result.Reason) bool { return r.Check == unlimited }
		if trial.Verdict != result.Invalid && slices.ContainsFunc(trial.Reasons, failed) {
			return true
		}
	}
	return false
}

// inOrder is the sample in the order of the blocks, so that sums round the
// same every time.
func inOrder(values byBlock) []float64 {
	var sample []float64
	for _, block := range slices.Sorted(maps.Keys(values)) {
		sample = append(sample, values[block])
	}
	return sample
}

// compareValues compares b with the baseline a. They are paired when every
// value has its partner. If only some have, pairing would mean to leave values
// out, and the delta would no longer be that of the printed means; so the
// comparison is unpaired, and the returned warning names the blocks.
func compareValues(a, b byBlock, level float64) (stats.Comparison, []string) {
	var pairs []stats.Pair
	for _, block := range slices.Sorted(maps.Keys(a)) {
		if v, ok := b[block]; ok {
			pairs = append(pairs, stats.Pair{A: a[block], B: v})
		}
	}
	if len(pairs) == len(a) && len(pairs) == len(b) {
		return stats.ComparePaired(pairs, level), nil
	}
	comparison := stats.CompareUnpaired(inOrder(a), inOrder(b), level)
	if len(a) == 0 || len(b) == 0 {
		return comparison, nil // there is no interval to be wider
	}
	lone := fmt.Sprintf("not paired, as only one of the two has a usable value in %s and the delta is the ratio of the printed means, which are over all usable trials; the interval may be wider than with complete blocks", loneBlocks(a, b))
	return comparison, []string{lone}
}

func loneBlocks(a, b byBlock) string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	var lone []string
	for _, block := range slices.Sorted(maps.Keys(all)) {
		_, inA := a[block]
		_, inB := b[block]
		if inA != inB {
			lone = append(lone, fmt.Sprint(block))
		}
	}
	switch n := len(lone); {
	case n == 1:
		return "block " + lone[0]
	case n > 5: // more would hide the sentence
		return fmt.Sprintf("blocks %s and %d others", strings.Join(lone[:5], ", "), n-5)
	}
	return "blocks " + strings.Join(lone, ", ")
}
