// Package result is the results file: its records, one writer and one reader.
//
// The file is JSON Lines in UTF-8. Every line starts {"type":" and is one of
// header, host, series, trial. The series lines of a trial come before its
// trial line; the trial line commits the trial. Records carry labels as
// key=value strings, so a reader never needs the experiment's schema. All
// quantities are in base units; what is missing is null, never 0.
package result

import "time"

// Version is the major version of the format; a newer one is refused.
const Version = 1

// The kinds of line.
const (
	TypeHeader = "header"
	TypeHost   = "host"
	TypeSeries = "series"
	TypeTrial  = "trial"
)

// Header is the first line of a file: what was to be measured, and how.
type Header struct {
	Type        string    `json:"type"`
	Version     int       `json:"version"`
	Ccbench     string    `json:"ccbench"` // version of the program
	Created     time.Time `json:"created"` // a label; nothing is computed from it
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	File        string    `json:"file"`                // name of the experiment file
	Experiment  string    `json:"experiment"`          // its text
	Overrides   []string  `json:"overrides,omitempty"` // key=value, set over the text in this order
	Arms        []Arm     `json:"arms"`                // in the order of the file
	Baseline    string    `json:"baseline"`
	Seed        uint64    `json:"seed"`
	Trials      int       `json:"trials"` // planned
	Repetitions int       `json:"repetitions"`
	PlanHash    string    `json:"plan_hash"`
	// Path describes the path as key=value strings, resolved: engine, rate, rtt,
	// buffer, ... With several conditions it has what is the same in all of them.
	Path map[string]string `json:"path"`
	// Factors are the labels of trials that tell the conditions apart, the
	// slowest to change first; absent where there is but one condition.
	Factors    []string    `json:"factors,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"` // all that were planned, in the order of tables
	Metrics    []Metric    `json:"metrics"`
}

// Condition is one point of a matrix: the arms are compared under each.
type Condition struct {
	Labels map[string]string `json:"labels"` // one for each factor, as its trials have them
	Path   map[string]string `json:"path"`   // what it has beside Header.Path
}

// Arm is an arm as it was resolved.
type Arm struct {
	Name      string            `json:"name"`
	Algorithm string            `json:"algorithm"` // as written
	Kernel    string            `json:"kernel"`    // as given to the kernel
	Sysctl    map[string]string `json:"sysctl,omitempty"`
}

// Better says in which direction a metric improves.
type Better string

// The directions; neither for metrics that only describe.
const (
	Higher  Better = "higher"
	Lower   Better = "lower"
	Neither Better = ""
)

// Metric defines a metric for whoever reads the file.
type Metric struct {
	Name       string `json:"name"`
	Unit       string `json:"unit"` // base unit: bit/s, s, B, segments, ratio, ...
	Better     Better `json:"better"`
	Definition string `json:"definition"`
}

// Host describes one end, or all of them where they share a machine. A run
// that was resumed describes it anew, where it is not as it was.
type Host struct {
	Type          string            `json:"type"`
	From          int               `json:"from,omitempty"`    // number of the first trial measured there; absent: of the file
	Ccbench       string            `json:"ccbench,omitempty"` // version that measured there; absent: the header's
	Roles         []string          `json:"roles"`             // sender, receiver, path
	Hostname      string            `json:"hostname"`
	Kernel        string            `json:"kernel"`         // release
	KernelVersion string            `json:"kernel_version"` // build
	Machine       string            `json:"machine"`        // x86_64
	BootID        string            `json:"boot_id"`
	CPU           string            `json:"cpu"`
	CPUs          int               `json:"cpus"`
	ClockSource   string            `json:"clock_source"`
	Available     []string          `json:"available"` // congestion controls
	Allowed       []string          `json:"allowed"`
	Modules       map[string]string `json:"modules,omitempty"` // CC module -> srcversion or "builtin"
	Sysctl        map[string]string `json:"sysctl"`            // as seen inside the sender's namespace
	Tools         map[string]string `json:"tools,omitempty"`   // iptables -> its version line
}

// Side is an end of a flow.
type Side string

// The two ends.
const (
	Sender   Side = "sender"
	Receiver Side = "receiver"
)

// Series holds the samples of one flow at one end, by column. Column "t" is
// in seconds from the flow's start (its first data byte); all columns are of
// one length.
type Series struct {
	Type    string            `json:"type"`
	Trial   int               `json:"trial"`
	Flow    int               `json:"flow"`
	Side    Side              `json:"side"`
	Columns map[string]Column `json:"columns"`
}

