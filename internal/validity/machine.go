package validity

import (
	"slices"

	"ccbench/internal/result"
)

// ofMachine are the checks that fail when the machine had other things to do.
var ofMachine = []string{"window", "lateness", "pause", "run_delay", "cpu"}

// OfMachine says whether a check, by its name, speaks of the machine that
// measured and not of what was measured: on an idle one it would have passed.
func OfMachine(check string) bool { return slices.Contains(ofMachine, check) }

// Whether the machine kept up with what it emulated. A relay that gets no
// processor delivers late, which is seen at the delivery, and takes packets in
// late, which is not: only its run delay tells.
const (
	lateShare = 0.05   // of the base RTT
	lateFloor = 0.5e-3 // s, what an undisturbed relay keeps on any path
	lateWorse = 5      // times that is INVALID

	// A thread of the relay is woken at most twice a packet, to take it in and
	// to deliver it. Threads that share two cores with both ends wait some 10 us.
	waitShare = 0.005  // of the base RTT, a wake-up on average
	waitFloor = 0.1e-3 // s
	waitWorse = 4      // times that is INVALID

	suspectBusy  = 0.9  // of all processors
	suspectSteal = 0.05 // of all processors

	// lateAlarm: on an undisturbed machine these figures are an order of
	// magnitude below their thresholds; on a disturbed one it is no false alarm.
	lateAlarm = 1e-4
)

// graded is SUSPECT above one limit and INVALID above another.
func graded(value, suspectAbove, invalidAbove float64, format string, args ...any) []result.Reason {
	switch {
	case value > invalidAbove:
		return invalid(format, args...)
	case value > suspectAbove:
		return suspect(format, args...)
	}
	return nil
}

func pathLateness(t *result.Trial, way string, d result.Direction) []result.Reason {
	if d.LatenessP99 == nil { // nothing was delivered; other checks see to that
		return nil
	}
	limit := max(lateFloor, lateShare*t.Path.RTT)
	return graded(*d.LatenessP99, limit, lateWorse*limit,
		"%s direction: the emulator delivered 1 %% of the packets more than %.3g ms late (limit %.3g ms): the machine was too busy, or the path's rate is more than it can emulate",
		way, 1e3**d.LatenessP99, 1e3*limit)
}

// pathPause looks for pauses in which the buffer may have run dry, or over.
// While the relay towards the receiver stands still, nothing leaves the link and
// nothing is taken in; acknowledgements that were held release at once what the
// buffer then has to take. The pause may lie outside the window.
func pathPause(t *result.Trial, way string, d result.Direction) []result.Reason {
	if d.LatenessMax == nil || t.Path.Rate <= 0 || t.Path.Buffer <= 0 {
		return nil
	}
	lasts := 8 * float64(t.Path.Buffer) / float64(t.Path.Rate)
	if *d.LatenessMax <= lasts {
		return nil
	}
	return suspect("%s direction: the emulator stood still for up to %.3g ms, longer than the buffer lasts at this rate (%.3g ms): it may have run dry or over; a longer rtt or a larger buffer bears it",
		way, 1e3**d.LatenessMax, 1e3*lasts)
}

func pathRunDelay(t *result.Trial, way string, d result.Direction) []result.Reason {
	wakeups := d.PacketsIn + d.PacketsOut
	if d.RunDelay == nil || wakeups == 0 {
		return nil
	}
	wait, limit := *d.RunDelay/float64(wakeups), max(waitFloor, waitShare*t.Path.RTT)
	return graded(wait, limit, waitWorse*limit,
		"%s direction: the emulator waited %.3g ms for a processor at each end of a packet, on average (limit %.3g ms): the machine was too busy, or the path's rate is more than it can emulate",
		way, 1e3*wait, 1e3*limit)
}

func judgeCPU(t *result.Trial) []result.Reason {
	if t.CPU == nil || t.CPU.CPUs <= 0 || t.CPU.Window <= 0 {
		return nil
	}
	all := float64(t.CPU.CPUs) * t.CPU.Window
	if t.CPU.Busy <= suspectBusy*all && t.CPU.Steal <= suspectSteal*all {
		return nil
	}
	return suspect("the processors were busy for %.0f %% of the window, with ccbench itself for %.0f %%, and stolen for %.0f %%: they may have decided, not the congestion control",
		100*t.CPU.Busy/all, 100*t.CPU.Own/all, 100*t.CPU.Steal/all)
}
