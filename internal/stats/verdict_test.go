package stats

import (
	"math"
	"testing"
)

func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		name      string
		low, high float64
		higher    bool
		want      Verdict
	}{
		{"inside the margin", -0.01, 0.015, true, NoDifference},
		{"inside the margin, zero excluded", 0.005, 0.015, true, NoDifference},
		{"at the margin", -0.02, 0.02, true, NoDifference},
		{"just over the margin, zero included", -0.01, 0.0201, true, Inconclusive},
		{"just over the margin, zero excluded", 0.005, 0.0201, true, Better},
		{"up, lower is better", 0.1, 0.2, false, Worse},
		{"down", -0.2, -0.1, true, Worse},
		{"down, lower is better", -0.2, -0.1, false, Better},
		{"wide", -0.2, 0.3, true, Inconclusive},
		{"zero at the end", 0, 0.3, true, Inconclusive},
	} {
		c := Comparison{Delta: Estimate{0, &Interval{tt.low, tt.high}}, Difference: Estimate{0, &Interval{-9, 9}}}
		if got := c.Verdict(0.02, tt.higher); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestVerdictWithoutPercentage(t *testing.T) {
	c := Comparison{Delta: Estimate{Value: math.NaN()}, Difference: Estimate{5, &Interval{3, 7}}}
	if got := c.Verdict(0.02, false); got != Worse {
		t.Errorf("difference above zero: %q, want %q", got, Worse)
	}
	c.Difference.Interval = &Interval{0, 0}
	if got := c.Verdict(0.02, false); got != NoDifference {
		t.Errorf("both zero: %q, want %q", got, NoDifference)
	}
	c.Difference.Interval = nil
	if got := c.Verdict(0.02, false); got != None {
		t.Errorf("no interval: %q, want %q", got, None)
	}
}

// atSize is a sample of n pairs with the given mean of B and the same spread
// (that of the population, so that only n changes).
func atSize(n int, meanB, spread float64) []Pair {
	pairs := make([]Pair, n)
	scale := spread * math.Sqrt(float64(n-1)/float64(n))
	for i := range pairs {
		sign := float64(1 - 2*(i%2))
		pairs[i] = Pair{100, meanB + sign*scale}
	}
	return pairs
}

// With as many repetitions more as estimated, of the same mean and spread, the
// comparison is settled; with two fewer it is not.
func TestMore(t *testing.T) {
	for _, meanB := range []float64{103, 97, 100.4} {
		c := ComparePaired(atSize(6, meanB, 6), 0.975)
		if got := c.Verdict(0.02, true); got != Inconclusive {
			t.Fatalf("mean %v: %q to begin with, want %q", meanB, got, Inconclusive)
		}
		k := c.More(0.02)
		k += k % 2 // atSize balances even sizes only
		if got := ComparePaired(atSize(6+k, meanB, 6), 0.975).Verdict(0.02, true); got == Inconclusive {
			t.Errorf("mean %v: still open after %d more", meanB, k)
		}
		if got := ComparePaired(atSize(6+k-2, meanB, 6), 0.975).Verdict(0.02, true); got != Inconclusive {
			t.Errorf("mean %v: %q after only %d more, want %d needed", meanB, got, k-2, k)
		}
	}
}

func TestMoreHasEnds(t *testing.T) {
	settled := ComparePaired(atSize(6, 150, 1), 0.95)
	if got := settled.More(0.02); got != 0 {
		t.Errorf("settled: %d more, want 0", got)
	}
	hopeless := ComparePaired(atSize(6, 102, 500), 0.95)
	if got := hopeless.More(0.02); got != MaxMore+1 {
		t.Errorf("hopeless: %d more, want %d", got, MaxMore+1)
	}
	if got := ComparePaired([]Pair{{1, 2}}, 0.95).More(0.02); got != 0 {
		t.Errorf("no interval: %d more, want 0", got)
	}
}
