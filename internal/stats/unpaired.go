package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// CompareUnpaired compares samples whose values do not come in pairs, or not
// all of them.
//
// Assumption: all values are independent, and those of each arm are normal; the
// variances may differ. The interval of the ratio is Fieller's with the degrees
// of freedom of Welch and Satterthwaite, taken at the estimated ratio, which
// holds its level approximately. Used on blocks of which some are incomplete,
// it is wider than necessary where the arms of a block move together.
func CompareUnpaired(a, b []float64, level float64) Comparison {
	c := Comparison{NA: len(a), NB: len(b), Level: level}
	meanA, meanB := mean(a), mean(b)
	if len(a) < 2 || len(b) < 2 {
		c.tooFew(meanA, meanB)
		c.Warnings = append(c.Warnings, "an interval needs at least 2 values of each arm")
		return c
	}
	va, vb := ofMean(a), ofMean(b)
	c.Difference.Value = meanB - meanA
	c.Difference.Interval = symmetric(c.Difference.Value, welchHalf(va, vb, level))
	c.setDelta(meanA, meanB, func() *Interval {
		// With independent arms D = B - rA has variance vb + r^2 va, and
		// covariance -r va with A.
		r := meanB / meanA
		scaled := variance{va.of * r * r, va.df}
		m := moments{a: meanA, r: r, vAA: va.of, vAD: -r * va.of, vDD: vb.of + scaled.of}
		return fieller(m, welchCritical(scaled, vb, level))
	})
	c.warnNoWidth()
	c.warnFew()
	return c
}

// variance is the estimated variance of a mean and its degrees of freedom.
type variance struct {
	of, df float64
}

func ofMean(sample []float64) variance {
	n := float64(len(sample))
	return variance{stat.Variance(sample, nil) / n, n - 1}
}

func welchHalf(a, b variance, level float64) float64 {
	return welchCritical(a, b, level) * math.Sqrt(a.of+b.of)
}

// welchCritical is the critical value for the sum of two independent means.
// Welch (1947), The generalization of Student's problem, Biometrika 34.
func welchCritical(a, b variance, level float64) float64 {
	total := a.of + b.of
	if total == 0 {
		// No spread at all: whatever the value, it multiplies zero.
		return critical(level, min(a.df, b.df))
	}
	// As shares of the total, whose squares cannot underflow together.
	x, y := a.of/total, b.of/total
	return critical(level, 1/(x*x/a.df+y*y/b.df))
}
