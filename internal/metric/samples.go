package metric

import (
	"math"
	"slices"

	"ccbench/internal/result"
)

// sameInstant is less than any sampling interval and more than what the
// arithmetic of seconds in floating point can move an instant by.
const sameInstant = 1e-6 // s

// span is the samples of one flow within its window, with the time that each
// stands for: that since the sample before it, the window's open at first.
type span struct {
	columns map[string]result.Column
	first   int // index of the first sample after the open
	weights []float64
}

// span finds the samples with open < t <= close. It fails unless the last of
// them is the one at the close: what ends earlier is not the window's.
func (in inputs) span(f *result.Flow) (span, bool) {
	s := in.series[f.Flow]
	if s == nil || f.Open == nil || f.Close == nil {
		return span{}, false
	}
	sp := span{columns: s.Columns}
	last := f.Open.T
	for i, now := range s.Columns["t"] {
		if len(sp.weights) == 0 && now <= f.Open.T+sameInstant {
			sp.first = i + 1
			continue
		}
		if now > f.Close.T+sameInstant {
			break
		}
		sp.weights = append(sp.weights, now-last)
		last = now
	}
	if len(sp.weights) == 0 || !(slices.Min(sp.weights) > 0) { // time stood or ran backwards, or was not told
		return span{}, false
	}
	return sp, math.Abs(f.Close.T-last) <= sameInstant
}

// values are a column's samples in the window; all must be there.
func (sp span) values(column string) ([]float64, bool) {
	c := sp.columns[column]
	end := sp.first + len(sp.weights)
	if len(c) < end {
		return nil, false
	}
	values := c[sp.first:end]
	return values, !slices.ContainsFunc(values, math.IsNaN)
}

// timeMean is the mean of values over the time they stand for.
func (sp span) timeMean(values []float64) float64 {
	sum, time := 0.0, 0.0
	for i, v := range values {
		sum += v * sp.weights[i]
		time += sp.weights[i]
	}
	return sum / time
}

// timeMean is the mean of a column over the window, summed over the flows.
func timeMean(column string) func(inputs) *float64 {
	return func(in inputs) *float64 {
		return in.sum(func(f *result.Flow) *float64 {
			sp, ok := in.span(f)
			if !ok {
				return nil
			}
			values, ok := sp.values(column)
			if !ok {
				return nil
			}
			mean := sp.timeMean(values)
			return &mean
		})
	}
}

func (in inputs) cwndMean() *float64 {
	return in.sum(func(f *result.Flow) *float64 {
		sp, ok := in.span(f)
		if !ok {
			return nil
		}
		cwnd, haveCwnd := sp.values("cwnd")
		mss, haveMSS := sp.values("mss")
		if !haveCwnd || !haveMSS {
			return nil
		}
		window := make([]float64, len(cwnd))
		for i := range cwnd {
			window[i] = cwnd[i] * mss[i]
		}
		mean := sp.timeMean(window)
		return &mean
	})
}

// rtts pools the flows' samples of the smoothed RTT; nil if any flow lacks one.
func (in inputs) rtts() []float64 {
	var all []float64
	for i := range in.trial.Flows {
		sp, ok := in.span(&in.trial.Flows[i])
		if !ok {
			return nil
		}
		values, ok := sp.values("rtt")
		if !ok {
			return nil
		}
		all = append(all, values...)
	}
	return all
}

func (in inputs) rttMean() *float64 {
	rtts := in.rtts()
	sum := 0.0
	for _, v := range rtts {
		sum += v
	}
	mean := sum / float64(len(rtts)) // NaN without samples
	return possible(&mean)
}

// rttQuantile is the percent-th percentile by the nearest rank, which is
// always a sample that was seen; null with fewer samples than least.
func rttQuantile(percent, least int) func(inputs) *float64 {
	return func(in inputs) *float64 {
		rtts := in.rtts()
		if len(rtts) < least {
			return nil
		}
		slices.Sort(rtts)
		rank := (percent*len(rtts) + 99) / 100 // rounded up; whole numbers, so exact
		return &rtts[rank-1]
	}
}
