package wire

import (
	"net/netip"
	"time"

	"ccbench/internal/result"
)

// Method names a request or an event. The body of each is given beside it,
// request -> reply.
type Method string

// Requests.
const (
	// MethodProbe asks what cannot be done in the agent's namespace: ProbeRequest -> ProbeReply.
	MethodProbe Method = "probe"
	// MethodSetup makes the agent's end of the path: SetupRequest -> none.
	MethodSetup Method = "setup"
	// MethodEmulate starts the emulator between the two devices passed to the agent: EmulateRequest -> none.
	MethodEmulate Method = "emulate"
	// MethodListen opens the receiver: ListenRequest -> ListenReply.
	MethodListen Method = "listen"
	// MethodDrop installs the drop rule: DropRequest -> DropReply.
	MethodDrop Method = "drop"
	// MethodReadDrop reads its counters: none -> result.DropCounter.
	MethodReadDrop Method = "read_drop"
	// MethodConnect connects all flows: ConnectRequest -> none.
	MethodConnect Method = "connect"
	// MethodStart starts all flows at once: none -> none.
	MethodStart Method = "start"
	// MethodFinish takes the last sample and aborts the flows (sender), or
	// waits for their end (receiver): FinishRequest -> FlowReport.
	MethodFinish Method = "finish"
	// MethodSeries hands over some of one flow's samples: SeriesRequest -> result.Series.
	MethodSeries Method = "series"
	// MethodDrain waits until all that was on its way to the receiver has left the emulator: FinishRequest -> result.Path.
	MethodDrain Method = "drain"
	// MethodCounters reads the end's device and stack counters: none -> CountersReply.
	MethodCounters Method = "counters"
)

// Events.
const (
	EventHello        Method = "hello"         // Hello
	EventProgress     Method = "progress"      // Progress, at most 4 a second
	EventWindowClosed Method = "window_closed" // none
	EventFailed       Method = "failed"        // Error: something broke between requests
)

// Role is what an agent does on a path.
type Role string

// The roles.
const (
	RoleSender   Role = "sender"
	RoleReceiver Role = "receiver"
	RolePath     Role = "path"
)

// Hello is an agent's first word.
type Hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of the program
	Role     Role   `json:"role"`
	PID      int    `json:"pid"`
}

// ProbeRequest lists what an experiment needs of the kernel.
type ProbeRequest struct {
	Algorithms []string            `json:"algorithms"` // kernel names
	Sysctl     []map[string]string `json:"sysctl"`     // sets tried one after the other
	TUN        bool                `json:"tun"`
	Veth       bool                `json:"veth"`   // with its offloads off
	Drop       *DropRequest        `json:"drop"`   // a rule like those to come
	Qdiscs     []string            `json:"qdiscs"` // kinds
}

// Need is what a Problem stands in the way of.
type Need string

// The needs.
const (
	NeedAlgorithm Need = "algorithm"
	NeedSysctl    Need = "sysctl"
	NeedTUN       Need = "tun"
	NeedVeth      Need = "veth"
	NeedOffloads  Need = "offloads" // that they can be switched off
	NeedDrop      Need = "drop"
	NeedQdisc     Need = "qdisc"
)

