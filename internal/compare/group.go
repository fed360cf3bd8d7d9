package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccbench/internal/result"
	"ccbench/internal/stats"
)

// armTrials are the trials of one arm.
type armTrials struct {
	arm    Arm
	blocks map[int]*result.Trial // by block, whatever the verdict
}

// byBlock are the values of one metric of one arm.
type byBlock map[int]float64

// group sorts the trials of a file into its arms.
func group(file *result.File) ([]armTrials, error) {
	groups := make([]armTrials, len(file.Header.Arms))
	index := map[string]int{}
	for i, a := range file.Header.Arms {
		if _, ok := index[a.Name]; ok {
			return nil, fmt.Errorf("reading %s: its header lists arm %q twice", file.Name, a.Name)
		}
		groups[i] = armTrials{Arm{Name: a.Name, Planned: file.Header.Repetitions}, map[int]*result.Trial{}}
		index[a.Name] = i
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("reading %s: its header lists no arms", file.Name)
	}
	if err := oneCondition(file.Trials); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file.Name, err)
	}
	for _, trial := range file.Trials {
		i, ok := index[trial.Labels["arm"]]
		if !ok {
			return nil, fmt.Errorf("reading %s: trial %d is of arm %q, which the header does not list", file.Name, trial.Trial, trial.Labels["arm"])
		}
		if err := groups[i].add(trial); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file.Name, err)
		}
	}
	return groups, nil
}

func (g *armTrials) add(trial *result.Trial) error {
	if other := g.blocks[trial.Block]; other != nil {
		return fmt.Errorf("trials %d and %d are both of arm %s in block %d; a block has every arm once",
			other.Trial, trial.Trial, g.arm.Name, trial.Block)
	}
	g.blocks[trial.Block] = trial
	switch trial.Verdict {
	case result.Valid:
		g.arm.Usable++
	case result.Suspect:
		g.arm.Usable++
		g.arm.Suspect++
	case result.Invalid:
		g.arm.Invalid++
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

// oneCondition refuses trials of several conditions: averaged together they
// would be a number about nothing.
func oneCondition(trials []*result.Trial) error {
	for _, trial := range trials {
		if first := trials[0]; !maps.Equal(condition(first), condition(trial)) {
			return fmt.Errorf("trials %d and %d differ in labels other than the arm's (%v, %v); this version compares the arms of one condition",
				first.Trial, trial.Trial, condition(first), condition(trial))
		}
	}
	return nil
}

// condition is what the labels say beside the arm.
func condition(trial *result.Trial) map[string]string {
	labels := maps.Clone(trial.Labels)
	delete(labels, "arm")
	delete(labels, "algorithm")
	return labels
}
