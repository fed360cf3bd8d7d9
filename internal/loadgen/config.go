// Package loadgen sends and receives TCP flows with a chosen congestion
// control, and samples them.
//
// A Sender connects its flows, starts them together, takes TCP_INFO on a fixed
// schedule and aborts them with a reset. A Receiver accepts those flows and
// counts the bytes that reach the application. Each end has its own clock and
// its own window; figures are differences between two samples of one end.
//
// Sockets belong to the network namespace of the thread that makes them, so
// the whole process is meant to be in one namespace. Both ends need Linux.
package loadgen

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"ccbench/internal/result"
)

// Token is the secret that the two ends of a run share. It is the first thing
// on each connection; connections without it are strays.
type Token [16]byte

// Flow is one connection to make.
type Flow struct {
	ID        int    // 0-based, below the number of flows; both ends know the flow by it
	Algorithm string // as the kernel knows it: reno, cubic, bbr
}

// SenderConfig says what a Sender does.
type SenderConfig struct {
	Remote netip.AddrPort
	Local  netip.Addr // the address to send from; the zero Addr leaves it to the kernel
	Flows  []Flow
	Token  Token
	// The window opens at Warmup and closes at Warmup + Duration after the
	// start. TCP_INFO is read at both, and at each multiple of Interval until
	// the close.
	Warmup, Duration, Interval time.Duration
	// CPUPIDs are the processes whose processor time is CPU.Own.
	CPUPIDs []int
}

// ReceiverConfig says what a Receiver does.
type ReceiverConfig struct {
	Address netip.AddrPort // port 0: the kernel chooses
	Flows   int            // how many to expect; their ids are 0 to Flows-1
	Token   Token
	// As in SenderConfig, from the arrival of the first flow's first bytes.
	Warmup, Duration, Interval time.Duration
}

// SenderReport is what a Sender knows at its end.
type SenderReport struct {
	Flows  []result.Flow   // in the order of SenderConfig.Flows; the receiver's fields are nil
	Series []result.Series // one a flow, side sender; see tcpinfo.Columns
	// Written is, by flow, the bytes the kernel took from the application. No
	// receiver can have more of them. It can have more than Final.BytesSent,
	// because the kernel goes on sending between that sample and the reset.
	Written []int64
	Window  *float64    // s between the samples at open and close; nil when it did not close
	CPU     *result.CPU // nil when the window did not close, or for CPUError
	// CPUError says why there is no CPU for a closed window; "" when there is.
	CPUError string
}

// ReceiverReport is what a Receiver knows at its end.
type ReceiverReport struct {
	// Flows are by id. Only Flow, the Received fields and Error are filled.
	Flows  []result.Flow
	Series []result.Series // one a flow that came, side receiver: t (s), bytes
	Window *float64        // s between the samples at open and close; nil when it did not close
	Strays int             // connections without the token, or for a flow that was there already
	// Unended are the flows whose end (reset or end of file) had not come when
	// Finish stopped waiting, among them those that never came.
	Unended []int
}

// Progress is how far a Sender has come.
type Progress struct {
	Elapsed time.Duration // since the start, 0 before it
	// Acked is the bytes acknowledged on all flows at the last sample, nil
	// before the first one and where the kernel does not say.
	Acked *int64
}

// maxPID is above every process id: PID_MAX_LIMIT of include/linux/threads.h.
const maxPID = 1 << 22

func (c SenderConfig) validate() error {
	if !c.Remote.IsValid() || c.Remote.Port() == 0 {
		return fmt.Errorf("sender: remote %v: need an address and a port", c.Remote)
	}
	if err := plainAddress(c.Remote.Addr()); err != nil {
		return err
	}
	if c.Local.IsValid() && c.Local.Unmap().Is4() != c.Remote.Addr().Unmap().Is4() {
		return fmt.Errorf("sender: local %v and remote %v: need addresses of one family", c.Local, c.Remote)
	}
	if len(c.Flows) == 0 {
		return errors.New("sender: no flows: need at least one")
	}
	if err := distinct(c.Flows); err != nil {
		return err
	}
	for _, pid := range c.CPUPIDs {
		if pid < 1 || pid >= maxPID {
			return fmt.Errorf("sender: processor time of process %d: need an id from 1 to %d", pid, maxPID-1)
		}
	}
	return newSchedule(c.Warmup, c.Duration, c.Interval).validate(len(c.Flows))
}

func (c ReceiverConfig) validate() error {
	if !c.Address.IsValid() {
		return errors.New("receiver: need an address to listen on")
	}
	if err := plainAddress(c.Address.Addr()); err != nil {
		return err
	}
	if c.Flows < 1 {
		return fmt.Errorf("receiver: %d flows: need at least one", c.Flows)
	}
	return newSchedule(c.Warmup, c.Duration, c.Interval).validate(c.Flows)
}

func distinct(flows []Flow) error {
	seen := make(map[int]bool, len(flows))
	for _, f := range flows {
		if f.ID < 0 || f.ID >= len(flows) || seen[f.ID] {
			return fmt.Errorf("sender: flow id %d: need each of 0 to %d once", f.ID, len(flows)-1)
		}
		seen[f.ID] = true
	}
	return nil
}

// plainAddress refuses what would need an interface's index to be reached.
func plainAddress(a netip.Addr) error {
	if a.Zone() != "" {
		return fmt.Errorf("address %v: need one without a zone", a)
	}
	return nil
}
