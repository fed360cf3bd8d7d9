package testbed

import (
	"time"

	"ccbench/internal/experiment"
	"ccbench/internal/plan"
	"ccbench/internal/unit"
)

// deadlines bound each step of a trial; every wait in this package is one of
// them. They are derived here and nowhere else.
type deadlines struct {
	Step    time.Duration // a step on the machine: a device, a rule, a reading
	Connect time.Duration // all flows established
	Window  time.Duration // from the start to both windows closed
	Drain   time.Duration // from the abort to an empty path
}

const (
	// step covers a loaded machine: the longest (an iptables call, a TUN's end)
	// takes some 50 ms on an idle one.
	step = 10 * time.Second
	// synRetries is what a handshake may take when the queue is full of another
	// flow's packets: SYN retransmissions after 1, 3 and 7 s (RFC 6298).
	synRetries = 8 * time.Second
	// settle is what the receiver may take to read what has arrived.
	settle = 500 * time.Millisecond
)

func deadlinesOf(t plan.Trial) deadlines {
	hold := maxHold(t.Path)
	return deadlines{
		Step:    step,
		Connect: synRetries + 2*hold + step,
		Window:  t.Warmup + t.Duration + 2*hold + step,
		Drain:   2*hold + step,
	}
}

// maxHold is the longest a packet can be on its way through the path and back.
func maxHold(p experiment.Path) time.Duration {
	hold := p.RTT
	if p.Rate > 0 {
		bits := 8 * float64(p.Buffer.Bytes+2*unit.Bytes(p.MTU+p.Overhead))
		hold += time.Duration(bits / float64(p.Rate) * float64(time.Second))
	}
	return hold
}
