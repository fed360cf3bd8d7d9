package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The sleep data of Student (1908): hours of extra sleep of ten patients under
// two drugs.
var (
	sleep1 = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	sleep2 = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

func pairsOf(a, b []float64) []Pair {
	pairs := make([]Pair, len(a))
	for i := range a {
		pairs[i] = Pair{a[i], b[i]}
	}
	return pairs
}

// The intervals of the difference are those that R's t.test documents for
// these data, paired and not.
func TestDifferencePublished(t *testing.T) {
	paired := ComparePaired(pairsOf(sleep2, sleep1), 0.95)
	checkNear(t, "difference", paired.Difference.Value, -1.58, 1e-12)
	checkInterval(t, "paired difference", paired.Difference.Interval, -2.4598858, -0.7001142, 1e-7)
	unpaired := CompareUnpaired(sleep2, sleep1, 0.95)
	checkNear(t, "difference", unpaired.Difference.Value, -1.58, 1e-12)
	checkInterval(t, "unpaired difference", unpaired.Difference.Interval, -3.3654832, 0.2054832, 1e-7)
}

// By hand: A = 10, 12, 14 and B = 21, 22, 26 have means 12 and 23, variances
// of the means 4/3 and 7/3, a covariance of 5/3, and t^2 = 18.5128205 with two
// degrees of freedom. The roots of
// (144 - 4/3 t^2) R^2 - 2 (276 - 5/3 t^2) R + (529 - 7/3 t^2) = 0 bound R.
func TestPairedByHand(t *testing.T) {
	c := ComparePaired([]Pair{{10, 21}, {12, 22}, {14, 26}}, 0.95)
	t2 := 2 * 0.95 * 0.95 / (1 - 0.95*0.95)
	qa, qb, qc := 144-4./3*t2, 276-5./3*t2, 529-7./3*t2
	root := math.Sqrt(qb*qb - qa*qc)
	checkNear(t, "delta", c.Delta.Value, 11./12, 1e-15)
	checkInterval(t, "delta", c.Delta.Interval, (qb-root)/qa-1, (qb+root)/qa-1, 1e-9)
	if c.NA != 3 || c.NB != 3 || !c.Paired {
		t.Errorf("got n=%d+%d paired=%v, want n=3+3 paired", c.NA, c.NB, c.Paired)
	}
}

// The oracle knows the definition only: R belongs to the interval while the
// paired t statistic of B - RA stays below the critical value.
func TestPairedAgainstSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		pairs := make([]Pair, 2+rng.IntN(9))
		for i := range pairs {
			block := rng.NormFloat64()
			pairs[i] = Pair{30 + 2*block + rng.NormFloat64(), 20 + block + rng.NormFloat64()}
		}
		c := ComparePaired(pairs, 0.975)
		if c.Delta.Interval == nil {
			continue // two nearly equal blocks can leave A unbounded
		}
		excess := func(r float64) float64 { return tStatistic(pairs, r) - critical(0.975, float64(len(pairs)-1)) }
		r := 1 + c.Delta.Value
		checkInterval(t, "delta", c.Delta.Interval, bisect(excess, r, -1)-1, bisect(excess, r, 1)-1, 1e-6)
	}
}

func tStatistic(pairs []Pair, r float64) float64 {
	var sum, squares float64
	n := float64(len(pairs))
	for _, p := range pairs {
		sum += p.B - r*p.A
	}
	for _, p := range pairs {
		d := p.B - r*p.A - sum/n
		squares += d * d
	}
	return math.Abs(sum/n) / math.Sqrt(squares/(n-1)/n)
}

// bisect finds the zero of f nearest to from in the given direction, f being
// negative there and positive beyond.
func bisect(f func(float64) float64, from, direction float64) float64 {
	step := 1e-3
	for f(from+direction*step) < 0 && step < 1e9 {
		step *= 1.5
	}
	near, far := 0.0, step
	for range 200 {
		middle := (near + far) / 2
		if f(from+direction*middle) < 0 {
			near = middle
		} else {
			far = middle
		}
	}
	return from + direction*near
}

