package probe

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// wantedCPUs is one for either end; the relay and the kernel's own work fit in
// between on a path of some hundred Mbit/s.
const wantedCPUs = 2

// CPUs says whether there are processors enough, of those that this process may
// use. A control group's quota counts as so many.
func CPUs(root string, usable int) Fact {
	const name = "cpus"
	quota := under(root).cpuQuota()
	detail := fmt.Sprintf("%d", usable)
	if quota < float64(usable) {
		detail += fmt.Sprintf(", of which a control group lets it use %.1f", quota)
	}
	if math.Min(float64(usable), quota) < wantedCPUs {
		return no(name, Quality, detail, fmt.Sprintf("a machine (or container) with at least %d processors", wantedCPUs))
	}
	return yes(name, Quality, detail)
}

// cpuQuota is what control groups let this process use, in processors;
// infinite where none says less (cpu.max of Documentation/admin-guide/cgroup-v2.rst).
func (u under) cpuQuota() float64 {
	least := math.Inf(1)
	for _, text := range u.cgroup("cpu.max") {
		f := strings.Fields(text)
		if len(f) != 2 {
			continue
		}
		quota, err := strconv.ParseFloat(f[0], 64)
		period, err2 := strconv.ParseFloat(f[1], 64)
		if err == nil && err2 == nil && period > 0 { // "max" is no quota
			least = min(least, quota/period)
		}
	}
	return least
}

// cgroup has a file of this process's control group and of all above it
// (version 2), as far as they can be seen.
func (u under) cgroup(file string) []string {
	var found []string
	for line := range strings.Lines(u.text("proc/self/cgroup")) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for ok {
			if text := u.text(filepath.Join("sys/fs/cgroup", group, file)); text != "" {
				found = append(found, text)
			}
			if group == "/" || group == "." || group == "" {
				break
			}
			group = filepath.Dir(group)
		}
	}
	return found
}

// Governor says whether the processors keep their frequency up.
func Governor(root string) Fact {
	const name = "governor"
	paths, err := filepath.Glob(filepath.Join(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"))
	if err != nil || len(paths) == 0 {
		return unknown(name, Quality, "none here", "no cpufreq in /sys: the kernel does not set the frequency (most virtual machines: their host does)")
	}
	counts := map[string]int{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return unknown(name, Quality, "not told", err.Error())
		}
		counts[strings.TrimSpace(string(text))]++
	}
	var parts []string
	for _, g := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s (%d of %d processors)", g, counts[g], len(paths)))
	}
	detail := strings.Join(parts, ", ")
	if len(counts) > 1 || counts["performance"] == 0 {
		return no(name, Quality, detail, "as root: cpupower frequency-set -g performance")
	}
	return yes(name, Quality, detail)
}

// loadLimit is how much of each processor others may have kept busy over the
// last minute.
const loadLimit = 0.25

// Load says whether the machine is idle enough to measure on (proc_loadavg(5)).
func Load(root string, cpus int) Fact {
	const name = "load"
	first, _, _ := strings.Cut(under(root).text("proc/loadavg"), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return unknown(name, Quality, "not told", "/proc/loadavg cannot be read")
	}
	detail := fmt.Sprintf("%.2f over the last minute, for %d processors", load, cpus)
	if load > loadLimit*float64(cpus) {
		return no(name, Quality, detail, "end what else runs here, and wait a minute")
	}
	return yes(name, Quality, detail)
}
