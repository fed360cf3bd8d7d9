package stats

import (
	"fmt"
	"math"
)

// Comparison holds B against the baseline A.
type Comparison struct {
	NA, NB int
	Paired bool
	Level  float64 // of both intervals
	// Delta is (B-A)/A of the means; NaN when A's mean is not above zero.
	Delta Estimate
	// Difference is B-A of the means, in the unit of the samples.
	Difference Estimate
	Warnings   []string
}

// moments are the means of two samples and the variances of those means. D
// stands for B - rA, the residual at the estimated ratio r = B/A.
type moments struct {
	a, r          float64
	vAA, vAD, vDD float64
}

// fieller is Fieller's interval for r: all R for which the mean of B - RA does
// not differ significantly from zero, t being the critical value. Written with
// R = r + x and B - RA = D - xA, where D has mean zero, it is
//
//	(a x)^2 <= t^2 (vDD - 2 x vAD + x^2 vAA)
//
// whose roots have a discriminant that is a sum of squares, so that nothing
// cancels when the samples hardly vary. When a itself does not differ
// significantly from zero the set of R is not an interval, and nil is returned.
//
// Fieller (1954), Some problems in interval estimation, J. R. Stat. Soc. B 16.
func fieller(m moments, t float64) *Interval {
	c := t * t
	lead := m.a*m.a - c*m.vAA
	if !(lead > 0) {
		return nil
	}
	mid := -c * m.vAD
	root := math.Sqrt(mid*mid + lead*c*m.vDD)
	i := Interval{m.r + (mid-root)/lead, m.r + (mid+root)/lead}
	if !finite(i.Low) || !finite(i.High) {
		return nil
	}
	return &i
}

// setDelta fills in the relative difference, or says why there is none.
func (c *Comparison) setDelta(meanA, meanB float64, ratio func() *Interval) {
	c.Delta.Value = math.NaN()
	if !(meanA > 0) {
		c.Warnings = append(c.Warnings, "the baseline's mean is not above zero: the difference stands for a percentage")
		return
	}
	c.Delta.Value = (meanB - meanA) / meanA
	i := ratio()
	if i == nil {
		c.Warnings = append(c.Warnings, "the baseline's mean is too uncertain to divide by: the difference stands for a percentage")
		return
	}
	c.Delta.Interval = &Interval{i.Low - 1, i.High - 1}
}

// warnFew says what an interval from two values of an arm rests on: they show
// nothing of the shape of their distribution.
func (c *Comparison) warnFew() {
	if min(c.NA, c.NB) > 2 || c.Difference.Interval == nil {
		return
	}
	c.Warnings = append(c.Warnings, fmt.Sprintf(
		"an interval from 2 repetitions rests wholly on the assumption of normal errors; at least %d complete blocks whose differences have one sign would tell without it",
		signBlocks(c.Level)))
}

// signBlocks is how many blocks a sign test needs to reject at all: were there
// no difference, n signs would agree with a probability of 2^(1-n).
func signBlocks(level float64) int {
	n := 1
	for p := 1.0; p > 1-level; p /= 2 {
		n++
	}
	return n
}

// tooFew is a comparison of samples that are too small for an interval.
func (c *Comparison) tooFew(meanA, meanB float64) {
	c.Difference.Value = meanB - meanA
	c.Delta.Value = math.NaN()
	if meanA > 0 {
		c.Delta.Value = (meanB - meanA) / meanA
	}
}
