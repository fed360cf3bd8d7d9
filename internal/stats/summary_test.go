package stats

import (
	"math"
	"slices"
	"testing"
)

func TestSummarize(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name   string
		sample []float64
		want   Summary
	}{
		{"none", nil, Summary{0, nan, nan, nan, nan, nan, []string{"no usable value"}}},
		{"one", []float64{3}, Summary{1, 3, nan, 3, 3, 3,
			[]string{"one value has no spread: at least 2 are needed for a standard deviation"}}},
		// Deviations of ±1 from 3: a variance of 2/1.
		{"two", []float64{4, 2}, Summary{2, 3, math.Sqrt2, 3, 2, 4, nil}},
		// Squares of the deviations: 9+1+1+1+0+0+4+16 = 32.
		{"eight", []float64{2, 4, 4, 4, 5, 5, 7, 9}, Summary{8, 5, math.Sqrt(32. / 7), 4.5, 2, 9, nil}},
		{"odd", []float64{9, 1, 2}, Summary{3, 4, math.Sqrt(19), 2, 1, 9, nil}},
		{"zeros", []float64{0, 0, 0}, Summary{3, 0, 0, 0, 0, 0, nil}},
		{"identical", []float64{0.1, 0.1, 0.1}, Summary{3, 0.1, 0, 0.1, 0.1, 0.1,
			[]string{"all 3 values are identical: repetitions may be copies of each other"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.sample)
			checkSummary(t, Summarize(tt.sample), tt.want)
			if !slices.Equal(tt.sample, before) {
				t.Errorf("the sample became %v, want it left as %v", tt.sample, before)
			}
		})
	}
}

func checkSummary(t *testing.T, got, want Summary) {
	t.Helper()
	if got.N != want.N {
		t.Errorf("N = %d, want %d", got.N, want.N)
	}
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"mean", got.Mean, want.Mean}, {"stddev", got.Stddev, want.Stddev},
		{"median", got.Median, want.Median}, {"min", got.Min, want.Min}, {"max", got.Max, want.Max},
	} {
		if math.IsNaN(f.got) && math.IsNaN(f.want) {
			continue
		}
		checkNear(t, f.name, f.got, f.want, 1e-14)
	}
	if !slices.Equal(got.Warnings, want.Warnings) {
		t.Errorf("warnings = %q, want %q", got.Warnings, want.Warnings)
	}
}
