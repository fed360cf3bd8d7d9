// Package experiment turns an experiment file (YAML, schema version 1) into
// typed, validated values. It is strict: nothing in a file is ignored, and all
// that is wrong with a file is reported at once, each error with its place.
package experiment

import (
	"time"

	"ccbench/internal/unit"
)

// Experiment is a validated experiment file with its defaults filled in.
type Experiment struct {
	Name        string
	Description string
	Seed        uint64
	Arms        []Arm
	Baseline    string      // name of the arm that others are compared with
	Repetitions int         // trials per arm and condition, one in each block
	Factors     []string    // dotted keys that the matrix varies, the slowest first
	Conditions  []Condition // never empty: without a matrix there is one
	Default     []string    // seed, baseline and repetitions, where they were not written
	File        string      // as named by the caller, for messages
	Text        []byte      // the file as read, kept in the results
	Overrides   []string    // key=value, as given with --set, over what Text says
}

// Condition is what all arms are measured under, and compared.
type Condition struct {
	Labels   map[string]string // the value of each factor, as written; empty without a matrix
	Duration time.Duration
	Warmup   time.Duration
	Interval time.Duration // TCP_INFO sampling
	Path     Path
	Drop     *Drop // nil: no firewall rule
	Flows    int
	Sysctl   map[string]string // for every arm, both ends; dotted keys
	Default  []string          // those of duration, warmup, interval and flows that were not written
}

// Arm is one of the things compared: an algorithm, and what goes with it.
type Arm struct {
	Name      string            // the label in tables, as written
	Algorithm string            // as written: newreno
	Kernel    string            // the name the kernel knows it by: reno
	Sysctl    map[string]string // over Condition.Sysctl, for this arm only
}

// Engine is the instrument that makes the path.
type Engine string

// The engines of schema version 1 that this version can build.
const (
	Userspace Engine = "userspace" // ccbench's own relay between two TUN devices
	Direct    Engine = "direct"    // a veth pair, unshaped
)

// Path is the emulated network between sender and receiver.
type Path struct {
	Engine   Engine
	Rate     unit.BitRate  // sender to receiver; 0 with Direct
	RTT      time.Duration // base round trip, half each way; 0 with Direct
	Buffer   Buffer        // zero with Direct
	MTU      int
	Overhead int      // bytes counted against Rate beside the IP packet
	Default  []string // keys that were not written: shown as "default"
}

// Buffer is a queue limit as written and as resolved against the path.
type Buffer struct {
	Text  string
	Bytes unit.Bytes // waiting wire bytes, overhead included, without the packet in service
}

// BDP is the bandwidth-delay product of the path in bytes, rounded down.
func (p Path) BDP() unit.Bytes {
	return bytesIn(p.Rate, p.RTT)
}

// DropMode says which packets a drop rule takes.
type DropMode string

// The modes of iptables' statistic match.
const (
	Nth    DropMode = "nth"
	Random DropMode = "random"
)

// Drop is a firewall rule at the receiver that drops data packets.
type Drop struct {
	Mode        DropMode
	Every       int     // Nth: one in every so many
	First       int     // Nth: 1-based ordinal of the first dropped packet; 0: drawn per block
	Probability float64 // Random: between 0 and 1
	Unit        string  // "segment": wire segments, offloads off up to the rule
}
