// Package validity judges trials: whether what was measured is what was asked
// for. It looks at a trial's record only, and is pure.
//
// Every check has a stable name, a stated threshold, and a stated probability
// of failing a trial in which nothing is wrong. A check that cannot be made
// because its figures are missing fails, unless its rule says otherwise: what
// was not looked at is not known to be right.
package validity

import (
	"fmt"

	"ccbench/internal/result"
)

// Check is one thing that is judged.
type Check struct {
	Name string // stable; in the record and in tables
	Rule string // what must hold, with the threshold
	// FalseAlarm is the probability a trial of failing a trial in which
	// nothing is wrong. It is 0 where the figures are counts that must agree.
	FalseAlarm float64
	judge      func(*result.Trial) []result.Reason
}

// checkError goes first and alone: what else is wrong with a broken trial
// follows from what broke it.
const checkError = "error"

// Checks lists all checks in the order in which they are made.
func Checks() []Check {
	return []Check{
		{checkError, "nothing broke the trial; otherwise no other check is made", 0, judgeError},
		{"flows", "there is at least one flow", 0, judgeFlows},
		{"flow_error", "every flow lived until it was ended", 0, eachFlow(flowError)},
		{"algorithm", "the congestion control read back before connect, after connect and at the end is the one requested, for every flow", 0, eachFlow(algorithm)},
		{"mptcp", "no flow is MPTCP", 0, eachFlow(mptcp)},
		{"samples", "every flow has its samples at the window's open, at its close and at the end, in this order", 0, eachFlow(samples)},
		{"window", "either end's window is within 1 % of the duration asked for", 0, judgeWindow},
		{"received", "every flow's receiving application got bytes, some of them all together in the window, no more than was written, than the sender had sent by then (where the kernel counts it), and than left the path", 0, judgeReceived},
		{"rate", "no more payload was received since the start, nor in the window, than the rate of the emulated path lets through, plus 1 % and a packet", 0, judgeRate},
		{"holes", "what waited behind holes at the window's open and at its close differs by at most 5 % of the bytes read in the window, SUSPECT above, INVALID above 10 %; not judged where the kernel does not say", holesAlarm, judgeHoles},
		{"spurious", "at most 0.1 % of the data segments (or 10) were retransmitted without having been lost, SUSPECT above, INVALID above 1 %; not judged where the kernel does not say", spuriousAlarm, judgeSpurious},
		{"unlimited", "a rate or a drop rule limits the flows; SUSPECT without", 0, judgeUnlimited},
		{"drop_matched", "the drop rule saw data packets", 0, judgeDropMatched},
		{"drop_overlong", "none of them was longer than the MTU", 0, judgeDropOverlong},
		{"drop_hits", "nth: the rule dropped exactly floor((matched + every - first) / every); random: as many as its binomial distribution gives with a probability of 1 - 1e-6", binomialAlpha, judgeDropHits},
		{"links", "the devices of both ends were read", 0, judgeLinks},
		{"tx_dropped", "no device dropped a packet that it was to send", 0, judgeTxDropped},
		{"qdisc_drops", "no device's qdisc dropped a packet: the planned queue is in the path", 0, judgeQdiscDrops},
		{"path_account", "the emulator accounts for every packet: in = out + drops + held, each way", 0, eachDirection(pathAccount)},
		{"path_write", "the receiving device took every packet from the emulator", 0, eachDirection(pathWrite)},
		{"path_oversize", "no packet on the path was longer than the MTU", 0, eachDirection(pathOversize)},
		{"rx_dropped", "no device dropped or spoiled a packet that it received or was to send", 0, judgeRxDropped},
		{"lateness", "99 % of the emulator's deliveries each way were late by at most 5 % of the base RTT (at least 0.5 ms), SUSPECT above, INVALID above five times that", lateAlarm, eachDirection(pathLateness)},
		{"pause", "the emulator was never later than its buffer lasts at its rate, SUSPECT otherwise", lateAlarm, eachDirection(pathPause)},
		{"run_delay", "to take a packet in and to deliver it, the emulator's threads waited for a processor for at most 0.5 % of the base RTT (at least 0.1 ms) on average, SUSPECT above, INVALID above four times that; not judged where the kernel does not say", lateAlarm, eachDirection(pathRunDelay)},
		{"cpu", "the processors were busy for at most 90 % of the window and stolen for at most 5 %, SUSPECT above; not judged where they were not read", lateAlarm, judgeCPU},
		{"limited", "rwnd_limited + sndbuf_limited is at most 5 % of the window, SUSPECT above, INVALID above 10 %; not judged where the kernel does not say", 0, judgeLimited},
	}
}

// Judge gives a trial its verdict, the worst of its reasons', and all reasons
// in the order of Checks. A VALID trial has none.
func Judge(t *result.Trial) (result.Verdict, []result.Reason) {
	var reasons []result.Reason
	for _, c := range Checks() {
		for _, r := range c.judge(t) {
			r.Check = c.Name
			reasons = append(reasons, r)
		}
		if c.Name == checkError && len(reasons) > 0 {
			break
		}
	}
	return worst(reasons), reasons
}

func worst(reasons []result.Reason) result.Verdict {
	verdict := result.Valid
	for _, r := range reasons {
		if r.Verdict == result.Invalid {
			return result.Invalid
		}
		verdict = result.Suspect
	}
	return verdict
}

func invalid(format string, args ...any) []result.Reason {
	return []result.Reason{{Verdict: result.Invalid, Detail: fmt.Sprintf(format, args...)}}
}

func suspect(format string, args ...any) []result.Reason {
	return []result.Reason{{Verdict: result.Suspect, Detail: fmt.Sprintf(format, args...)}}
}

func judgeError(t *result.Trial) []result.Reason {
	if t.Error == "" {
		return nil
	}
	return invalid("%s", t.Error)
}
