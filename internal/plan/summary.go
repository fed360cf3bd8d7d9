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
	Version     int                `json:"version"` // of this form
	Name        string             `json:"name"`
	Description string             `json:"description"`
	File        string             `json:"file"`
	Overrides   []string           `json:"overrides"` // key=value, in the order given
	Default     []string           `json:"default"`   // dotted keys that have their default
	PlanHash    string             `json:"plan_hash"` // as in the results file
	Seed        uint64             `json:"seed"`
	Baseline    string             `json:"baseline"` // an arm's name
	Arms        []ArmSummary       `json:"arms"`
	Repetitions int                `json:"repetitions"` // of each arm under each condition
	Factors     []string           `json:"factors"`     // keys that the matrix varies, the slowest first
	Conditions  []ConditionSummary `json:"conditions"`  // at least one
	Trials      []TrialOrder       `json:"trials"`      // in the order of the run
	Setups      []Setup            `json:"setups"`
	Expected    Expected           `json:"expected"`
	Warnings    []string           `json:"warnings"` // what may spoil the numbers
	plan        *Plan              // for the text
	took        time.Duration      // as Expected has it
}

// ArmSummary is an arm as it is resolved.
type ArmSummary struct {
	Name      string            `json:"name"`
	Algorithm string            `json:"algorithm"` // as written
	Kernel    string            `json:"kernel"`    // as given to the kernel
	Sysctl    map[string]string `json:"sysctl"`    // its own, over those of the condition
}

// ConditionSummary is a condition as it is resolved.
type ConditionSummary struct {
	Labels   map[string]string `json:"labels"` // the value of each factor, as written
	Path     PathSummary       `json:"path"`
	Drop     *DropSummary      `json:"drop"` // null: no rule
	Flows    int               `json:"flows"`
	Warmup   float64           `json:"warmup_s"`
	Duration float64           `json:"duration_s"`
	Interval float64           `json:"interval_s"`
	Sysctl   map[string]string `json:"sysctl"` // for all arms, both ends
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
	Trial     int    `json:"trial"`     // 1-based
	Block     int    `json:"block"`     // 1-based
	Condition int    `json:"condition"` // 1-based
	Arm       string `json:"arm"`
	First     *int   `json:"first_packet"` // the first that the rule drops; null: no rule of mode nth
}

// Setup is what makes one path, as the shell lines that it amounts to: ccbench
// itself talks to the kernel. Trials that differ in nothing but order and drop
// phase have the same one: those of all its arms under all its conditions.
type Setup struct {
	Conditions []int    `json:"conditions"` // 1-based
	Arms       []string `json:"arms"`
	Trial      int      `json:"trial"` // whose rule it has: the first
	Steps      []Step   `json:"steps"`
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
	// all trials, headers and overhead included. It is null where one of them has engine direct.
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
		Seed: e.Seed, Baseline: e.Baseline, Repetitions: e.Repetitions, Factors: append([]string{}, e.Factors...),
		Setups: setups, Expected: expect(p, took), Warnings: append([]string{}, Warnings(e)...), plan: p, took: took,
	}
	for _, a := range e.Arms {
		s.Arms = append(s.Arms, ArmSummary{Name: a.Name, Algorithm: a.Algorithm, Kernel: a.Kernel, Sysctl: orNone(a.Sysctl)})
	}
	for _, c := range e.Conditions {
		s.Conditions = append(s.Conditions, summarizeCondition(c))
	}
	for _, t := range p.Trials {
		s.Trials = append(s.Trials, TrialOrder{
			Trial: t.Index, Block: t.Block, Condition: t.Condition + 1, Arm: t.Arm, First: firstOf(t.Drop)})
	}
	return s
}

func summarizeCondition(c experiment.Condition) ConditionSummary {
	return ConditionSummary{
		Labels: c.Labels, Path: summarizePath(c.Path), Drop: summarizeDrop(c.Drop), Flows: c.Flows,
		Warmup: c.Warmup.Seconds(), Duration: c.Duration.Seconds(), Interval: c.Interval.Seconds(), Sysctl: orNone(c.Sysctl),
	}
}

// orNone is for maps that are known to be empty, not absent.
func orNone(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// defaults are the keys that nobody wrote, for any condition.
func defaults(e *experiment.Experiment) []string {
	keys := append([]string{}, e.Default...)
	for _, key := range defaultsOf(&e.Conditions[0]) {
		written := func(c experiment.Condition) bool { return !slices.Contains(defaultsOf(&c), key) }
		if !slices.ContainsFunc(e.Conditions, written) {
			keys = append(keys, key)
		}
	}
	return keys
}

func defaultsOf(c *experiment.Condition) []string {
	keys := slices.Clone(c.Default)
	for _, key := range c.Path.Default {
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
	unshaped := func(c experiment.Condition) bool { return c.Path.Engine == experiment.Direct }
	if !slices.ContainsFunc(p.Experiment.Conditions, unshaped) {
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
