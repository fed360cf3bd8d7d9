package plan

import (
	"fmt"
	"slices"
	"strconv"

	"ccbench/internal/experiment"
	"ccbench/internal/unit"
)

// PathLabels describes what all trials of an experiment have in common, resolved, as
// key=value strings for a results file: engine, mtu, drop, flows, duration,
// warmup, interval, and for a shaped path rate, rtt, buffer and overhead. What
// was not written in the file ends with " (default)".
func PathLabels(e *experiment.Experiment) map[string]string {
	labels := map[string]string{
		"engine":   string(e.Path.Engine),
		"mtu":      strconv.Itoa(e.Path.MTU),
		"drop":     dropText(e.Drop),
		"flows":    strconv.Itoa(e.Flows),
		"duration": e.Duration.String(),
		"warmup":   e.Warmup.String(),
		"interval": e.Interval.String(),
	}
	if e.Path.Engine != experiment.Direct {
		labels["rate"] = rateText(e.Path.Rate)
		labels["rtt"] = e.Path.RTT.String()
		labels["buffer"] = fmt.Sprintf("%d B (%s)", e.Path.Buffer.Bytes, e.Path.Buffer.Text)
		labels["overhead"] = strconv.Itoa(e.Path.Overhead)
	}
	for _, key := range slices.Concat(e.Path.Default, e.Default) {
		if text, found := labels[key]; found {
			labels[key] = text + " (default)"
		}
	}
	return labels
}

// rateText writes a rate exactly, and so that it can be read back.
func rateText(r unit.BitRate) string {
	for _, u := range []struct {
		name string
		size unit.BitRate
	}{{"gbit", 1e9}, {"mbit", 1e6}, {"kbit", 1e3}} {
		if r >= u.size {
			// The shortest decimal that gives this float is the exact one: it
			// has fewer digits than a float keeps.
			return strconv.FormatFloat(float64(r)/float64(u.size), 'f', -1, 64) + u.name
		}
	}
	return fmt.Sprintf("%dbit", r)
}

func dropText(d *experiment.Drop) string {
	switch {
	case d == nil:
		return "none"
	case d.Mode == experiment.Random:
		percent := strconv.FormatFloat(d.Probability*100, 'g', 12, 64)
		return fmt.Sprintf("random %s%% (iptables takes no seed)", percent)
	case d.First == 0:
		return fmt.Sprintf("nth every %d (first drawn per block)", d.Every)
	default:
		return fmt.Sprintf("nth every %d, first %d", d.Every, d.First)
	}
}
