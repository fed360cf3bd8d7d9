package validity

import (
	"slices"

	"ccbench/internal/result"
)

func judgeLinks(t *result.Trial) []result.Reason {
	var reasons []result.Reason
	for _, side := range []result.Side{result.Sender, result.Receiver} {
		if !slices.ContainsFunc(t.Links, func(l result.Link) bool { return l.Side == side }) {
			reasons = append(reasons, invalid("the counters of the %s's device were not read", side)...)
		}
	}
	return reasons
}

func judgeTxDropped(t *result.Trial) []result.Reason {
	var reasons []result.Reason
	for _, l := range t.Links {
		if l.TxDropped != 0 {
			reasons = append(reasons, invalid("%s's device %s dropped %d packets that it was to send", l.Side, l.Name, l.TxDropped)...)
		}
	}
	return reasons
}

func judgeRxDropped(t *result.Trial) []result.Reason {
	var reasons []result.Reason
	for _, l := range t.Links {
		if l.RxDropped+l.RxErrors+l.TxErrors != 0 {
			reasons = append(reasons, invalid("%s's device %s: %d received packets dropped, %d and %d errors in receiving and sending",
				l.Side, l.Name, l.RxDropped, l.RxErrors, l.TxErrors)...)
		}
	}
	return reasons
}

func judgeQdiscDrops(t *result.Trial) []result.Reason {
	var reasons []result.Reason
	for _, l := range t.Links {
		if l.QdiscDrops != 0 {
			reasons = append(reasons, invalid("%s's device %s: its %s dropped %d packets before the path", l.Side, l.Name, l.Qdisc, l.QdiscDrops)...)
		}
	}
	return reasons
}

// eachDirection judges both ways through an emulator; a trial without one passes.
func eachDirection(judge func(t *result.Trial, way string, d result.Direction) []result.Reason) func(*result.Trial) []result.Reason {
	return func(t *result.Trial) []result.Reason {
		if t.Path == nil {
			return nil
		}
		return append(judge(t, "data", t.Path.Data), judge(t, "ack", t.Path.Ack)...)
	}
}

func pathAccount(_ *result.Trial, way string, d result.Direction) []result.Reason {
	drops := d.DropsQueue + d.DropsOversize + d.DropsWrite
	if d.PacketsIn == d.PacketsOut+drops+d.Held {
		return nil
	}
	return invalid("%s direction: %d packets in, but %d out, %d dropped and %d held", way, d.PacketsIn, d.PacketsOut, drops, d.Held)
}

func pathWrite(_ *result.Trial, way string, d result.Direction) []result.Reason {
	if d.DropsWrite == 0 {
		return nil
	}
	return invalid("%s direction: the device did not take %d packets", way, d.DropsWrite)
}

func pathOversize(_ *result.Trial, way string, d result.Direction) []result.Reason {
	if d.DropsOversize == 0 {
		return nil
	}
	return invalid("%s direction: %d packets were longer than the MTU", way, d.DropsOversize)
}
