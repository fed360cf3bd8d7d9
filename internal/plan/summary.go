package plan

import (
	"maps"
	"math"
	"slices"
	"time"

	"ccbench/internal/experiment"
	"ccbench/internal/unit"
)

// summaryVersion is the version of Summary's JSON form. A key more does not
// change it.
const summaryVersion = 1

// Summary is a plan as it is shown before anything is done. It has no facts of
// any machine: the same experiment gives the same summary everywhere. Units are
// in the names of the JSON keys; what does not apply is null.
type Summary struct {
	Version     int           `json:"version"` // of this form
	Name        string        `json:"name"`
	Description string        `json:"description"`
	File        string        `json:"file"`
	Overrides   []string      `json:"overrides"` // key=value, in the order given
	Default     []string      `json:"default"`   // dotted keys that have their default
	PlanHash    string        `json:"plan_hash"` // as in the results file
	Seed        uint64        `json:"seed"`
	Baseline    string        `json:"baseline"` // an arm's name
	Arms        []ArmSummary  `json:"arms"`
	Path        PathSummary   `json:"path"`
	Drop        *DropSummary  `json:"drop"` // null: no rule
	Flows       int           `json:"flows"`
	Repetitions int           `json:"repetitions"` // of each arm
	Warmup      float64       `json:"warmup_s"`
	Duration    float64       `json:"duration_s"`
	Interval    float64       `json:"interval_s"`
	Trials      []TrialOrder  `json:"trials"` // in the order of the run
	Setups      []Setup       `json:"setups"`
	Expected    Expected      `json:"expected"`
	plan        *Plan         // for the text
	took        time.Duration // as Expected has it
}

// ArmSummary is an arm as it is resolved.
type ArmSummary struct {
	Name      string            `json:"name"`
	Algorithm string            `json:"algorithm"` // as written
	Kernel    string            `json:"kernel"`    // as given to the kernel
	Sysctl    map[string]string `json:"sysctl"`    // the experiment's and the arm's, merged
}

// PathSummary is the path as it is resolved. With engine direct, which nothing
// shapes, only the MTU is known.
type PathSummary struct {
	Engine   string         `json:"engine"`
	Rate     *int64         `json:"rate_bit_s"` // sender to receiver
	RTT      *float64       `json:"rtt_s"`      // base round trip
	BDP      *int64         `json:"bdp_bytes"`  // rounded down
	Buffer   *BufferSummary `json:"buffer"`
	MTU      int            `json:"mtu_bytes"`
	Overhead *int           `json:"overhead_bytes"` // of each packet, beside the IP packet
}

// BufferSummary is the bottleneck's queue limit: waiting wire bytes, overhead
// included, without the packet in service.
type BufferSummary struct {
	Text    string   `json:"text"` // as written
	Bytes   int64    `json:"bytes"`
	Packets int64    `json:"packets"` // of full size, whole ones
	Seconds float64  `json:"time_s"`  // to send it at the rate
	BDPs    *float64 `json:"bdp"`     // null where the BDP is less than a byte
}

// DropSummary is the firewall rule at the receiver.
type DropSummary struct {
	Mode        string   `json:"mode"` // nth or random
	Every       *int     `json:"every_packets"`
	First       *int     `json:"first_packet"` // 1-based; null with mode nth: drawn for each block
	Probability *float64 `json:"probability"`
	Unit        string   `json:"unit"`
}

// TrialOrder is a trial's place.
type TrialOrder struct {
	Trial int    `json:"trial"` // 1-based
	Block int    `json:"block"` // 1-based
	Arm   string `json:"arm"`
	First *int   `json:"first_packet"` // the first that the rule drops; null: no rule of mode nth
}

// Setup is what makes one path, as the shell lines that it amounts to: ccbench
// itself talks to the kernel. Trials that differ in nothing but order and drop
// phase have the same one.
type Setup struct {
	Arms  []string `json:"arms"`
	Trial int      `json:"trial"` // whose rule it has: the first
	Steps []Step   `json:"steps"`
}

// Step is what is done in one namespace, in its order. A line that begins with
// # says what no command does.
type Step struct {
	Namespace string   `json:"namespace"` // ccbench, sender, path or receiver
	Lines     []string `json:"lines"`
}

// Expected is what the run will take.
type Expected struct {
	Time float64 `json:"time_s"`
	// Path is the most that can leave the bottleneck towards the receivers of
	// all trials, headers and overhead included. It is null with engine direct.
	Path *float64 `json:"path_bytes"`
	// Disk is an estimate of the results file, with the samples and without.
	Disk          int64 `json:"disk_bytes"`
	DiskSeriesOff int64 `json:"disk_series_off_bytes"`
}

