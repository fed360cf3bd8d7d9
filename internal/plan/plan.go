package plan

import (
	"maps"
	"time"

	"ccbench/internal/experiment"
)

// New orders an experiment into trials: in each repetition every condition has
// one block, so that a drift falls on all conditions alike. The order and the
// drop phases follow from the seed alone, each from a stream of its own, so that
// an arm or a condition more or less does not move the phases.
func New(e *experiment.Experiment) (*Plan, error) {
	p := &Plan{Experiment: e}
	blocks := newBlocks(e)
	for range e.Repetitions {
		for _, condition := range blocks.conditions.next() {
			p.add(condition, blocks.arms[condition].next(), blocks.phases[condition])
		}
	}
	hash, err := hash(p.Trials)
	if err != nil {
		return nil, err
	}
	p.Hash = hash
	return p, nil
}

// blocks has the streams from which blocks are drawn.
type blocks struct {
	conditions *orders
	arms       []*orders // one for each condition
	phases     []*phases // likewise, all from the same stream: each condition meets the same phases
}

func newBlocks(e *experiment.Experiment) blocks {
	b := blocks{conditions: newOrders(e.Seed, conditionStream, len(e.Conditions))}
	for i := range e.Conditions {
		b.arms = append(b.arms, newOrders(e.Seed, orderStream+uint64(i), len(e.Arms)))
		b.phases = append(b.phases, newPhases(e.Seed))
	}
	return b
}

// add adds the block of one condition with its arms in the given order.
func (p *Plan) add(condition int, order []int, phases *phases) {
	e := p.Experiment
	block := len(p.Trials)/len(e.Arms) + 1
	drop := blockDrop(e.Conditions[condition].Drop, phases)
	for _, arm := range order {
		t := newTrial(&e.Conditions[condition], e.Arms[arm])
		t.Index, t.Block, t.Condition, t.Drop = len(p.Trials)+1, block, condition, drop
		p.Trials = append(p.Trials, t)
	}
}

// newTrial is a trial of one arm under one condition, without its place in the plan.
func newTrial(c *experiment.Condition, a experiment.Arm) Trial {
	t := Trial{
		Arm:      a.Name,
		Labels:   map[string]string{"arm": a.Name, "algorithm": a.Algorithm},
		Duration: c.Duration,
		Warmup:   c.Warmup,
		Interval: c.Interval,
		Path:     c.Path,
		Sysctl:   c.SysctlOf(a),
	}
	maps.Copy(t.Labels, c.Labels)
	for id := range c.Flows {
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
