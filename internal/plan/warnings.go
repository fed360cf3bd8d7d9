package plan

import (
	"fmt"
	"strings"
	"time"

	"ccbench/internal/experiment"
	"ccbench/internal/result"
	"ccbench/internal/validity"
)

// What an experiment should not be without good reason. None of it is refused.
const (
	// warmupRounds round trips are what slow start and the recovery from its
	// losses take; data that waited behind a hole before the window is read in it.
	warmupRounds = 20
	// shortRTT is where a pause of the relay, some ms on a busy processor, is
	// longer than what path and buffer hold.
	shortRTT = 5 * time.Millisecond
)

// Warnings are what may spoil the numbers of an experiment, each with the
// conditions that it concerns where those are not all.
func Warnings(e *experiment.Experiment) []string {
	var order []string
	under := map[string][]string{}
	for i := range e.Conditions {
		for _, text := range conditionWarnings(&e.Conditions[i]) {
			if under[text] == nil {
				order = append(order, text)
			}
			under[text] = append(under[text], result.ConditionName(e.Factors, e.Conditions[i].Labels))
		}
	}
	for i, text := range order {
		if names := under[text]; len(names) < len(e.Conditions) {
			order[i] = text + " (under " + strings.Join(names, "; ") + ")"
		}
	}
	return order
}

func conditionWarnings(c *experiment.Condition) []string {
	if c.Path.Engine == experiment.Direct {
		return nil
	}
	var all []string
	if least := warmupRounds * c.Path.RTT; c.Warmup < least {
		all = append(all, fmt.Sprintf("warmup %v is less than %d round trips (%v): what was lost in slow start may be read in the window, and the trial be invalid",
			c.Warmup, warmupRounds, least))
	}
	if c.Path.RTT < shortRTT {
		all = append(all, fmt.Sprintf("path.rtt %v is below %v: on a busy machine the userspace engine pauses for longer than such a path bears",
			c.Path.RTT, shortRTT))
	}
	if bdp := float64(c.Path.BDP()); bdp > 0 {
		if odd := validity.OddBuffer(float64(c.Path.Buffer.Bytes) / bdp); odd != "" {
			all = append(all, "path.buffer is "+odd)
		}
	}
	return all
}
