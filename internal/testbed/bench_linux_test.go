package testbed

import (
	"slices"
	"testing"
	"time"

	"ccbench/internal/plan"
)

// BenchmarkTrialOverhead reports what a trial takes beside what was asked for:
// the median over all trials, of which there should be 20 (-benchtime 20x).
// The bound is 150 ms and two round trips, for the handshake and the drain.
func BenchmarkTrialOverhead(b *testing.B) {
	needRoot(b)
	for name, change := range map[string]func(*plan.Trial){"plain": nil, "drop": every100(10)} {
		b.Run(name, func(b *testing.B) {
			var overhead []float64
			tr := trial("cubic", change)
			tr.Warmup, tr.Duration = 0, 500*time.Millisecond
			for b.Loop() {
				overhead = append(overhead, do(b, tr, nil).Took-tr.Duration.Seconds())
			}
			slices.Sort(overhead)
			median, bound := overhead[len(overhead)/2], 0.150+2*tr.Path.RTT.Seconds()
			b.ReportMetric(1e3*median, "ms-overhead")
			b.ReportMetric(1e3*bound, "ms-bound")
			if median > bound {
				b.Errorf("a trial's overhead is %.0f ms, the bound %.0f ms", 1e3*median, 1e3*bound)
			}
		})
	}
}
