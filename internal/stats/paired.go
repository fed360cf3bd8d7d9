package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Pair is one value of each arm, measured in the same block.
type Pair struct {
	A, B float64
}

// ComparePaired compares B with A from pairs.
//
// Assumption: the pairs are independent of each other and B - RA of a pair is
// normal for the true ratio R. What the two of a pair share (drift, the phase
// of a drop rule) may be anything. The interval of the ratio is Fieller's with
// n-1 degrees of freedom, exact under the assumption; it excludes a ratio of 1
// exactly when the paired t test rejects.
func ComparePaired(pairs []Pair, level float64) Comparison {
	c := Comparison{NA: len(pairs), NB: len(pairs), Paired: true, Level: level}
	a, b := split(pairs)
	meanA, meanB := mean(a), mean(b)
	n := float64(len(pairs))
	if n < 2 {
		c.tooFew(meanA, meanB)
		c.Warnings = append(c.Warnings, "an interval needs at least 2 complete blocks")
		return c
	}
	t := critical(level, n-1)
	difference := residuals(pairs, 1)
	c.Difference.Value = meanB - meanA
	c.Difference.Interval = symmetric(c.Difference.Value, t*math.Sqrt(stat.Variance(difference, nil)/n))
	c.setDelta(meanA, meanB, func() *Interval {
		r := meanB / meanA
		d := residuals(pairs, r)
		return fieller(moments{
			a: meanA, r: r,
			vAA: stat.Variance(a, nil) / n,
			vAD: stat.Covariance(a, d, nil) / n,
			vDD: stat.Variance(d, nil) / n,
		}, t)
	})
	c.warnNoWidth()
	c.warnFew()
	return c
}

// residuals is B - rA of every pair.
func residuals(pairs []Pair, r float64) []float64 {
	d := make([]float64, len(pairs))
	for i, p := range pairs {
		d[i] = p.B - r*p.A
	}
	return d
}

func split(pairs []Pair) ([]float64, []float64) {
	a, b := make([]float64, len(pairs)), make([]float64, len(pairs))
	for i, p := range pairs {
		a[i], b[i] = p.A, p.B
	}
	return a, b
}

// mean is NaN for no values.
func mean(sample []float64) float64 {
	return Summarize(sample).Mean
}