// Problem is one thing that cannot be done here.
type Problem struct {
	Need    Need   `json:"need"`
	Subject string `json:"subject,omitempty"` // which algorithm, which kind of qdisc
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// ProbeReply has all problems found and the facts of the host.
type ProbeReply struct {
	Problems []Problem   `json:"problems"`
	Host     result.Host `json:"host"`
	Iptables string      `json:"iptables"` // path of the program; "" when it was not asked for or is not there
}

// SetupRequest describes one end of a path: sysctls first, then its device.
type SetupRequest struct {
	Sysctl map[string]string `json:"sysctl"`
	// SysctlIfPresent is set where the kernel has the key, and means nothing
	// where it has not (a kernel without IPv6 or MPTCP).
	SysctlIfPresent map[string]string `json:"sysctl_if_present"`
	Device          Device            `json:"device"`
}

// Device is an end's network device. A TUN is made by the agent and its
// descriptor sent through the agent's first path socket; a veth is there already.
type Device struct {
	TUN        bool         `json:"tun"`
	Name       string       `json:"name"`
	MTU        int          `json:"mtu"`
	Address    netip.Prefix `json:"address"`
	TxQueueLen int          `json:"txqueuelen"` // packets
	Offloads   bool         `json:"offloads"`   // leave TSO, GSO and GRO on
}

// EmulateRequest describes the bottleneck. Rates in bit/s (0: not shaped),
// delays in ns, sizes in bytes.
type EmulateRequest struct {
	MTU      int           `json:"mtu"`
	Rate     int64         `json:"rate"` // data direction
	Buffer   int64         `json:"buffer"`
	Overhead int           `json:"overhead"`
	Delay    time.Duration `json:"delay"` // each way
	Warmup   time.Duration `json:"warmup"`
	Duration time.Duration `json:"duration"` // 0: no delay of the queue is recorded
}

// Timing is the part of a trial that both ends must agree on, in ns.
type Timing struct {
	Warmup   time.Duration `json:"warmup"`
	Duration time.Duration `json:"duration"`
	Interval time.Duration `json:"interval"`
}

// Token opens every data connection of a trial.
type Token [16]byte

// ListenRequest opens the receiving end.
type ListenRequest struct {
	Address netip.Addr    `json:"address"`
	Flows   int           `json:"flows"`
	Token   Token         `json:"token"`
	Timing  Timing        `json:"timing"`
	Within  time.Duration `json:"within"` // for the device to be ready
}

// ListenReply says where.
type ListenReply struct {
	Port uint16 `json:"port"`
}

// DropRequest describes a drop rule for the data packets of one listener.
type DropRequest struct {
	Mode        string     `json:"mode"`
	Every       int        `json:"every"`
	First       int        `json:"first"` // 1-based
	Probability float64    `json:"probability"`
	Source      netip.Addr `json:"source"`
	Destination netip.Addr `json:"destination"`
	Port        uint16     `json:"port"`
	MTU         int        `json:"mtu"`
	Tag         string     `json:"tag"`
}

// DropReply has the rule as shell lines.
type DropReply struct {
	Rule []string `json:"rule"`
}

// Flow is one connection to make.
type Flow struct {
	ID        int    `json:"id"`
	Algorithm string `json:"algorithm"` // kernel name
}

// ConnectRequest makes the sending end.
type ConnectRequest struct {
	Local   netip.Addr     `json:"local"`
	Remote  netip.AddrPort `json:"remote"`
	Flows   []Flow         `json:"flows"`
	Token   Token          `json:"token"`
	Timing  Timing         `json:"timing"`
	CPUPIDs []int          `json:"cpu_pids"` // the run's processes on this host
	Within  time.Duration  `json:"within"`
}

// FinishRequest bounds a wait.
type FinishRequest struct {
	Within time.Duration `json:"within"`
}

// Progress is the heartbeat of a running trial.
type Progress struct {
	Elapsed float64 `json:"elapsed"` // s since the first byte
	Bytes   int64   `json:"bytes"`   // acknowledged so far
}

// FlowReport is one end's account of all flows; each end fills its own part.
type FlowReport struct {
	Flows  []result.Flow `json:"flows"`
	Window *float64      `json:"window"` // s
	CPU    *result.CPU   `json:"cpu"`
	// CPUError says why a closed window has no CPU.
	CPUError string `json:"cpu_error"`
	Strays   int64  `json:"strays"` // connections without the token
	// Unended are the flows whose end a receiver has not seen.
	Unended []int `json:"unended"`
}

// SeriesRequest names a flow and which of its samples: from the 0-based From,
// at most Count. Fewer come when there are no more.
type SeriesRequest struct {
	Flow  int `json:"flow"`
	From  int `json:"from"`
	Count int `json:"count"`
}

// CountersReply has an end's devices and the stack counters that moved since setup.
type CountersReply struct {
	Links   []result.Link    `json:"links"`
	Netstat map[string]int64 `json:"netstat"`
}
