package agent

import (
	"slices"
	"testing"

	"ccbench/internal/agent/wire"
	"ccbench/internal/result"
)

func TestPart(t *testing.T) {
	all := []result.Series{
		{Flow: 0, Columns: map[string]result.Column{"t": {9}}},
		{Flow: 1, Side: result.Sender, Columns: map[string]result.Column{"t": {0, 1, 2, 3, 4}, "rtt": {5, 6, 7, 8, 9}}},
	}
	for _, test := range []struct {
		from, count int
		want        []float64
	}{{0, 2, []float64{5, 6}}, {2, 2, []float64{7, 8}}, {4, 2, []float64{9}}, {5, 2, nil}, {50, 2, nil}, {0, 50, []float64{5, 6, 7, 8, 9}}} {
		got, err := part(all, wire.SeriesRequest{Flow: 1, From: test.from, Count: test.count})
		if err != nil {
			t.Fatal(err)
		}
		s := got.(result.Series)
		if s.Flow != 1 || s.Side != result.Sender || !slices.Equal(s.Columns["rtt"], test.want) || len(s.Columns["t"]) != len(test.want) {
			t.Errorf("%d from %d: got %+v, want %v", test.count, test.from, s, test.want)
		}
	}
	for _, bad := range []wire.SeriesRequest{{Flow: 2, Count: 1}, {Flow: 1, From: -1, Count: 1}, {Flow: 1}} {
		if _, err := part(all, bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}
