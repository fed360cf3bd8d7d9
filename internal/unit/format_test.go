package unit

import (
	"math"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		value float64
		base  string
		want  string
	}{
		{95.64e6, "bit/s", "95.64 Mbit/s"},
		{999, "bit/s", "999.0 bit/s"},
		{1000, "bit/s", "1.000 kbit/s"},
		{12.5e9, "bit/s", "12.50 Gbit/s"},
		{4.2e12, "bit/s", "4200 Gbit/s"},
		{0.0403, "s", "40.30 ms"},
		{0.000051, "s", "51.00 µs"},
		{2, "s", "2.000 s"},
		{0.0102, "ratio", "1.020%"},
		{38.5e6, "B/s^2", "38.50 MB/s²"},
		{1234, "B/s^2", "0.0012 MB/s²"},
		{99_999e6, "B/s^2", "99999 MB/s²"},
		{100_000e6, "B/s^2", "100.0 GB/s²"},
		{9_999e9, "B/s^2", "9999 GB/s²"},
		{10e12, "B/s^2", "10.00 TB/s²"},
		{91_833_661e6, "B/s^2", "91.83 TB/s²"},
		{500e3, "B", "500.0 kB"},
		{312, "segments", "312.0 segments"},
		{123456, "packets", "123456 packets"},
		{0, "bit/s", "0 bit/s"},
		{0, "s", "0 s"},
		{math.NaN(), "s", "n/a"},
	} {
		if got := Format(tt.value, tt.base); got != tt.want {
			t.Errorf("Format(%v, %q) = %q, want %q", tt.value, tt.base, got, tt.want)
		}
	}
}

func TestNewScale(t *testing.T) {
	for _, tt := range []struct {
		name            string
		base            string
		values, spreads []float64
		unit            string
		decimals        int
	}{
		{"largest decides the prefix", "bit/s", []float64{95e6, 1.2e5}, nil, "Mbit/s", 3},
		{"smallest decides the digits", "bit/s", []float64{95e6, 5e6}, nil, "Mbit/s", 3},
		{"spread asks for more", "bit/s", []float64{95e6}, []float64{0.02e6}, "Mbit/s", 3},
		{"spread asks for less", "segments", []float64{3152}, []float64{40}, "segments", 0},
		{"spread as large as the value", "bit/s", []float64{93e6}, []float64{80e6}, "Mbit/s", 1},
		{"five digits of the largest", "bit/s", []float64{93.8e6, 2.9e6}, []float64{0.4e6, 0.0028e6}, "Mbit/s", 3},
		{"six, else something is zero", "bit/s", []float64{93.8e6, 400}, []float64{0.4e6, 200}, "Mbit/s", 4},
		{"six would not do", "bit/s", []float64{9380e6, 5000e6}, []float64{0.4e6, 2}, "Gbit/s", 4},
		{"five digits of less than one", "ratio", []float64{0.000312345}, []float64{1e-9}, "%", 4},
		{"counts have tenths", "segments", []float64{10.17, 0.25}, []float64{0.041, 0.5}, "segments", 1},
		{"counts with a large one", "packets", []float64{81396.3333, 312.5}, []float64{20127.3, 12.1}, "packets", 0},
		{"counts with a large one and a fraction", "packets", []float64{81396.3333, 1. / 3}, []float64{20127.3, 0.58}, "packets", 1},
		{"counts without spreads", "segments", []float64{3}, nil, "segments", 1},
		{"no noise digits", "bit/s", []float64{95e6}, []float64{1e-9}, "Mbit/s", 3},
		{"absent and zero decide nothing", "s", []float64{math.NaN(), 0, 0.04}, []float64{math.NaN(), 0}, "ms", 2},
		{"nothing known", "s", []float64{math.NaN()}, nil, "s", 0},
		{"infinite decides nothing", "s", []float64{math.Inf(1), 0.04}, nil, "ms", 2},
		{"unknown unit", "furlong", []float64{12345}, nil, "furlong", 0},
	} {
		got := NewScale(tt.base, tt.values, tt.spreads)
		if got.Unit != tt.unit || got.Decimals != tt.decimals {
			t.Errorf("%s: %q with %d decimals, want %q with %d", tt.name, got.Unit, got.Decimals, tt.unit, tt.decimals)
		}
	}
}

// Far apart, the smallest value still has digits.
func TestNewWideScale(t *testing.T) {
	for _, tt := range []struct {
		name            string
		base            string
		values, spreads []float64
		unit            string
		decimals        int
	}{
		{"smaller unit", "s", []float64{0.0412, 1.31}, []float64{0.00002, 0.02}, "ms", 2},
		{"smaller unit without spreads", "s", []float64{0.0412, 1.31}, nil, "ms", 1},
		{"no unit to change", "bit/s", []float64{1.5e6, 95.2e6}, []float64{0.003e6, 0.2e6}, "Mbit/s", 3},
		{"five digits keep the larger", "bit/s", []float64{0.3e6, 95.2e6}, []float64{0.003e6, 0.2e6}, "Mbit/s", 3},
		{"four digits do not", "bit/s", []float64{0.3e6, 9.52e6}, []float64{0.003e6, 0.2e6}, "kbit/s", 1},
		{"one step of two", "s", []float64{0.00005, 1.31}, nil, "ms", 4},
		{"three digits in any case", "B/s^2", []float64{0.213e6, 1059e6}, []float64{0.003e6, 2e6}, "MB/s²", 3},
		{"counts have tenths", "segments", []float64{0.25, 81396}, []float64{0.01, 20}, "segments", 1},
		{"absent and zero decide nothing", "s", []float64{math.NaN(), 0, 2}, nil, "s", 3},
		{"nothing known", "s", []float64{math.NaN()}, nil, "s", 0},
		{"one unit", "ratio", []float64{0.00001, 0.2}, nil, "%", 4},
		{"unknown unit", "furlong", []float64{0.1, 12345}, nil, "furlong", 3},
	} {
		got := NewWideScale(tt.base, tt.values, tt.spreads)
		if got.Unit != tt.unit || got.Decimals != tt.decimals {
			t.Errorf("%s: %q with %d decimals, want %q with %d", tt.name, got.Unit, got.Decimals, tt.unit, tt.decimals)
		}
	}
}

func TestScaleFormat(t *testing.T) {
	s := NewScale("bit/s", []float64{95.64e6}, nil)
	for _, tt := range []struct {
		value float64
		want  string
	}{
		{95.64e6, "95.64"},
		{95.645e6, "95.64"}, // 95.645 is 95.6449999... in binary
		{95.635e6, "95.64"}, // 95.635 is 95.6350000...05 in binary
		{1, "0.00"},
		{-1, "0.00"},
		{-1.5e6, "-1.50"},
		{math.NaN(), "n/a"},
		{math.Inf(-1), "n/a"},
	} {
		if got := s.Format(tt.value); got != tt.want {
			t.Errorf("Format(%v) = %q, want %q", tt.value, got, tt.want)
		}
	}
}
