package plan

import (
	"time"

	"ccbench/internal/experiment"
)

// New orders an experiment into trials. The order and the drop phases follow
// from the seed alone, each from a stream of its own, so that an arm more or
// less does not move the phases.
func New(e *experiment.Experiment) (*Plan, error) {
	p := &Plan{Experiment: e}
	orders := newOrders(e.Seed, len(e.Arms))
	phases := newPhases(e.Seed)
	for block := 1; block <= e.Repetitions; block++ {
		drop := blockDrop(e.Drop, phases)
		for _, arm := range orders.next() {
			t := newTrial(e, e.Arms[arm])
			t.Index, t.Block, t.Drop = len(p.Trials)+1, block, drop
			p.Trials = append(p.Trials, t)
		}
	}
	hash, err := hash(p.Trials)
	if err != nil {
		return nil, err
	}
	p.Hash = hash
	return p, nil
}

// newTrial is a trial of one arm, without its place in the plan.
func newTrial(e *experiment.Experiment, a experiment.Arm) Trial {
	t := Trial{
		Arm:      a.Name,
		Labels:   map[string]string{"arm": a.Name, "algorithm": a.Algorithm},
		Duration: e.Duration,
		Warmup:   e.Warmup,
		Interval: e.Interval,
		Path:     e.Path,
		Sysctl:   e.SysctlOf(a),
	}
	for id := range e.Flows {
		t.Flows = append(t.Flows, Flow{ID: id, Algorithm: a.Algorithm, Kernel: a.Kernel})
	}
	return t
}

// blockDrop is the rule of one block, with its phase. A phase that was written
// stays in every block; mode random has none, and iptables takes no seed for it.
func blockDrop(d *experiment.Drop, phases *phases) *experiment.Drop {
	if d == nil {
		return nil
	}
	rule := *d
	if rule.Mode == experiment.Nth && rule.First == 0 {
		rule.First = phases.next(rule.Every)
	}
	return &rule
}

// Duration is how long the plan takes at least: what its trials send for. Their
// setting up and undoing comes on top.
func (p *Plan) Duration() time.Duration {
	var total time.Duration
	for _, t := range p.Trials {
		total += t.Warmup + t.Duration
	}
	return total
}