// Sizes of the results file's parts in bytes, as measured: 180 and 24 for the
// samples of bbr, which has the most columns, 4,200 for a trial of one flow.
const (
	senderSample   = 200
	receiverSample = 25
	trialRecord    = 4_000
	flowRecord     = 500
	headRecords    = 7_000 // header and host, beside the experiment's text
)

// Summarize describes p. What makes its paths is for a lab to say (setups), as
// is the time that it takes.
func Summarize(p *Plan, setups []Setup, took time.Duration) *Summary {
	e := p.Experiment
	s := &Summary{
		Version: summaryVersion, Name: e.Name, Description: e.Description, File: e.File,
		Overrides: append([]string{}, e.Overrides...), Default: defaults(e), PlanHash: p.Hash,
		Seed: e.Seed, Baseline: e.Baseline, Path: summarizePath(e.Path), Drop: summarizeDrop(e.Drop),
		Flows: e.Flows, Repetitions: e.Repetitions,
		Warmup: e.Warmup.Seconds(), Duration: e.Duration.Seconds(), Interval: e.Interval.Seconds(),
		Setups: setups, Expected: expect(p, took), plan: p, took: took,
	}
	for _, a := range e.Arms {
		s.Arms = append(s.Arms, ArmSummary{Name: a.Name, Algorithm: a.Algorithm, Kernel: a.Kernel, Sysctl: e.SysctlOf(a)})
	}
	for _, t := range p.Trials {
		s.Trials = append(s.Trials, TrialOrder{Trial: t.Index, Block: t.Block, Arm: t.Arm, First: firstOf(t.Drop)})
	}
	return s
}

func defaults(e *experiment.Experiment) []string {
	keys := append([]string{}, e.Default...)
	for _, key := range e.Path.Default {
		keys = append(keys, "path."+key)
	}
	return keys
}

func summarizePath(p experiment.Path) PathSummary {
	s := PathSummary{Engine: string(p.Engine), MTU: p.MTU}
	if p.Engine == experiment.Direct {
		return s
	}
	s.Rate, s.RTT = new(int64(p.Rate)), new(p.RTT.Seconds())
	s.BDP, s.Overhead = new(int64(p.BDP())), new(p.Overhead)
	size := int64(p.Buffer.Bytes)
	s.Buffer = &BufferSummary{
		Text: p.Buffer.Text, Bytes: size, Packets: size / int64(p.MTU+p.Overhead), Seconds: sending(p.Rate, p.Buffer.Bytes),
	}
	if bdp := p.BDP(); bdp > 0 {
		s.Buffer.BDPs = new(float64(size) / float64(bdp))
	}
	return s
}

// sending is how long a rate takes for so many bytes, in s.
func sending(r unit.BitRate, b unit.Bytes) float64 { return 8 * float64(b) / float64(r) }

func summarizeDrop(d *experiment.Drop) *DropSummary {
	switch {
	case d == nil:
		return nil
	case d.Mode == experiment.Random:
		return &DropSummary{Mode: string(d.Mode), Probability: new(d.Probability), Unit: d.Unit}
	}
	return &DropSummary{Mode: string(d.Mode), Every: new(d.Every), First: firstOf(d), Unit: d.Unit}
}

func firstOf(d *experiment.Drop) *int {
	if d == nil || d.First == 0 {
		return nil
	}
	return new(d.First)
}

func expect(p *Plan, took time.Duration) Expected {
	e := Expected{Time: took.Seconds(), DiskSeriesOff: headRecords + int64(len(p.Experiment.Text))}
	var bits float64
	var samples int64
	for _, t := range p.Trials {
		flows := int64(len(t.Flows))
		samples += flows * int64((t.Warmup+t.Duration)/t.Interval) // at either end
		e.DiskSeriesOff += trialRecord + flows*flowRecord
		// The receiver's times begin with its first byte, and end an RTT later
		// than the sender's at most.
		bits += float64(t.Path.Rate) * (t.Warmup + t.Duration + t.Path.RTT).Seconds()
	}
	e.Disk = e.DiskSeriesOff + (senderSample+receiverSample)*samples
	if p.Experiment.Path.Engine != experiment.Direct {
		e.Path = new(math.Ceil(bits / 8))
	}
	return e
}

// sortedSysctl has the settings as key=value, in the order of their keys.
func sortedSysctl(values map[string]string) []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		all = append(all, key+"="+values[key])
	}
	return all
}
