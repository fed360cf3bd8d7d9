package emulator

import (
	"math"
	"slices"

	"ccbench/internal/result"
)

// maxWaits bounds what is kept before anything has arrived, in packets; more
// are kept as they come.
const maxWaits = 1 << 20

// waits are how long each packet with TCP data waited in the queue, of those
// that arrived in the window and were not dropped.
type waits struct {
	window Window
	begun  bool  // data has come
	opens  int64 // ns
	all    []int64
}

// newWaits has room for what the rate can bring, so that nothing is allocated
// while packets pass.
func newWaits(d Direction, mtu int, w Window) waits {
	if w.Duration == 0 || d.Rate == 0 {
		return waits{} // without a rate nothing queues
	}
	packets := float64(d.Rate) * w.Duration.Seconds() / 8 / float64(mtu+d.Overhead)
	return waits{window: w, all: make([]int64, 0, int(min(1.1*packets+1000, maxWaits)))}
}

// add is told of each packet that the queue took.
func (w *waits) add(now, wait int64, packet []byte) {
	if w.window.Duration == 0 || !carriesData(packet) {
		return
	}
	if !w.begun {
		w.begun, w.opens = true, now+int64(w.window.Warmup)
	}
	if now >= w.opens && now < w.opens+int64(w.window.Duration) {
		w.all = append(w.all, wait)
	}
}

// summary is nil while there is nothing to sum up.
func (w *waits) summary() *result.QueueDelay {
	if len(w.all) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(w.all))
	sum := 0.0
	for _, wait := range sorted {
		sum += float64(wait)
	}
	return &result.QueueDelay{
		Packets: int64(len(sorted)), Mean: sum / float64(len(sorted)) / 1e9,
		P50: rank(sorted, 0.50), P95: rank(sorted, 0.95), P99: rank(sorted, 0.99),
	}
}

// rank is the smallest value that at least the share q of all do not exceed, in s.
func rank(sorted []int64, q float64) float64 {
	return float64(sorted[int(math.Ceil(q*float64(len(sorted))))-1]) / 1e9
}

// carriesData says whether an IP packet is a TCP segment with payload. Fragments
// and IPv6 extension headers, which no flow of ccbench has, count as without.
func carriesData(p []byte) bool {
	const tcp = 6
	var header int
	switch {
	case len(p) >= 20 && p[0]>>4 == 4 && p[9] == tcp:
		header = 4 * int(p[0]&0xf) // RFC 791, IHL
	case len(p) >= 40 && p[0]>>4 == 6 && p[6] == tcp:
		header = 40
	default:
		return false
	}
	return len(p) > header+12 && len(p) > header+4*int(p[header+12]>>4) // RFC 9293, data offset
}
