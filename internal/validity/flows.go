package validity

import (
	"fmt"

	"ccbench/internal/metric"
	"ccbench/internal/result"
)

func judgeFlows(t *result.Trial) []result.Reason {
	if len(t.Flows) == 0 {
		return invalid("the record has no flow")
	}
	return nil
}

// eachFlow judges the flows one by one: a sum over flows is not right unless
// each of them is.
func eachFlow(judge func(*result.Flow) []result.Reason) func(*result.Trial) []result.Reason {
	return func(t *result.Trial) []result.Reason {
		var reasons []result.Reason
		for i := range t.Flows {
			reasons = append(reasons, judge(&t.Flows[i])...)
		}
		return reasons
	}
}

func flowError(f *result.Flow) []result.Reason {
	if f.Error == "" {
		return nil
	}
	return invalid("flow %d: %s", f.Flow, f.Error)
}

func algorithm(f *result.Flow) []result.Reason {
	if f.Requested == "" {
		return invalid("flow %d: which algorithm was requested is not recorded", f.Flow)
	}
	if f.BeforeConnect == f.Requested && f.AfterConnect == f.Requested && f.AtEnd == f.Requested {
		return nil
	}
	return invalid("flow %d: requested %q, read back %q before connect, %q after connect, %q at the end",
		f.Flow, f.Requested, f.BeforeConnect, f.AfterConnect, f.AtEnd)
}

func mptcp(f *result.Flow) []result.Reason {
	if !f.MPTCP {
		return nil
	}
	return invalid("flow %d is MPTCP: its subflows are not what was measured", f.Flow)
}

func samples(f *result.Flow) []result.Reason {
	switch {
	case f.Open == nil:
		return invalid("flow %d: no sample at the window's open", f.Flow)
	case f.Close == nil:
		return invalid("flow %d: no sample at the window's close", f.Flow)
	case f.Final == nil:
		return invalid("flow %d: no sample at its end", f.Flow)
	case f.Open.T >= f.Close.T || f.Close.T > f.Final.T:
		return invalid("flow %d: samples out of order: window %g s to %g s, end %g s", f.Flow, f.Open.T, f.Close.T, f.Final.T)
	}
	return nil
}

// judgeReceived holds the receiver's counts against the sender's and the
// path's. The count at the close is taken before the sender's last sample, and
// the last count before the path's: none of them may be the larger. The last
// count itself may exceed the sender's last sample, as the flow goes on between
// that sample and the abort, but never what the sender's kernel was given.
func judgeReceived(t *result.Trial) []result.Reason {
	var reasons []result.Reason
	var window, total int64
	for i := range t.Flows {
		f := &t.Flows[i]
		if bad := received(f); bad != nil {
			reasons = append(reasons, bad...)
			continue
		}
		window += *f.ReceivedClose - *f.ReceivedOpen
		total += *f.Received
	}
	switch {
	case len(reasons) > 0 || len(t.Flows) == 0:
		return reasons
	case t.Path != nil && total > t.Path.Data.BytesOut:
		return invalid("the applications received %d bytes, but only %d left the path", total, t.Path.Data.BytesOut)
	case window == 0:
		return invalid("no byte was received in the window")
	}
	return nil
}

func received(f *result.Flow) []result.Reason {
	if f.ReceivedOpen == nil || f.ReceivedClose == nil || f.Received == nil {
		return invalid("flow %d: what its receiver got was not counted", f.Flow)
	}
	open, end, last := *f.ReceivedOpen, *f.ReceivedClose, *f.Received
	switch {
	case end <= 0:
		return invalid("flow %d: its receiver got no byte", f.Flow)
	case open < 0 || open > end || end > last:
		return invalid("flow %d: the receiver's counts run backwards: %d at the open, %d at the close, %d at the end", f.Flow, open, end, last)
	case f.Written != nil && last > *f.Written:
		return invalid("flow %d: %d bytes received, but only %d written", f.Flow, last, *f.Written)
	case f.Final != nil && f.Final.BytesSent != nil && end > *f.Final.BytesSent:
		return invalid("flow %d: %d bytes received by the window's close, but only %d sent by the end", f.Flow, end, *f.Final.BytesSent)
	}
	return nil
}

const (
	windowTolerance = 0.01
	suspectLimit    = 0.05
	invalidLimit    = 0.10
)

func judgeWindow(t *result.Trial) []result.Reason {
	w := t.Window
	if w.Duration <= 0 {
		return invalid("the window's duration is %g s", w.Duration)
	}
	return append(window("sender", w.Sender, w.Duration), window("receiver", w.Receiver, w.Duration)...)
}

func window(end string, got *float64, want float64) []result.Reason {
	if got == nil {
		return invalid("the %s's window was not measured", end)
	}
	if off := *got/want - 1; off < -windowTolerance || off > windowTolerance {
		return invalid("the %s's window was %.4g s, %+.2f %% off the %.4g s asked for", end, *got, 100*off, want)
	}
	return nil
}

func judgeLimited(t *result.Trial) []result.Reason {
	shares := metric.Compute(t, nil)
	rwnd, sndbuf := shares[metric.RwndLimited], shares[metric.SndbufLimited]
	if rwnd == nil || sndbuf == nil {
		return nil
	}
	limited := *rwnd + *sndbuf
	detail := fmt.Sprintf("%.1f %% of the window limited by the receive window, %.1f %% by the send buffer, not by the congestion control",
		100**rwnd, 100**sndbuf)
	switch {
	case limited > invalidLimit:
		return invalid("%s", detail)
	case limited > suspectLimit:
		return suspect("%s", detail)
	}
	return nil
}
