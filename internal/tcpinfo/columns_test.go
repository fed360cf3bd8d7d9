package tcpinfo

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// reading builds a kernel's answer of the given length from member values. It
// places them by its own offsets, written down from the C struct, so that a
// slip in the layout is not repeated here.
func reading(length int, values map[int]uint64, wide ...int) Raw {
	r := Raw{infoLen: uint32(length)}
	for offset, v := range values {
		if slices.Contains(wide, offset) {
			binary.NativeEndian.PutUint64(r.info[offset:], v)
		} else {
			binary.NativeEndian.PutUint32(r.info[offset:], uint32(v))
		}
	}
	return r
}

// full is an answer of Linux 6.7 or newer.
func full() Raw {
	r := reading(248, map[int]uint64{
		8: 204000, 16: 1448, 24: 10, 28: 3, 32: 2, 36: 1, 68: 40123, 72: 250, 76: 20, 80: 30, 88: 3, 100: 7,
		104: 12_500_000, 112: infinite64, 120: 5_000_000_001, 128: 11, 136: 900, 140: 901, 144: 65536, 148: 40000,
		152: 12, 156: 800, 160: 1_250_000, 168: 10_000_000, 176: 250_000, 184: 4_000, 192: 790, 196: 5,
		200: 6_000_000_000, 208: 10136, 216: 1, 220: 2, 224: 3, 228: 131072, 232: 64000, 236: 0, 244: 1500,
	}, 104, 112, 120, 128, 160, 168, 176, 184, 200, 208)
	r.info[1] = 3
	binary.NativeEndian.PutUint16(r.info[240:], 2)
	r.At = 3_500_000_000
	return r
}

func TestColumnsAreInBaseUnits(t *testing.T) {
	want := map[string]float64{
		"t": 2.5, "rtt": 0.040123, "rttvar": 0.00025, "min_rtt": 0.04, "rto": 0.204, "cwnd": 30, "mss": 1448,
		"ssthresh": 20, "bytes_sent": 6e9, "bytes_acked": 5_000_000_001, "bytes_retrans": 10136,
		"data_segs_out": 800, "total_retrans": 7, "lost": 2, "retrans_out": 1, "unacked": 10, "sacked": 3,
		"delivered": 790, "delivery_rate": 10e6, "pacing_rate": 100e6, "busy_time": 10, "rwnd_limited": 0.25,
		"sndbuf_limited": 0.004, "ca_state": 3, "notsent_bytes": 65536, "reordering": 3, "dsack_dups": 1,
		"snd_wnd": 131072, "total_rto": 2, "total_rto_time": 1.5,
	}
	got := Columns([]Raw{full()}, 1_000_000_000, "reno")
	for name, v := range want {
		if c, ok := got[name]; !ok || c[0] != v {
			t.Errorf("column %s = %v, want %v", name, c, v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d columns, want %d", len(got), len(want))
	}
}

func TestShortAnswersLeaveMembersAbsent(t *testing.T) {
	// The struct's size by release, and the first column that came after it.
	for _, tt := range []struct {
		kernel        string
		size          int
		last, missing string
	}{
		{"2.6", 104, "total_retrans", "pacing_rate"},
		{"3.15", 120, "pacing_rate", "bytes_acked"},
		{"4.1", 136, "bytes_acked", "min_rtt"},
		{"4.6", 160, "data_segs_out", "delivery_rate"},
		{"4.9", 168, "delivery_rate", "busy_time"},
		{"4.10", 192, "sndbuf_limited", "delivered"},
		{"4.18", 200, "delivered", "bytes_sent"},
		{"4.19", 224, "dsack_dups", "snd_wnd"},
		{"5.4", 232, "snd_wnd", "total_rto"},
		{"6.7", 248, "total_rto_time", ""},
		{"cut inside total_rto_time", 247, "total_rto", "total_rto_time"},
	} {
		t.Run(tt.kernel, func(t *testing.T) {
			r := full()
			r.infoLen = uint32(tt.size)
			got := Columns([]Raw{r}, 0, "")
			if _, ok := got[tt.last]; !ok {
				t.Errorf("no column %s with %d bytes", tt.last, tt.size)
			}
			if _, ok := got[tt.missing]; ok {
				t.Errorf("column %s = %v with %d bytes, want none", tt.missing, got[tt.missing], tt.size)
			}
		})
	}
}

func TestWhatTheKernelMarksAsNoneIsAbsent(t *testing.T) {
	r := full()
	binary.NativeEndian.PutUint32(r.info[68:], 0)
	binary.NativeEndian.PutUint32(r.info[72:], 250000)
	binary.NativeEndian.PutUint32(r.info[76:], infiniteSsthresh)
	binary.NativeEndian.PutUint32(r.info[148:], infinite32)
	binary.NativeEndian.PutUint64(r.info[104:], infinite64)
	binary.NativeEndian.PutUint64(r.info[160:], 0)
	alone := Columns([]Raw{r}, 0, "")
	mixed := Columns([]Raw{full(), r}, 0, "")
	for _, name := range []string{"rtt", "rttvar", "ssthresh", "min_rtt", "pacing_rate", "delivery_rate"} {
		if c, ok := alone[name]; ok {
			t.Errorf("column %s = %v, want none", name, c)
		}
		if c := mixed[name]; len(c) != 2 || math.IsNaN(c[0]) || !math.IsNaN(c[1]) {
			t.Errorf("column %s = %v, want a number and a NaN", name, c)
		}
	}
	if r.TCP(0).MinRTT != nil {
		t.Errorf("MinRTT = %v, want nil", *r.TCP(0).MinRTT)
	}
}

func TestTCP(t *testing.T) {
	r := full()
	got := r.TCP(1_000_000_000)
	integer := func(name string, got *int64, want int64) {
		t.Helper()
		if got == nil || *got != want {
			t.Errorf("%s = %v, want %d", name, got, want)
		}
	}
	number := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || *got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	number("T", &got.T, 2.5)
	integer("BytesSent", got.BytesSent, 6_000_000_000)
	integer("BytesAcked", got.BytesAcked, 5_000_000_001)
	integer("BytesRetrans", got.BytesRetrans, 10136)
	integer("SegsOut", got.SegsOut, 900)
	integer("DataSegsOut", got.DataSegsOut, 800)
	integer("TotalRetrans", got.TotalRetrans, 7)
	integer("Sacked", got.Sacked, 3)
	integer("DSACKDups", got.DSACKDups, 1)
	number("MinRTT", got.MinRTT, 0.04)
	number("BusyTime", got.BusyTime, 10)
	number("RwndLimited", got.RwndLimited, 0.25)
	number("SndbufLimited", got.SndbufLimited, 0.004)
	integer("MSS", r.MSS(), 1448)
}

func TestZeroReadingIsAllAbsent(t *testing.T) {
	var r Raw
	if got := Columns([]Raw{r}, 0, "bbr"); len(got) != 1 || got["t"][0] != 0 {
		t.Errorf("columns %v, want only t", got)
	}
	if n, ok := r.BytesAcked(); ok {
		t.Errorf("BytesAcked = %d, want none", n)
	}
	if got := r.TCP(0); got != nil {
		t.Errorf("TCP = %v, want nil", got)
	}
	if got := Columns(nil, 0, "bbr"); len(got) != 0 {
		t.Errorf("columns of no samples: %v", got)
	}
}