func TestUnboundedRatio(t *testing.T) {
	// The first drug's mean does not differ from zero (t = 1.33), the second's does.
	for name, c := range map[string]Comparison{
		"paired":   ComparePaired(pairsOf(sleep1, sleep2), 0.95),
		"unpaired": CompareUnpaired(sleep1, sleep2, 0.95),
	} {
		checkNear(t, name+" delta", c.Delta.Value, (2.33-0.75)/0.75, 1e-12)
		checkNoInterval(t, name+" delta", c.Delta.Interval)
		checkWarning(t, c.Warnings, "too uncertain")
	}
	c := ComparePaired(pairsOf(sleep2, sleep1), 0.95)
	if c.Delta.Interval == nil || len(c.Warnings) != 0 {
		t.Errorf("second drug as baseline: interval %v, warnings %q; want an interval and none", c.Delta.Interval, c.Warnings)
	}
}

func checkWarning(t *testing.T, warnings []string, want string) {
	t.Helper()
	if len(warnings) != 1 || !strings.Contains(warnings[0], want) {
		t.Errorf("warnings = %q, want one with %q", warnings, want)
	}
}

func TestZeroBaseline(t *testing.T) {
	c := ComparePaired([]Pair{{0, 3}, {0, 4}, {0, 5}}, 0.95)
	if !math.IsNaN(c.Delta.Value) {
		t.Errorf("delta = %v, want none", c.Delta.Value)
	}
	checkNoInterval(t, "delta", c.Delta.Interval)
	checkNear(t, "difference", c.Difference.Value, 4, 1e-15)
	half := critical(0.95, 2) / math.Sqrt(3)
	checkInterval(t, "difference", c.Difference.Interval, 4-half, 4+half, 1e-12)
	checkWarning(t, c.Warnings, "not above zero")
}

func TestTooFew(t *testing.T) {
	one := ComparePaired([]Pair{{10, 15}}, 0.95)
	checkNear(t, "delta", one.Delta.Value, 0.5, 1e-15)
	checkNoInterval(t, "delta", one.Delta.Interval)
	checkNoInterval(t, "difference", one.Difference.Interval)
	checkWarning(t, one.Warnings, "at least 2 complete blocks")
	none := CompareUnpaired(nil, []float64{1, 2}, 0.95)
	if !math.IsNaN(none.Delta.Value) || !math.IsNaN(none.Difference.Value) {
		t.Errorf("without a baseline: delta %v, difference %v; want none", none.Delta.Value, none.Difference.Value)
	}
	checkNoInterval(t, "difference", none.Difference.Interval)
	checkWarning(t, none.Warnings, "at least 2 values of each arm")
}

// The probability that n fair signs agree is 2^(1-n): 1/32 for 6, 1/64 for 7.
func TestFew(t *testing.T) {
	two := []Pair{{100, 150}, {101, 150}}
	checkWarning(t, ComparePaired(two, 0.95).Warnings, "an interval from 2 repetitions rests wholly on the assumption of normal errors; at least 6 complete blocks")
	checkWarning(t, ComparePaired(two, 0.975).Warnings, "at least 7 complete blocks")
	checkWarning(t, CompareUnpaired([]float64{100, 101}, []float64{80, 82, 81}, 0.95).Warnings, "from 2 repetitions")
	checkWarning(t, CompareUnpaired([]float64{100, 101, 102}, []float64{80, 82}, 0.95).Warnings, "from 2 repetitions")
	for name, c := range map[string]Comparison{
		"paired":   ComparePaired(append(two, Pair{102, 151}), 0.95),
		"unpaired": CompareUnpaired([]float64{10, 11, 12}, []float64{15, 15, 16}, 0.95),
	} {
		if len(c.Warnings) != 0 {
			t.Errorf("three, %s: warnings %q, want none", name, c.Warnings)
		}
	}
}

