package loadgen

import (
	"fmt"
	"strconv"
	"strings"
)

// userHZ is the unit of /proc/stat, USER_HZ: 100 on every architecture that Go
// knows, whatever the kernel's own HZ.
const userHZ = 100

// hostTimes are processor times of the whole machine since boot, in s.
type hostTimes struct {
	idle  float64 // idle and iowait
	steal float64
}

// parseHost reads the first line of /proc/stat: "cpu", then user, nice,
// system, idle, iowait, irq, softirq, steal, ... (proc(5)). The busy times among
// them are not used: most kernels take them at the tick, and the wake-ups of a
// packet fit between two (seen: less than half of them were counted).
// Idle time is accounted for where it begins and ends.
func parseHost(text string) (hostTimes, error) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return hostTimes{}, fmt.Errorf("/proc/stat begins with %q: need the times of all CPUs", line)
	}
	var ticks [8]float64
	for i := range ticks {
		n, err := strconv.ParseUint(fields[1+i], 10, 64)
		if err != nil {
			return hostTimes{}, fmt.Errorf("/proc/stat begins with %q: %w", line, err)
		}
		ticks[i] = float64(n)
	}
	return hostTimes{idle: (ticks[3] + ticks[4]) / userHZ, steal: ticks[7] / userHZ}, nil
}

// busyTime is what the processors were not idle or stolen for, between two
// readings; at least what ccbench's own processes took, which is exact.
func busyTime(cpus int, window float64, first, last hostTimes, own float64) float64 {
	return max(own, float64(cpus)*window-(last.idle-first.idle)-(last.steal-first.steal))
}

// countCPUs counts the lines of /proc/stat for one CPU each, cpu0 and so on.
func countCPUs(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "cpu"); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			n++
		}
	}
	return n
}