// Verdict says whether a trial may be used.
type Verdict string

// The verdicts. Invalid trials are kept and shown, and never averaged.
const (
	Valid   Verdict = "VALID"
	Suspect Verdict = "SUSPECT"
	Invalid Verdict = "INVALID"
)

// Reason is why a trial is not simply valid, with the figures behind it.
type Reason struct {
	Verdict Verdict `json:"verdict"`
	Check   string  `json:"check"`  // stable name: algorithm, drop_matched, window, ...
	Detail  string  `json:"detail"` // one sentence with the figures
}

// Trial is the record of one trial. Its line commits it.
type Trial struct {
	Type    string            `json:"type"`
	Trial   int               `json:"trial"`
	Block   int               `json:"block"`
	Labels  map[string]string `json:"labels"`
	Started time.Time         `json:"started"` // a label
	Verdict Verdict           `json:"verdict"`
	Reasons []Reason          `json:"reasons"`
	// Metrics has every metric by name; null where it could not be had.
	Metrics map[string]*float64 `json:"metrics"`
	Window  Window              `json:"window"`
	Flows   []Flow              `json:"flows"`
	Drop    *Drop               `json:"drop"` // null: no rule
	Path    *Path               `json:"path"` // null: no emulator
	Links   []Link              `json:"links"`
	CPU     *CPU                `json:"cpu"`
	// CPUError says why there is no CPU for a window that closed.
	CPUError string `json:"cpu_error,omitempty"`
	// Netstat has the differences of /proc/net/snmp and netstat over the
	// trial by end; counters that did not move are left out.
	Netstat map[Side]map[string]int64 `json:"netstat"`
	Took    float64                   `json:"took"`  // s, the trial from first to last step
	Error   string                    `json:"error"` // what broke the trial; "" when nothing did
}

// Window is the measured part of a trial, asked for and as it was at each end.
type Window struct {
	Warmup   float64  `json:"warmup"`   // s, asked for
	Duration float64  `json:"duration"` // s, asked for
	Interval float64  `json:"interval"` // s, asked for
	Sender   *float64 `json:"sender"`   // s, between the sender's two samples
	Receiver *float64 `json:"receiver"` // s, between the receiver's two samples
}

// Flow is what both ends know of one connection.
type Flow struct {
	Flow      int    `json:"flow"`
	Requested string `json:"requested"` // CC asked of the kernel
	// The CC read back from the sending socket, "" when it could not be.
	BeforeConnect string   `json:"cc_before_connect"`
	AfterConnect  string   `json:"cc_after_connect"`
	AtEnd         string   `json:"cc_at_end"`
	MPTCP         bool     `json:"mptcp"`
	MSS           *int64   `json:"mss"`          // tcpi_snd_mss, bytes
	ConnectTime   *float64 `json:"connect_time"` // s
	LocalPort     int      `json:"local_port"`
	Open          *TCP     `json:"open"`    // sender's sample at the window's open
	Close         *TCP     `json:"close"`   // and at its close
	Final         *TCP     `json:"final"`   // just before the abort
	Written       *int64   `json:"written"` // bytes the kernel took from the sending application
	// The receiving application's bytes, from its own samples.
	ReceivedOpen  *int64 `json:"received_open"`
	ReceivedClose *int64 `json:"received_close"`
	Received      *int64 `json:"received"`
	Error         string `json:"error"` // why it died early; "" when it did not
}

// TCP is the part of TCP_INFO that metrics and verdicts take differences of.
// Everything is since the connection's start; null where the kernel does not say.
type TCP struct {
	T             float64  `json:"t"` // s from the flow's start
	BytesSent     *int64   `json:"bytes_sent"`
	BytesAcked    *int64   `json:"bytes_acked"`
	BytesRetrans  *int64   `json:"bytes_retrans"`
	SegsOut       *int64   `json:"segs_out"`
	DataSegsOut   *int64   `json:"data_segs_out"`
	TotalRetrans  *int64   `json:"total_retrans"`
	Sacked        *int64   `json:"sacked"`         // segments the receiver holds behind a hole, now
	DSACKDups     *int64   `json:"dsack_dups"`     // retransmits that were not needed (RFC 2883)
	MinRTT        *float64 `json:"min_rtt"`        // s
	BusyTime      *float64 `json:"busy_time"`      // s
	RwndLimited   *float64 `json:"rwnd_limited"`   // s
	SndbufLimited *float64 `json:"sndbuf_limited"` // s
}