func TestNoWidth(t *testing.T) {
	for name, pairs := range map[string][]Pair{
		"constant":     {{10, 9}, {10, 9}, {10, 9}},
		"proportional": {{10.1, 30.3}, {11.7, 35.1}, {12.1, 36.3}},
		"same":         {{10.1, 10.1}, {11.7, 11.7}, {12.1, 12.1}},
	} {
		t.Run(name, func(t *testing.T) {
			checkWarning(t, ComparePaired(pairs, 0.95).Warnings, "no width")
		})
	}
	constant := CompareUnpaired([]float64{10, 10, 10}, []float64{9, 9, 9, 9}, 0.95)
	checkInterval(t, "unpaired constants", constant.Delta.Interval, -0.1, -0.1, 1e-15)
	checkWarning(t, constant.Warnings, "no width")
	// Nothing dropped in either arm is no wonder.
	zeros := ComparePaired([]Pair{{0, 0}, {0, 0}, {0, 0}}, 0.95)
	checkWarning(t, zeros.Warnings, "not above zero")
}

// Exchanging the arms turns the ratio's interval into that of its inverse.
func TestSwapMirrors(t *testing.T) {
	a := []float64{30.1, 31.5, 29.2, 30.9, 32.0, 28.8}
	b := []float64{20.2, 20.9, 19.9, 21.4, 21.0, 19.0}
	for name, compare := range map[string]func(a, b []float64) Comparison{
		"paired":   func(a, b []float64) Comparison { return ComparePaired(pairsOf(a, b), 0.95) },
		"unpaired": func(a, b []float64) Comparison { return CompareUnpaired(a, b, 0.95) },
	} {
		ab, ba := compare(a, b), compare(b, a)
		i := ab.Delta.Interval
		checkInterval(t, name+" swapped delta", ba.Delta.Interval, 1/(1+i.High)-1, 1/(1+i.Low)-1, 1e-9)
		checkNear(t, name+" swapped difference", ba.Difference.Value, -ab.Difference.Value, 1e-12)
	}
}

// The ratio's interval excludes 1 exactly when the difference's excludes 0.
func TestPairedRatioAgreesWithDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	excluded := 0
	for range 300 {
		pairs := make([]Pair, 5)
		for i := range pairs {
			pairs[i] = Pair{20 + rng.NormFloat64(), 21 + rng.NormFloat64()}
		}
		c := ComparePaired(pairs, 0.95)
		ratio, difference := c.Delta.Interval.Contains(0), c.Difference.Interval.Contains(0)
		if ratio != difference {
			t.Fatalf("%v: ratio includes 1: %v, difference includes 0: %v; want the same", pairs, ratio, difference)
		}
		if !ratio {
			excluded++
		}
	}
	if excluded < 30 || excluded > 270 {
		t.Errorf("zero excluded in %d of 300, want a sample with both outcomes", excluded)
	}
}

// Over many samples with a known ratio the interval must cover it in 95 %;
// with strong block effects and a spread of a quarter of the baseline, where a
// linearised interval would fail. Four standard errors of the simulation.
func TestCoverage(t *testing.T) {
	const trials, n = 4000, 6
	rng := rand.New(rand.NewPCG(5, 6))
	tolerance := 4 * math.Sqrt(0.95*0.05/trials)
	draw := func(block float64) ([]float64, []float64) {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			shared := block * rng.NormFloat64()
			a[i] = 30 + shared + 5*rng.NormFloat64()
			b[i] = 20 + shared + 2*rng.NormFloat64()
		}
		return a, b
	}
	covered := func(compare func(a, b []float64) Comparison, block float64) float64 {
		hits := 0
		for range trials {
			a, b := draw(block)
			i := compare(a, b).Delta.Interval
			if i == nil || i.Contains(20./30-1) { // unbounded covers everything
				hits++
			}
		}
		return float64(hits) / trials
	}
	paired := func(a, b []float64) Comparison { return ComparePaired(pairsOf(a, b), 0.95) }
	unpaired := func(a, b []float64) Comparison { return CompareUnpaired(a, b[1:], 0.95) }
	checkNear(t, "coverage, paired", covered(paired, 5), 0.95, tolerance)
	// Satterthwaite's degrees of freedom are an approximation: one more percent.
	checkNear(t, "coverage, unpaired", covered(unpaired, 0), 0.95, tolerance+0.01)
	if got := covered(unpaired, 5); got < 0.95-tolerance {
		t.Errorf("coverage, unpaired on blocks that move together = %.3f, want at least 0.95", got)
	}
}
