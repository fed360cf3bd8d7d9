// Package stats turns samples into numbers that can be trusted, or says why
// they cannot: float64 in, estimates, intervals and warnings out. It knows
// nothing of trials, units or tables.
//
// There is one file for each assumption: paired.go for samples that come in
// pairs (the two arms of one block), unpaired.go for samples that do not. NaN
// stands for a number that cannot be had; a nil interval for one without
// bounds. A warning travels beside the number that it weakens.
package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval, ends included.
type Interval struct {
	Low, High float64
}

// Contains reports whether v lies in the interval.
func (i Interval) Contains(v float64) bool {
	return i.Low <= v && v <= i.High
}

// Estimate is a number with its confidence interval.
type Estimate struct {
	Value    float64   // NaN: there is no such number
	Interval *Interval // nil: the data do not bound it
}

// JointLevel is the level at which each of several intervals must be computed
// for all of them to hold together at the given level (Bonferroni's
// inequality: true whatever their dependence).
func JointLevel(level float64, comparisons int) float64 {
	return 1 - (1-level)/float64(max(comparisons, 1))
}

// critical is the two-sided critical value of Student's t distribution.
func critical(level, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(1 - (1-level)/2)
}

// symmetric is the interval value ± half, or none where that is not a number.
func symmetric(value, half float64) *Interval {
	i := Interval{value - half, value + half}
	if !finite(i.Low) || !finite(i.High) {
		return nil
	}
	return &i
}

func finite(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0)
}
