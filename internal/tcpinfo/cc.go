package tcpinfo

import "math"

// ccColumns are the columns of TCP_CC_INFO by algorithm. The answer does not
// say of which kind it is, so only algorithms whose struct is known are here.
var ccColumns = map[string]map[string]value{
	// struct tcp_bbr_info: bw_lo, bw_hi (together bytes/s), min_rtt (us),
	// pacing_gain, cwnd_gain (both in 1/256); Linux 4.9.
	"bbr": {
		"bbr_bw":          bbrBandwidth,
		"bbr_min_rtt":     ccValue(8, infinite32, 1e6),
		"bbr_pacing_gain": ccValue(12, noSentinel, 256),
		"bbr_cwnd_gain":   ccValue(16, noSentinel, 256),
	},
	// struct tcpvegas_info: enabled, rttcnt, rtt, minrtt (us); 4.1 here.
	"vegas": {
		"vegas_rttcnt":  ccValue(4, noSentinel, 1),
		"vegas_rtt":     ccValue(8, infiniteVegas, 1e6),
		"vegas_min_rtt": ccValue(12, infiniteVegas, 1e6),
	},
	// struct tcp_dctcp_info: u16 enabled, u16 ce_state, alpha (1/1024), ab_ecn,
	// ab_tot; 4.1. All zero when dctcp had fallen back to reno.
	"dctcp": {
		"dctcp_alpha":    dctcpAlpha,
		"dctcp_ce_state": dctcpState,
	},
}

const (
	noSentinel = infinite64
	// infiniteVegas is where tcp_vegas.c starts its minima: not measured.
	infiniteVegas = 0x7fffffff
)

// ccValue reads a u32 at offset and divides it; absent where the answer is too
// short or the value is the algorithm's word for none.
func ccValue(offset int, absent uint64, divisor float64) value {
	return func(r *Raw) float64 {
		v, ok := r.ccGet(offset, 4)
		if !ok || v == absent {
			return math.NaN()
		}
		return float64(v) / divisor
	}
}

func (r *Raw) ccGet(offset, width int) (uint64, bool) {
	if offset+width > int(r.ccLen) {
		return 0, false
	}
	return decode(r.cc[offset : offset+width]), true
}

// bbrBandwidth is bbr's estimate in bit/s; 0 is an empty filter, thus absent.
func bbrBandwidth(r *Raw) float64 {
	low, _ := r.ccGet(0, 4)
	high, ok := r.ccGet(4, 4)
	if v := high<<32 | low; ok && v != 0 {
		return float64(v) * 8
	}
	return math.NaN()
}

func dctcpAlpha(r *Raw) float64 { return dctcpValue(r, 4, 4, 1024) }

func dctcpState(r *Raw) float64 { return dctcpValue(r, 2, 2, 1) }

func dctcpValue(r *Raw, offset, width int, divisor float64) float64 {
	enabled, _ := r.ccGet(0, 2)
	v, ok := r.ccGet(offset, width)
	if !ok || enabled == 0 {
		return math.NaN()
	}
	return float64(v) / divisor
}
