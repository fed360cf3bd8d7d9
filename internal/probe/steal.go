package probe

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	stealLimit = 0.01 // of the time of all processors
	// minSteal is the least that counts in a short moment, in ticks: one is
	// what the kernel's rounding may be.
	minSteal = 3
)

// Moment is the processors' time so far, in ticks of 10 ms.
type Moment struct {
	total, steal float64
	known        bool
}

// Now reads the time of all processors together (proc_stat(5)).
func Now(root string) Moment {
	line, _, _ := strings.Cut(under(root).text("proc/stat"), "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return Moment{}
	}
	m := Moment{known: true}
	for i := range 8 { // guest times are in user's already
		n, err := strconv.ParseFloat(fields[1+i], 64)
		if err != nil {
			return Moment{}
		}
		m.total += n
		m.steal = n // the last of them
	}
	return m
}

// Steal says whether a hypervisor takes processor time away: since boot, and
// between two readings.
func Steal(first, last Moment) Fact {
	const name = "steal"
	if !first.known || !last.known || last.total <= 0 {
		return unknown(name, Quality, "not told", "/proc/stat does not have the times of all processors")
	}
	boot := last.steal / last.total
	span, stolen := last.total-first.total, last.steal-first.steal
	detail := fmt.Sprintf("%.2f %% since boot, %.0f of %.0f ticks just now", 100*boot, stolen, span)
	if boot > stealLimit || stolen >= minSteal && stolen > stealLimit*span {
		return no(name, Quality, detail, "a machine whose processors are its own: a dedicated instance, or pinned ones")
	}
	return yes(name, Quality, detail)
}
