// Package plan orders an experiment into trials: complete blocks, each with
// every arm once under one condition, shuffled from the seed. The same experiment and seed give
// the same plan on every machine.
package plan

import (
	"time"

	"ccbench/internal/experiment"
)

// Plan is the ordered list of trials an experiment amounts to.
type Plan struct {
	Experiment *experiment.Experiment
	Trials     []Trial
	Hash       string // of everything that decides what is measured
}

// Trial is one measurement of one arm.
type Trial struct {
	Index     int // 1-based, in the order of the run
	Block     int // 1-based; the arms of one block share condition, path seeds and drop phase
	Condition int // index among the experiment's
	Arm       string
	Labels    map[string]string // arm, algorithm, and one label per factor
	Flows     []Flow
	Duration  time.Duration
	Warmup    time.Duration
	Interval  time.Duration
	Path      experiment.Path
	Drop      *experiment.Drop  // First resolved for this block; nil: no rule
	Sysctl    map[string]string // the experiment's and the arm's, merged
}

// Flow is one TCP connection of a trial.
type Flow struct {
	ID        int    // 0-based
	Algorithm string // as written
	Kernel    string // as the kernel knows it
}
