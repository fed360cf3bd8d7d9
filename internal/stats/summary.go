package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Summary describes one sample. What the sample is too small for is NaN.
type Summary struct {
	N        int
	Mean     float64
	Stddev   float64 // of the sample, with n-1; NaN for n < 2
	Median   float64 // of an even n: the mean of the middle two
	Min, Max float64
	Warnings []string
}

// Summarize describes a sample of finite values, in any order.
func Summarize(sample []float64) Summary {
	s := Summary{N: len(sample), Mean: math.NaN(), Stddev: math.NaN(), Median: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	if s.N == 0 {
		s.Warnings = []string{"no usable value"}
		return s
	}
	sorted := slices.Sorted(slices.Values(sample))
	s.Mean = stat.Mean(sample, nil)
	s.Median = median(sorted)
	s.Min, s.Max = sorted[0], sorted[s.N-1]
	if s.N < 2 {
		s.Warnings = []string{"one value has no spread: at least 2 are needed for a standard deviation"}
		return s
	}
	s.Stddev = stat.StdDev(sample, nil)
	// Zeros repeat by nature (no drop, no retransmit); other measured values do not.
	if s.Min == s.Max && s.Min != 0 {
		// The two-pass sum would leave rounding noise where there is none.
		s.Mean, s.Stddev = s.Min, 0
		s.Warnings = []string{fmt.Sprintf("all %d values are identical: repetitions may be copies of each other", s.N)}
	}
	return s
}

func median(sorted []float64) float64 {
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	// Halves first: the sum of two large values could overflow.
	return sorted[half-1]/2 + sorted[half]/2
}
