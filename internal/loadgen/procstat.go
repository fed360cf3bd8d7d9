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
	busy  float64 // all but idle, iowait and steal
	steal float64
}

// parseHost reads the first line of /proc/stat: "cpu", then user, nice,
// system, idle, iowait, irq, softirq, steal, and guest times, which are in
// user and nice already (proc(5)).
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
	busy := ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]
	return hostTimes{busy: busy / userHZ, steal: ticks[7] / userHZ}, nil
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
