package tcpinfo

import (
	"maps"
	"math"

	"ccbench/internal/result"
)

// value decodes one number of a reading, NaN where it is absent.
type value func(*Raw) float64

func number(f field) value { return func(r *Raw) float64 { return r.scaled(f, 1) } }

// micros turns microseconds into seconds. It divides, because the nearest
// number to 40000/1e6 prints as 0.04 and that to 40000*1e-6 need not.
func micros(f field) value { return func(r *Raw) float64 { return r.scaled(f, 1) / 1e6 } }

func millis(f field) value { return func(r *Raw) float64 { return r.scaled(f, 1) / 1e3 } }

// bits turns bytes/s into bit/s.
func bits(f field) value { return func(r *Raw) float64 { return r.scaled(f, 8) } }

// deviation is absent until there is an rtt: the kernel starts rttvar at a
// quarter of a second that nobody measured.
func deviation(r *Raw) float64 {
	if _, ok := r.get(rtt); !ok {
		return math.NaN()
	}
	return micros(rttvar)(r)
}

// columns are the columns of TCP_INFO by name.
var columns = map[string]value{
	"rtt":            micros(rtt),
	"rttvar":         deviation,
	"min_rtt":        micros(minRTT),
	"rto":            micros(rto),
	"cwnd":           number(cwnd),
	"mss":            number(sndMSS),
	"ssthresh":       number(ssthresh),
	"bytes_sent":     number(bytesSent),
	"bytes_acked":    number(bytesAckd),
	"bytes_retrans":  number(bytesRetr),
	"data_segs_out":  number(dataSegs),
	"total_retrans":  number(total),
	"lost":           number(lost),
	"retrans_out":    number(retrans),
	"unacked":        number(unacked),
	"sacked":         number(sacked),
	"delivered":      number(delivered),
	"delivery_rate":  bits(delivRate),
	"pacing_rate":    bits(pacing),
	"busy_time":      micros(busyTime),
	"rwnd_limited":   micros(rwndTime),
	"sndbuf_limited": micros(sndbuf),
	"ca_state":       number(caState),
	"notsent_bytes":  number(notsent),
	"reordering":     number(reorder),
	"dsack_dups":     number(dsackDups),
	"snd_wnd":        number(sndWnd),
	"total_rto":      number(totalRTO),
	"total_rto_time": millis(rtoTime),
}

// Columns decodes the readings of one flow. Every column is as long as
// samples; "t" is in seconds since start, a time on the clock of At. Times are
// in s, rates in bit/s, cwnd, ssthresh and the counts of segments in segments,
// the rest in bytes; ca_state is the kernel's enum tcp_ca_state. algorithm is
// the kernel's name of the congestion control, which alone tells what its
// TCP_CC_INFO means. A column that is absent in every sample is left out.
func Columns(samples []Raw, start int64, algorithm string) map[string]result.Column {
	out := map[string]result.Column{}
	if len(samples) == 0 {
		return out
	}
	values := maps.Clone(columns)
	maps.Copy(values, ccColumns[algorithm])
	values["t"] = func(r *Raw) float64 { return since(start, r.At) }
	for name, value := range values {
		if c, present := column(samples, value); present {
			out[name] = c
		}
	}
	return out
}

func column(samples []Raw, value value) (result.Column, bool) {
	c := make(result.Column, len(samples))
	present := false
	for i := range samples {
		c[i] = value(&samples[i])
		present = present || !math.IsNaN(c[i])
	}
	return c, present
}
