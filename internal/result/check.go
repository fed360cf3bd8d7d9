package result

import (
	"fmt"
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

// check refuses a verdict that a reader would not know how to treat.
func (t *Trial) check() error {
	if slices.Contains([]Verdict{Valid, Suspect, Invalid}, t.Verdict) {
		return nil
	}
	return fmt.Errorf("verdict %q is none of %s, %s, %s", t.Verdict, Valid, Suspect, Invalid)
}
