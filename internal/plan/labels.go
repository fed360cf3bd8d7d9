package plan

import (
	"fmt"
	"slices"
	"strconv"

	"ccbench/internal/experiment"
	"ccbench/internal/unit"
)

// PathLabels describes what trials are measured on, resolved, as key=value
// strings for a results file: engine, mtu, drop, flows, duration, warmup,
// interval, and for a shaped path rate, rtt, buffer and overhead. What was not
// written in the file ends with " (default)". shared has what is the same under
// all conditions, own the rest of each.
func PathLabels(e *experiment.Experiment) (shared map[string]string, own []map[string]string) {
	for i := range e.Conditions {
		own = append(own, conditionLabels(&e.Conditions[i]))
	}
	shared = map[string]string{}
	for key, text := range own[0] {
		if !slices.ContainsFunc(own, func(o map[string]string) bool { return o[key] != text }) {
			shared[key] = text
		}
	}
	for key := range shared {
		for _, o := range own {
			delete(o, key)
		}
	}
	return shared, own
}

func conditionLabels(c *experiment.Condition) map[string]string {
	labels := map[string]string{
		"engine":   string(c.Path.Engine),
		"mtu":      strconv.Itoa(c.Path.MTU),
		"drop":     dropText(c.Drop),
		"flows":    strconv.Itoa(c.Flows),
		"duration": c.Duration.String(),
		"warmup":   c.Warmup.String(),
		"interval": c.Interval.String(),
	}
	if c.Path.Engine != experiment.Direct {
		labels["rate"] = rateText(c.Path.Rate)
		labels["rtt"] = c.Path.RTT.String()
		labels["buffer"] = fmt.Sprintf("%d B (%s)", c.Path.Buffer.Bytes, c.Path.Buffer.Text)
		labels["overhead"] = strconv.Itoa(c.Path.Overhead)
	}
	for _, key := range slices.Concat(c.Path.Default, c.Default) {
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
