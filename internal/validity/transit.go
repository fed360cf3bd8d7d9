package validity

import "ccbench/internal/result"

// Whether what the applications read in the window is what the path carried
// in it, and whether the path lost and delayed only what it was to.
const (
	rateTolerance = 0.01
	// largestPacket is the largest MTU, bytes: the packet that starts the
	// receiver's clock crossed the link before it.
	largestPacket = 9000

	suspectHole = 0.05 // of the window's bytes
	invalidHole = 0.10

	suspectSpurious = 0.001 // of the data segments
	invalidSpurious = 0.01
	fewSpurious     = 10 // segments, that a tail loss probe may cost now and then

	// A window of more than twenty round trips cannot have so much in flight.
	holesAlarm = 1e-4
	// In 48 trials with every hundredth packet lost not one retransmit was spurious;
	// the limit is ten and one in a thousand.
	spuriousAlarm = 1e-4
)

// judgeRate looks at the flow from its first byte, and at the window. Of the
// flow nothing can be above what the link carried. In the window it can: a hole
// that is filled hands over what had crossed the link before the window; then
// the number is right and says something else than it seems to.
func judgeRate(t *result.Trial) []result.Reason {
	if t.Path == nil || t.Path.Rate <= 0 || t.Window.Receiver == nil {
		return nil
	}
	var whole, window int64
	for _, f := range t.Flows {
		if f.ReceivedOpen != nil && f.ReceivedClose != nil {
			whole += *f.ReceivedClose
			window += *f.ReceivedClose - *f.ReceivedOpen
		}
	}
	length := *t.Window.Receiver
	carried := func(seconds float64) float64 {
		return float64(t.Path.Rate)/8*seconds*payloadShare(t)*(1+rateTolerance) + largestPacket
	}
	if limit := carried(t.Window.Warmup + length); float64(whole) > limit {
		return invalid("%d bytes were received in the %.4g s since the start, but a path of %d bit/s lets at most %.0f through, tolerance included",
			whole, t.Window.Warmup+length, t.Path.Rate, limit)
	}
	if limit := carried(length); float64(window) > limit {
		return invalid("%d bytes were read in the window, where a path of %d bit/s and a tolerance of %g %% and %d bytes allow %.0f: some crossed it before, and waited behind a hole; a longer warmup lets the flow recover first",
			window, t.Path.Rate, 100*rateTolerance, largestPacket, limit)
	}
	return nil
}

// payloadShare is the most of a path's bytes that can be payload: a full
// segment's part of the packet it makes on the wire.
func payloadShare(t *result.Trial) float64 {
	var share float64
	for _, f := range t.Flows {
		if f.MSS == nil || t.Path.MTU <= 0 {
			return 1
		}
		share = max(share, float64(*f.MSS)/float64(t.Path.MTU+t.Path.Overhead))
	}
	return min(share, 1)
}

// judgeHoles compares what was waiting behind holes at the two ends of the
// window: it crossed the path on one side of the edge and was read on the other.
func judgeHoles(t *result.Trial) []result.Reason {
	var waiting, window int64
	for _, f := range t.Flows {
		if f.Open == nil || f.Close == nil || f.Open.Sacked == nil || f.Close.Sacked == nil || f.MSS == nil ||
			f.ReceivedOpen == nil || f.ReceivedClose == nil {
			return nil
		}
		waiting += (*f.Open.Sacked - *f.Close.Sacked) * *f.MSS
		window += *f.ReceivedClose - *f.ReceivedOpen
	}
	if window <= 0 {
		return nil
	}
	more, less := "open", "close"
	if waiting < 0 {
		waiting, more, less = -waiting, less, more
	}
	share := float64(waiting) / float64(window)
	return graded(share, suspectHole, invalidHole,
		"%d bytes more waited behind holes at the window's %s than at its %s, %.1f %% of what was read in it: lengthen the warmup or the window",
		waiting, more, less, 100*share)
}

// judgeSpurious counts retransmits of what was never lost. No engine reorders
// on purpose; veth does where several processors send one flow.
func judgeSpurious(t *result.Trial) []result.Reason {
	var spurious, sent int64
	for _, f := range t.Flows {
		if f.Final == nil || f.Final.DSACKDups == nil || f.Final.DataSegsOut == nil {
			return nil
		}
		spurious += *f.Final.DSACKDups
		sent += *f.Final.DataSegsOut
	}
	if spurious <= fewSpurious || sent == 0 {
		return nil
	}
	share := float64(spurious) / float64(sent)
	return graded(share, suspectSpurious, invalidSpurious,
		"%d of %d data segments (%.2f %%) were sent again without having been lost (DSACK): the path reordered or delayed them",
		spurious, sent, 100*share)
}

// judgeUnlimited keeps a path without a rate and without a loss from looking
// like a comparison of congestion controls.
func judgeUnlimited(t *result.Trial) []result.Reason {
	if t.Drop != nil || t.Path != nil && t.Path.Rate > 0 {
		return nil
	}
	return suspect("neither a rate nor a loss limits the flows on this path, only the processors")
}
