package stats

import (
	"math"
	"testing"
)

func checkNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.10g, want %.10g ± %g", what, got, want, tolerance)
	}
}

func checkInterval(t *testing.T, what string, got *Interval, low, high, tolerance float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s has no interval, want [%g, %g]", what, low, high)
		return
	}
	checkNear(t, what+" low", got.Low, low, tolerance)
	checkNear(t, what+" high", got.High, high, tolerance)
}

func checkNoInterval(t *testing.T, what string, got *Interval) {
	t.Helper()
	if got != nil {
		t.Errorf("%s has the interval %+v, want none", what, *got)
	}
}

// The values with one and two degrees of freedom have closed forms; the others
// are those of printed tables.
func TestCritical(t *testing.T) {
	two := func(p float64) float64 { // quantile for df=2
		return (2*p - 1) * math.Sqrt(2/(4*p*(1-p)))
	}
	for _, tt := range []struct{ level, df, want, tolerance float64 }{
		{0.95, 1, math.Tan(0.475 * math.Pi), 1e-9},
		{0.975, 1, math.Tan(0.4875 * math.Pi), 1e-8},
		{0.95, 2, two(0.975), 1e-9},
		{0.99, 2, two(0.995), 1e-9},
		{0.95, 5, 2.571, 5e-4},
		{0.95, 9, 2.262, 5e-4},
		{0.99, 30, 2.750, 5e-4},
		{0.95, 1e6, 1.960, 5e-4},
	} {
		checkNear(t, "critical value", critical(tt.level, tt.df), tt.want, tt.tolerance)
	}
}

func TestJointLevel(t *testing.T) {
	checkNear(t, "level of one", JointLevel(0.95, 1), 0.95, 1e-15)
	checkNear(t, "level of two", JointLevel(0.95, 2), 0.975, 1e-15)
	checkNear(t, "level of five", JointLevel(0.95, 5), 0.99, 1e-15)
	checkNear(t, "level of none", JointLevel(0.95, 0), 0.95, 1e-15)
}
