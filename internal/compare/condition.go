package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccbench/internal/result"
)

// conditions are those that a file's trials are of; without a matrix it is one
// that has no name.
type conditions struct {
	factors []string
	names   []string // in the header's order
	index   map[string]int
}

func newConditions(h *result.Header) (conditions, error) {
	c := conditions{factors: h.Factors, index: map[string]int{}}
	if (len(h.Factors) == 0) != (len(h.Conditions) == 0) {
		return c, fmt.Errorf("its header lists %d factors and %d conditions; neither goes without the other", len(h.Factors), len(h.Conditions))
	}
	for i, factor := range h.Factors {
		if factor == "arm" || factor == "algorithm" || slices.Contains(h.Factors[:i], factor) {
			return c, fmt.Errorf("its header lists the factor %s, which is another label's name", factor)
		}
	}
	for i, listed := range h.Conditions {
		if factor, ok := unlabelled(h.Factors, listed.Labels); ok {
			return c, fmt.Errorf("condition %d of its header has no label %s", i+1, factor)
		}
		c.add(result.ConditionName(h.Factors, listed.Labels))
	}
	if len(c.index) < len(c.names) {
		return c, fmt.Errorf("its header lists a condition twice: %s", strings.Join(c.names, "; "))
	}
	if len(c.names) == 0 {
		c.add("")
	}
	return c, nil
}

func (c *conditions) add(name string) {
	c.index[name] = len(c.names)
	c.names = append(c.names, name)
}

// unlabelled is the first factor that the labels have no value for.
func unlabelled(factors []string, labels map[string]string) (string, bool) {
	for _, factor := range factors {
		if _, ok := labels[factor]; !ok {
			return factor, true
		}
	}
	return "", false
}

// of finds the condition of a trial.
func (c conditions) of(trial *result.Trial) (int, error) {
	if factor, ok := unlabelled(c.factors, trial.Labels); ok {
		return 0, fmt.Errorf("trial %d has no label %s, which tells the header's conditions apart", trial.Trial, factor)
	}
	name := result.ConditionName(c.factors, trial.Labels)
	i, ok := c.index[name]
	if !ok {
		return 0, fmt.Errorf("trial %d is of %s, which is no condition of the header; those are %s", trial.Trial, name, strings.Join(c.names, "; "))
	}
	return i, nil
}

// alike refuses trials that differ in labels besides the arm's and the
// factors: averaged together they would be a number about nothing.
func (c conditions) alike(trials []*result.Trial) error {
	for _, trial := range trials {
		if first := trials[0]; !maps.Equal(c.rest(first), c.rest(trial)) {
			return fmt.Errorf("trials %d and %d differ in labels that are neither the arm's nor a factor of the header (%v, %v), and so are not of one condition",
				first.Trial, trial.Trial, c.rest(first), c.rest(trial))
		}
	}
	return nil
}

// rest is what the labels say beside arm and factors.
func (c conditions) rest(trial *result.Trial) map[string]string {
	labels := maps.Clone(trial.Labels)
	maps.DeleteFunc(labels, func(key, _ string) bool {
		return key == "arm" || key == "algorithm" || slices.Contains(c.factors, key)
	})
	return labels
}

// total counts each arm's trials of all conditions.
func total(rows []Row, arms int) []Arm {
	var all []Arm
	for i, row := range rows {
		if i < arms {
			all = append(all, row.Arm)
			continue
		}
		sum := &all[i%arms]
		sum.Planned += row.Planned
		sum.Usable += row.Usable
		sum.Suspect += row.Suspect
		sum.Invalid += row.Invalid
	}
	return all
}

// Condition names the condition of a row, as result.ConditionName does; it is
// "" where there is but one.
func (t *Table) Condition(r Row) string {
	if len(t.Header.Conditions) == 0 {
		return ""
	}
	return result.ConditionName(t.Header.Factors, t.Header.Conditions[r.Condition].Labels)
}
