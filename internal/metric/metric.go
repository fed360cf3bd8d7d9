// Package metric defines what ccbench measures: each metric's name, unit,
// direction and definition, and how it follows from the counters and samples
// of one trial.
//
// It is pure. A metric whose input is missing, for one flow or in one sample
// of the window, is missing itself: a partial sum is never given for the whole.
package metric

import (
	"math"
	"slices"

	"ccbench/internal/result"
)

// The metrics, in the order in which they are shown.
const (
	Goodput         = "goodput"
	Retransmits     = "retransmits"
	RetransmitRatio = "retransmit_ratio"
	RTTMean         = "rtt_mean"
	RTTP50          = "rtt_p50"
	RTTP95          = "rtt_p95"
	RTTP99          = "rtt_p99"
	RTTMin          = "rtt_min"
	QueueDelayMean  = "queue_delay_mean"
	QueueDelayP50   = "queue_delay_p50"
	QueueDelayP95   = "queue_delay_p95"
	QueueDelayP99   = "queue_delay_p99"
	CwndMean        = "cwnd_mean"
	NetPower        = "netpower"
	DeliveryRate    = "delivery_rate"
	PacingRate      = "pacing_rate"
	Busy            = "busy"
	RwndLimited     = "rwnd_limited"
	SndbufLimited   = "sndbuf_limited"
	DropsInduced    = "drops_induced"
	DropsQueue      = "drops_queue"
	ConnectTime     = "connect_time"
	CPU             = "cpu"
)

// The units. A ratio is plain (0.01, not 1 %).
const (
	BitPerSecond    = "bit/s"
	Segments        = "segments"
	Ratio           = "ratio"
	Seconds         = "s"
	Bytes           = "B"
	BytesPerSecond2 = "B/s^2" // netpower's: bytes per second, per second
	Packets         = "packets"
	SecondsPerGB    = "s/GB" // GB is 10^9 bytes
)

// definition is a metric and how it is computed.
type definition struct {
	result.Metric
	compute func(inputs) *float64
}

