package probe

import (
	"fmt"
	"strconv"
	"strings"

	"ccbench/internal/unit"
)

const (
	// MinMemory is what a run takes at most beside its samples, with room for
	// the socket buffers of a few flows.
	MinMemory unit.Bytes = 512_000_000
	// MinDisk has room for some short runs.
	MinDisk unit.Bytes = 100_000_000
)

// Memory says whether need bytes are available (MemAvailable of
// proc_meminfo(5), or less where a control group says so).
func Memory(root string, need unit.Bytes) Fact {
	const name = "memory"
	at := under(root)
	available, ok := at.available()
	if !ok {
		return unknown(name, Quality, "not told", "/proc/meminfo has no MemAvailable")
	}
	limits, used := at.cgroup("memory.max"), at.cgroup("memory.current")
	for i, text := range limits {
		limit, err := strconv.ParseInt(text, 10, 64)
		if err != nil || i >= len(used) { // "max" is no limit
			continue
		}
		if now, err := strconv.ParseInt(used[i], 10, 64); err == nil {
			available = min(available, unit.Bytes(limit-now))
		}
	}
	return room(name, available, need, "end what else uses memory, or a machine with more; --set duration or --set interval asks for less")
}

func (u under) available() (unit.Bytes, bool) {
	for line := range strings.Lines(u.text("proc/meminfo")) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "MemAvailable:" && f[2] == "kB" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return unit.Bytes(n * 1024), err == nil
		}
	}
	return 0, false
}

// Disk says whether there is room for need bytes of results in a folder that
// has so many left, or why that is not known.
func Disk(folder string, left unit.Bytes, err error, need unit.Bytes) Fact {
	const name = "disk"
	if err != nil {
		return unknown(name, Quality, folder, err.Error())
	}
	f := room(name, left, need, "make room, choose another disk with run -o, or leave the samples out with run --series off")
	f.Detail += " in " + folder
	if left < leastDisk {
		f.Need = Required
	}
	return f
}

// leastDisk is what a results file begins with, a trial of it included; without
// that a run ends before its first trial, or with it.
const leastDisk unit.Bytes = 64 << 10

func room(name string, left, need unit.Bytes, cure string) Fact {
	detail := fmt.Sprintf("%s available, %s wanted", unit.Format(float64(left), "B"), unit.Format(float64(need), "B"))
	if left < need {
		return no(name, Quality, detail, cure)
	}
	return yes(name, Quality, detail)
}
