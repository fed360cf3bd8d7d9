package validity

import (
	"math"
	"testing"
)

// Exact values, computed in whole numbers by another program.
func TestBinomialTail(t *testing.T) {
	for _, test := range []struct {
		n, k int64
		p    float64
		want float64
	}{
		{1000, 29, 0.01, 6.397217e-07},
		{1000, 0, 0.01, 4.317125e-05},
		{10_000, 55, 0.01, 5.721745e-07},
		{10_000, 54, 0.01, 3.068854e-07},
		{10_000, 152, 0.01, 6.980250e-07},
		{10_000, 153, 0.01, 4.487091e-07},
		{50, 42, 0.5, 5.817779e-07},
		{50, 8, 0.5, 5.817779e-07},
		{400, 60, 0.25, 7.800766e-07},
		{400, 144, 0.25, 6.678803e-07},
		{2, 2, 0.5, 0.25},
		{2, 0, 0.5, 0.25},
		{1, 1, 0.999, 0.999},
		{0, 0, 0.5, 1},
		{1_000_000, 1_000_000, 0.01, 0},
	} {
		got := binomialTail(test.n, test.k, test.p)
		if math.Abs(got-test.want) > 1e-6*test.want {
			t.Errorf("n %d, k %d, p %g: got %.7g, want %.7g", test.n, test.k, test.p, got, test.want)
		}
	}
}

// For large n the tail nears the normal one, corrected for continuity: here the
// skew that is left moves it by less than 1 %.
func TestBinomialTailOfMany(t *testing.T) {
	const n, p = 1_000_000_000, 0.01
	sd := math.Sqrt(n * p * (1 - p))
	for _, z := range []float64{-5, -4, -1, 1, 4, 5} {
		k := math.Round(n*p + z*sd)
		z := (math.Abs(k-n*p) - 0.5) / sd
		want := math.Erfc(z/math.Sqrt2) / 2
		if got := binomialTail(n, int64(k), p); math.Abs(got/want-1) > 0.01 {
			t.Errorf("k %.0f: got %g, the normal tail is %g", k, got, want)
		}
	}
}