// Drop has the rule and its counters, read twice: just before the abort, to
// be held against retransmits, and after the path had drained, when they are exact.
type Drop struct {
	Rule        []string     `json:"rule"` // as shell lines
	Mode        string       `json:"mode"`
	Every       int          `json:"every,omitempty"`
	First       int          `json:"first,omitempty"` // 1-based
	Probability float64      `json:"probability,omitempty"`
	AtAbort     *DropCounter `json:"at_abort"`
	Final       *DropCounter `json:"final"`
}

// DropCounter is one reading of the rule's counters, in packets.
type DropCounter struct {
	Matched  int64 `json:"matched"`  // data packets of this flow seen by the rule
	Hits     int64 `json:"hits"`     // of them dropped
	Overlong int64 `json:"overlong"` // of them longer than the MTU: must be 0
}

// Path is the emulated path as it was asked for, and the emulator's own
// account of a trial, by direction.
type Path struct {
	Rate     int64     `json:"rate"`     // bit/s, data direction
	RTT      float64   `json:"rtt"`      // s, base round trip
	Buffer   int64     `json:"buffer"`   // B, data direction
	Overhead int       `json:"overhead"` // B a packet beside its IP bytes
	MTU      int       `json:"mtu"`      // B
	Data     Direction `json:"data"`     // sender to receiver
	Ack      Direction `json:"ack"`
}

// Direction is one direction of the emulated link. PacketsIn = PacketsOut +
// all drops + Held, always.
type Direction struct {
	PacketsIn     int64 `json:"packets_in"`
	BytesIn       int64 `json:"bytes_in"` // IP bytes
	PacketsOut    int64 `json:"packets_out"`
	BytesOut      int64 `json:"bytes_out"`
	DropsQueue    int64 `json:"drops_queue"`    // the buffer was full
	DropsOversize int64 `json:"drops_oversize"` // longer than the MTU
	DropsWrite    int64 `json:"drops_write"`    // the device would not take it
	Held          int64 `json:"held"`           // still inside
	MaxBacklog    int64 `json:"max_backlog"`    // wire bytes waiting
	// QueueDelay is null where nothing queues, and where no data came in the window.
	QueueDelay *QueueDelay `json:"queue_delay"`
	// Lateness of delivery against the schedule, s; null before the first packet.
	LatenessP50 *float64 `json:"lateness_p50"`
	LatenessP99 *float64 `json:"lateness_p99"`
	LatenessMax *float64 `json:"lateness_max"`
	// RunDelay is how long the relay's thread waited for a CPU, s (schedstat).
	RunDelay *float64 `json:"run_delay"`
}

// QueueDelay sums up how long data packets waited in the emulated buffer until
// their transmission began, in s, each of those that arrived in the duration
// that begins a warmup after the first. A quantile is the smallest wait that at
// least so many do not exceed.
type QueueDelay struct {
	Packets int64   `json:"packets"`
	Mean    float64 `json:"mean"`
	P50     float64 `json:"p50"`
	P95     float64 `json:"p95"`
	P99     float64 `json:"p99"`
}

// Link has the counters of one network device over a trial.
type Link struct {
	Side      Side   `json:"side"`
	Name      string `json:"name"`
	MTU       int    `json:"mtu"`
	Qdisc     string `json:"qdisc"`
	RxPackets int64  `json:"rx_packets"`
	TxPackets int64  `json:"tx_packets"`
	RxDropped int64  `json:"rx_dropped"`
	TxDropped int64  `json:"tx_dropped"`
	RxErrors  int64  `json:"rx_errors"`
	TxErrors  int64  `json:"tx_errors"`
	// QdiscDrops is what the device's root qdisc dropped.
	QdiscDrops int64 `json:"qdisc_drops"`
	Offloads   bool  `json:"offloads"` // any of TSO, GSO, GRO on
}

// CPU has the processor time of one host over the sender's window.
type CPU struct {
	CPUs   int     `json:"cpus"`
	Window float64 `json:"window"` // s
	Busy   float64 `json:"busy"`   // s, of all CPUs: the window less idle, iowait and steal (/proc/stat)
	Steal  float64 `json:"steal"`  // s
	Own    float64 `json:"own"`    // s, of ccbench's own processes
}
