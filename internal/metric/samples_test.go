package metric

import (
	"testing"

	"ccbench/internal/result"
)

// rttTrial has one flow with these RTTs at 1, 2, ... s, all in the window.
func rttTrial(rtts ...float64) inputs {
	t := result.Column{0}
	column := result.Column{99}
	for i, v := range rtts {
		t = append(t, float64(i+1))
		column = append(column, v)
	}
	trial := &result.Trial{Flows: []result.Flow{{Open: &result.TCP{}, Close: &result.TCP{T: float64(len(rtts))}}}}
	columns := map[string]result.Column{"t": t, "rtt": column}
	return newInputs(trial, []result.Series{{Side: result.Sender, Columns: columns}})
}

// The textbook example of the nearest-rank method.
func TestNearestRank(t *testing.T) {
	in := rttTrial(35, 20, 50, 15, 40)
	for percent, want := range map[int]float64{5: 15, 20: 15, 30: 20, 40: 20, 41: 35, 50: 35, 80: 40, 81: 50, 100: 50} {
		if got := rttQuantile(percent, 1)(in); got == nil || *got != want {
			t.Errorf("%d %%: got %s, want %v", percent, text(got), want)
		}
	}
}

func TestP99NeedsThousandSamples(t *testing.T) {
	rtts := make([]float64, 1000)
	for i := range rtts {
		rtts[i] = float64(1000 - i)
	}
	if got := rttP99(rtts[:999]); got != nil {
		t.Errorf("of 999 samples: got %v, want null", *got)
	}
	if got := rttP99(rtts); got == nil || *got != 990 {
		t.Errorf("of 1000 samples: got %s, want 990", text(got))
	}
}

func rttP99(rtts []float64) *float64 {
	in := rttTrial(rtts...)
	return Compute(in.trial, []result.Series{*in.series[0]})[RTTP99]
}

// The same instant may differ in its last bits between a series and a flow's samples.
func TestWindowBoundsAreInstants(t *testing.T) {
	for _, off := range []float64{-1e-12, 0, 1e-12} {
		in := rttTrial(1, 2, 3)
		in.trial.Flows[0].Open.T = 1 + off
		in.trial.Flows[0].Close.T = 3 - off
		if got := in.rttMean(); got == nil || *got != 2.5 {
			t.Errorf("off by %g: mean is %s, want that of 2 and 3", off, text(got))
		}
	}
}