// definitions is the whole list; Compute and Definitions both come from it.
func definitions() []definition {
	def := func(name, unit string, better result.Better, text string, compute func(inputs) *float64) definition {
		return definition{result.Metric{Name: name, Unit: unit, Better: better, Definition: text}, compute}
	}
	return []definition{
		def(Goodput, BitPerSecond, result.Higher,
			"bits that the receiving applications read in the receiver's window, over its length; all flows", inputs.goodput),
		def(Retransmits, Segments, result.Lower,
			"tcpi_total_retrans, its difference over the sender's window; all flows", inputs.retransmits),
		def(RetransmitRatio, Ratio, result.Lower,
			"retransmits over the difference of tcpi_data_segs_out, which counts them too; all flows", inputs.retransmitRatio),
		def(RTTMean, Seconds, result.Lower,
			"mean of the samples of tcpi_rtt (smoothed by the kernel) after the window's open up to its close; flows pooled", inputs.rttMean),
		def(RTTP50, Seconds, result.Lower,
			"median of the samples of rtt_mean: the smallest that at least 50 % of them do not exceed", rttQuantile(50, 1)),
		def(RTTP95, Seconds, result.Lower,
			"the smallest sample of rtt_mean's that at least 95 % of them do not exceed", rttQuantile(95, 1)),
		def(RTTP99, Seconds, result.Lower,
			"the smallest sample of rtt_mean's that at least 99 % of them do not exceed; null below 1000 samples", rttQuantile(99, 1000)),
		def(RTTMin, Seconds, result.Lower,
			"tcpi_min_rtt at the window's close: over the connection's life, not the window; least of the flows. After a loss it may be up to 1 ms too low: retransmitted data is timed by TCP timestamps, in ms", inputs.rttMin),
		def(QueueDelayMean, Seconds, result.Lower,
			"how long data packets waited in the emulated buffer until their transmission began, mean over those that arrived in the duration that begins a warmup after the first; null with engine direct", queueDelay(1, func(d *result.QueueDelay) float64 { return d.Mean })),
		def(QueueDelayP50, Seconds, result.Lower,
			"median of the waits of queue_delay_mean: the smallest that at least 50 % of them do not exceed", queueDelay(1, func(d *result.QueueDelay) float64 { return d.P50 })),
		def(QueueDelayP95, Seconds, result.Lower,
			"the smallest wait of queue_delay_mean's that at least 95 % of them do not exceed", queueDelay(1, func(d *result.QueueDelay) float64 { return d.P95 })),
		def(QueueDelayP99, Seconds, result.Lower,
			"the smallest wait of queue_delay_mean's that at least 99 % of them do not exceed; null below 1000 packets", queueDelay(1000, func(d *result.QueueDelay) float64 { return d.P99 })),
		def(CwndMean, Bytes, result.Neither,
			"tcpi_snd_cwnd x tcpi_snd_mss, mean over the window, each sample standing for the time since the one before; sum of the flows", inputs.cwndMean),
		def(NetPower, BytesPerSecond2, result.Higher,
			"goodput in bytes per second over rtt_mean in seconds", inputs.netPower),
		def(DeliveryRate, BitPerSecond, result.Neither,
			"tcpi_delivery_rate, mean over the window as cwnd_mean; sum of the flows", timeMean("delivery_rate")),
		def(PacingRate, BitPerSecond, result.Neither,
			"tcpi_pacing_rate, mean over the window as cwnd_mean; sum of the flows", timeMean("pacing_rate")),
		def(Busy, Ratio, result.Neither,
			"tcpi_busy_time, its difference over the sender's window, per second of it; mean of the flows", share(busyTime)),
		def(RwndLimited, Ratio, result.Neither,
			"tcpi_rwnd_limited, as busy", share(rwndLimited)),
		def(SndbufLimited, Ratio, result.Neither,
			"tcpi_sndbuf_limited, as busy", share(sndbufLimited)),
		def(DropsInduced, Packets, result.Neither,
			"data packets that the drop rule took over the whole flow; null without a rule", inputs.dropsInduced),
		def(DropsQueue, Packets, result.Neither,
			"packets that the emulated buffer towards the receiver and the devices' qdiscs dropped over the whole flow", inputs.dropsQueue),
		def(ConnectTime, Seconds, result.Lower,
			"from connect() to established; mean of the flows", inputs.connectTime),
		def(CPU, SecondsPerGB, result.Lower,
			"seconds in which the host's processors were not idle (/proc/stat), the way into and out of idle included, per second of the sender's window, over goodput in GB (10^9 bytes) per second; null when those beyond ccbench's own exceed 5 % of the processors' time plus a quarter of its own", inputs.cpu),
	}
}

// Definitions lists all metrics in the order in which they are shown.
func Definitions() []result.Metric {
	var all []result.Metric
	for _, d := range definitions() {
		all = append(all, d.Metric)
	}
	return all
}

// Lookup finds a metric by name.
func Lookup(name string) (result.Metric, bool) {
	all := Definitions()
	i := slices.IndexFunc(all, func(m result.Metric) bool { return m.Name == name })
	if i < 0 {
		return result.Metric{}, false
	}
	return all[i], true
}

// Compute gives every metric of a trial by name, null where it cannot be had.
// series are the trial's own; only the sender's are looked at.
func Compute(t *result.Trial, series []result.Series) map[string]*float64 {
	in := newInputs(t, series)
	all := map[string]*float64{}
	for _, d := range definitions() {
		all[d.Name] = possible(d.compute(in))
	}
	return all
}

// possible makes what arithmetic could not give (0/0, x/0) null, and what is
// below 0: no metric is, so an input is not what it seems.
func possible(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) || *v < 0 {
		return nil
	}
	return v
}
