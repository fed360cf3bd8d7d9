package result

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// check holds what Series promises of its columns.
func (s *Series) check() error {
	want := -1
	for name, column := range s.Columns {
		if want >= 0 && len(column) != want {
			return fmt.Errorf("series of flow %d at the %s: column %q has %d samples, another %d",
				s.Flow, s.Side, name, len(column), want)
		}
		want = len(column)
	}
	return nil
}

// check refuses what no trial has, and tables would be computed from.
func (t *Trial) check() error {
	switch {
	case t.Trial < 1:
		return fmt.Errorf("trial %d: trials are numbered from 1", t.Trial)
	case t.Block < 1:
		return fmt.Errorf("trial %d is of block %d: blocks are numbered from 1", t.Trial, t.Block)
	case !slices.Contains([]Verdict{Valid, Suspect, Invalid}, t.Verdict):
		return fmt.Errorf("verdict %q is none of %s, %s, %s", t.Verdict, Valid, Suspect, Invalid)
	}
	if err := t.checkVerdict(); err != nil {
		return fmt.Errorf("trial %d: %w", t.Trial, err)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Metrics)) {
		if err := checkMetric(t.Metrics[name]); err != nil {
			return fmt.Errorf("metric %s is %w", name, err)
		}
	}
	return nil
}

// checkVerdict refuses a verdict that is better than what is known of the
// trial: it would be averaged.
func (t *Trial) checkVerdict() error {
	order := []Verdict{Valid, Suspect, Invalid}
	for _, r := range t.Reasons {
		if slices.Index(order, r.Verdict) > slices.Index(order, t.Verdict) {
			return fmt.Errorf("its verdict is %s, and %s makes it %s", t.Verdict, r.Check, r.Verdict)
		}
	}
	if t.Error != "" && t.Verdict != Invalid {
		return fmt.Errorf("its verdict is %s, and it broke: %s", t.Verdict, t.Error)
	}
	return nil
}

func checkMetric(v *float64) error {
	switch {
	case v == nil:
		return nil
	case math.IsNaN(*v) || math.IsInf(*v, 0):
		return fmt.Errorf("%v; what is missing must be null", *v)
	case *v < 0:
		return fmt.Errorf("%v; no metric is below 0", *v)
	}
	return nil
}
