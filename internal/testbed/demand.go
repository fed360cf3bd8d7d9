package testbed

import (
	"fmt"

	"ccbench/internal/experiment"
	"ccbench/internal/plan"
	"ccbench/internal/probe"
	"ccbench/internal/unit"
)

const (
	// sampleMemory is what a sample takes at most, from the kernel's answer in
	// the agent (some 300 B) over its numbers by column to its text.
	sampleMemory = 1_000 // bytes
	// relayPackets is what the userspace engine relays with time to spare: half
	// of the most seen on two processors that carried both ends as well (1.1
	// Gbit/s of 1,514 B).
	relayPackets = 45_000 // a second
	// relayCPUs are the processors that was seen on.
	relayCPUs = 2
)

// Demand is what p takes at most: memory in the longest of its trials, and
// disk for its results with the samples.
func Demand(p *plan.Plan) (memory, disk unit.Bytes) {
	for _, t := range p.Trials {
		samples := unit.Bytes(len(t.Flows)) * unit.Bytes((t.Warmup+t.Duration)/t.Interval)
		memory = max(memory, probe.MinMemory+samples*sampleMemory)
	}
	return memory, unit.Bytes(plan.Summarize(p, nil, 0).Expected.Disk)
}

// Relay says whether the userspace engine keeps up with p's rate on so many
// processors; nil where p does without the engine.
func Relay(p *plan.Plan, cpus int) []probe.Fact {
	var packets unit.BitRate
	for _, t := range p.Trials {
		if t.Path.Engine == experiment.Userspace {
			packets = max(packets, t.Path.Rate/8/unit.BitRate(t.Path.MTU+t.Path.Overhead))
		}
	}
	if packets == 0 {
		return nil
	}
	f := probe.Fact{Name: "relay", Need: probe.Quality, Answer: probe.Yes, Detail: fmt.Sprintf(
		"path.rate is %d full packets a second; two processors relay %d with time to spare, and here are %d", packets, relayPackets, cpus)}
	switch {
	case packets <= relayPackets && cpus >= relayCPUs:
	case cpus <= relayCPUs:
		f.Answer, f.Cure = probe.No, "a lower path.rate (--set path.rate=...), or more processors"
	default:
		f.Answer, f.Why = probe.Unknown, "how much faster more processors relay is not known; each trial says when the emulator was late"
	}
	return []probe.Fact{f}
}
