package plan

import (
	"fmt"
	"maps"

	"ccbench/internal/result"
)

// Rest is the plan without the trials that were done, whatever became of them;
// the others keep their numbers and their order. A trial that is not p's is refused.
func (p *Plan) Rest(done []*result.Trial) (*Plan, error) {
	seen := map[int]bool{}
	for _, t := range done {
		if err := p.owns(t); err != nil {
			return nil, fmt.Errorf("trial %d is not the plan's: %w", t.Trial, err)
		}
		seen[t.Trial] = true
	}
	rest := *p
	rest.Trials = nil
	for _, t := range p.Trials {
		if !seen[t.Index] {
			rest.Trials = append(rest.Trials, t)
		}
	}
	return &rest, nil
}

// owns says in what a record is not of the trial that p has by its number.
func (p *Plan) owns(t *result.Trial) error {
	if t.Trial < 1 || t.Trial > len(p.Trials) {
		return fmt.Errorf("it has the trials 1 to %d", len(p.Trials))
	}
	planned := p.Trials[t.Trial-1]
	switch {
	case t.Block != planned.Block:
		return fmt.Errorf("it is of block %d, planned is block %d", t.Block, planned.Block)
	case !maps.Equal(t.Labels, planned.Labels):
		return fmt.Errorf("its labels are %v, planned are %v", t.Labels, planned.Labels)
	}
	return nil
}
