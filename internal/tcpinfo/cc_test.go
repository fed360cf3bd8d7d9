package tcpinfo

import (
	"encoding/binary"
	"testing"
)

// ccReading is an answer to TCP_CC_INFO made of 32-bit words.
func ccReading(words ...uint32) Raw {
	r := Raw{ccLen: uint32(4 * len(words))}
	for i, w := range words {
		binary.NativeEndian.PutUint32(r.cc[4*i:], w)
	}
	return r
}

// halves puts two 16-bit members of a C struct into one word of memory.
func halves(first, second uint16) uint32 {
	var b [4]byte
	binary.NativeEndian.PutUint16(b[:], first)
	binary.NativeEndian.PutUint16(b[2:], second)
	return binary.NativeEndian.Uint32(b[:])
}

func TestCongestionControlColumns(t *testing.T) {
	for _, tt := range []struct {
		name, algorithm string
		raw             Raw
		want            map[string]float64
	}{
		{"bbr", "bbr", ccReading(12_500_000, 0, 40000, 739, 512), map[string]float64{
			"bbr_bw": 100e6, "bbr_min_rtt": 0.04, "bbr_pacing_gain": 739.0 / 256, "bbr_cwnd_gain": 2}},
		{"bbr above 4 GB/s", "bbr", ccReading(1, 1, 40000, 256, 512), map[string]float64{
			"bbr_bw": 8 * (1<<32 + 1), "bbr_min_rtt": 0.04, "bbr_pacing_gain": 1, "bbr_cwnd_gain": 2}},
		{"bbr before its first sample", "bbr", ccReading(0, 0, infinite32, 739, 739), map[string]float64{
			"bbr_pacing_gain": 739.0 / 256, "bbr_cwnd_gain": 739.0 / 256}},
		{"bbr in a short answer", "bbr", ccReading(12_500_000, 0), map[string]float64{"bbr_bw": 100e6}},
		{"bbr without an answer", "bbr", Raw{}, nil},
		{"vegas", "vegas", ccReading(1, 9, 41000, 40000), map[string]float64{
			"vegas_rttcnt": 9, "vegas_rtt": 0.041, "vegas_min_rtt": 0.04}},
		{"vegas before its first sample", "vegas", ccReading(1, 0, infiniteVegas, infiniteVegas),
			map[string]float64{"vegas_rttcnt": 0}},
		{"dctcp", "dctcp", ccReading(halves(1, 1), 512, 100, 1000), map[string]float64{
			"dctcp_alpha": 0.5, "dctcp_ce_state": 1}},
		{"dctcp fallen back to reno", "dctcp", ccReading(0, 0, 0, 0), nil},
		{"an answer nobody can name", "illinois", ccReading(1, 2, 3, 4), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Columns([]Raw{tt.raw}, 0, tt.algorithm)
			delete(got, "t")
			if len(got) != len(tt.want) {
				t.Errorf("columns %v, want %v", got, tt.want)
			}
			for name, v := range tt.want {
				if c, ok := got[name]; !ok || c[0] != v {
					t.Errorf("column %s = %v, want %v", name, c, v)
				}
			}
		})
	}
}
