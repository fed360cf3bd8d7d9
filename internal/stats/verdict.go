package stats

import "math"

// Verdict is what a comparison amounts to, given a margin.
type Verdict string

// The verdicts. None is for a comparison without any interval.
const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	NoDifference Verdict = "no difference"
	Inconclusive Verdict = "inconclusive"
	None         Verdict = "no verdict"
)

// Verdict judges by the interval alone: inside the margin (a fraction of the
// baseline, 0.02 for 2 %) there is no difference, also when zero is excluded;
// else B is better or worse when zero is excluded; else it is open. Where
// there is no interval of the percentage, that of the difference decides, and
// has no margin.
func (c Comparison) Verdict(margin float64, higherIsBetter bool) Verdict {
	i, margin := c.deciding(margin)
	if i == nil {
		return None
	}
	return verdict(*i, margin, higherIsBetter)
}

func (c Comparison) deciding(margin float64) (*Interval, float64) {
	if c.Delta.Interval != nil {
		return c.Delta.Interval, margin
	}
	return c.Difference.Interval, 0
}

func verdict(i Interval, margin float64, higherIsBetter bool) Verdict {
	switch {
	case -margin <= i.Low && i.High <= margin:
		return NoDifference
	case i.Contains(0):
		return Inconclusive
	case (i.Low > 0) == higherIsBetter:
		return Better
	}
	return Worse
}

// MaxMore is where More gives up.
const MaxMore = 1000

// More estimates how many more repetitions of both arms would settle an
// inconclusive comparison if mean and spread stayed as they are: the interval
// then shrinks with the critical value and the root of n. It returns 0 when
// nothing is open, and more than MaxMore when that many would not do.
func (c Comparison) More(margin float64) int {
	i, margin := c.deciding(margin)
	if i == nil || verdict(*i, margin, true) != Inconclusive {
		return 0
	}
	value := c.Delta.Value
	if c.Delta.Interval == nil {
		value = c.Difference.Value
	}
	n := float64(min(c.NA, c.NB))
	now := critical(c.Level, n-1) / math.Sqrt(n)
	for k := 1; k <= MaxMore; k++ {
		m := n + float64(k)
		shrink := critical(c.Level, m-1) / math.Sqrt(m) / now
		then := Interval{value - (value-i.Low)*shrink, value + (i.High-value)*shrink}
		if verdict(then, margin, true) != Inconclusive {
			return k
		}
	}
	return MaxMore + 1
}

// warnNoWidth says when the interval is a point but for rounding, which
// measured and independent repetitions do not give. Zeros on both sides are
// not meant: nothing dropped in either arm is no wonder.
func (c *Comparison) warnNoWidth() {
	i, scale := c.Delta.Interval, 1.0
	if i == nil {
		i, scale = c.Difference.Interval, math.Abs(c.Difference.Value)
	}
	if i == nil || scale == 0 {
		return
	}
	if i.High-i.Low <= 1e-12*scale {
		c.Warnings = append(c.Warnings, "the interval has no width: repetitions may be copies of each other")
	}
}
