package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ccbench/internal/metric"
)

// topics are what help tells beside the commands, so that the program alone
// says what a file of its may have.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "experiment-file", Short: "What an experiment file may say", Long: fileTopic},
		{Use: "metrics", Short: "What is measured", Long: metricsTopic()},
	}
}

const fileTopic = `An experiment is a YAML file. These are its keys; README has more on each.

    version: 1
    name: loss1pct
    description: every 100th data packet dropped at the receiver
    seed: 1
    algorithms: [newreno, cubic, bbr]   # newreno is the kernel's reno; the label stays as written
    baseline: newreno                   # default: the first
    repetitions: 5                      # per arm; one trial of each arm makes a block
    duration: 4s                        # the measured window
    warmup: 1s                          # before it, same flow, not counted
    interval: 10ms                      # TCP_INFO sampling
    flows: 1
    path:                               # without path: userspace, 100mbit, 40ms, 1bdp
      engine: userspace                 # required in a path: ccbench's own bottleneck; or direct: a veth pair, unshaped
      rate: 100mbit                     # sender to receiver, as in tc(8)
      rtt: 40ms                         # base round trip, half each way
      buffer: 1bdp                      # or 250KB, 200pkt, 20ms
      mtu: 1500
      overhead: 14                      # bytes counted against the rate beside the IP packet
    drop: {mode: nth, every: 100}       # a rule at the receiver; first: N fixes the first to go; or {mode: random, probability: 1%}
    sysctl: {net.ipv4.tcp_ecn: 1}       # both ends, in their namespaces

In place of algorithms, arms can set more than the algorithm:

    arms:
      - {name: cubic, algorithm: cubic}
      - {name: cubic-nosack, algorithm: cubic, sysctl: {net.ipv4.tcp_sack: 0}}

A matrix measures all arms under every combination of values. It may vary
duration, warmup, interval, flows, and each key of path, drop and sysctl:

    matrix:
      path.rtt: [10ms, 40ms, 160ms]     # instead of rtt under path
      drop.every: [100, 1000]           # with drop: {mode: nth}

A number has its unit: kbit, mbit, gbit; ms, s, m; B, KB, KiB; pkt, bdp; %.`

// metricsTopic lists the metrics as they are defined.
func metricsTopic() string {
	var text strings.Builder
	text.WriteString("A run records these of each trial; run and compare --metric NAME[,NAME...] compares them.\n")
	for _, m := range metric.Definitions() {
		better := ""
		if m.Better != "" {
			better = fmt.Sprintf(", %s is better", m.Better)
		}
		fmt.Fprintf(&text, "\n%s (%s%s)\n", m.Name, m.Unit, better)
		line := "   "
		for _, word := range strings.Fields(m.Definition) {
			if len(line)+1+len(word) > 80 {
				text.WriteString(line + "\n")
				line = "   "
			}
			line += " " + word
		}
		text.WriteString(line + "\n")
	}
	return strings.TrimSuffix(text.String(), "\n")
}
