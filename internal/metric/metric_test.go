package metric

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"ccbench/internal/result"
)

func TestDefinitions(t *testing.T) {
	units := []string{BitPerSecond, Segments, Ratio, Seconds, Bytes, BytesPerSecond2, Packets, SecondsPerGB}
	seen := map[string]bool{}
	for _, m := range Definitions() {
		if seen[m.Name] || m.Definition == "" || !slices.Contains(units, m.Unit) {
			t.Errorf("metric %+v is a duplicate, undefined or of unknown unit", m)
		}
		seen[m.Name] = true
		if got, ok := Lookup(m.Name); !ok || got != m {
			t.Errorf("Lookup(%s) = %+v, %v", m.Name, got, ok)
		}
	}
	if first := Definitions()[0]; first.Name != Goodput || first.Better != result.Higher {
		t.Errorf("the first metric is %+v", first)
	}
	if m, ok := Lookup("goodputs"); ok {
		t.Errorf("Lookup(goodputs) = %+v", m)
	}
}

// The file's metrics were computed by another program from these definitions.
func TestComputeAgreesWithFile(t *testing.T) {
	const path = "../result/testdata/results-v1-small.jsonl"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	series := map[int][]result.Series{}
	f, err := result.Read(path, bytes.NewReader(data), func(s *result.Series) error {
		series[s.Trial] = append(series[s.Trial], *s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range f.Trials {
		got := Compute(trial, series[trial.Trial])
		if len(trial.Metrics) == 0 { // later versions have more, and none is gone
			t.Errorf("trial %d has no metrics", trial.Trial)
		}
		for name, want := range trial.Metrics {
			check(t, got, name, want)
		}
	}
}

// check compares to the last digits but one; nil wants null.
func check(t *testing.T, got map[string]*float64, name string, want *float64) {
	t.Helper()
	v, ok := got[name]
	switch {
	case !ok:
		t.Errorf("%s is missing", name)
	case (v == nil) != (want == nil):
		t.Errorf("%s: got %s, want %s", name, text(v), text(want))
	case v != nil && math.Abs(*v-*want) > 1e-12*math.Abs(*want):
		t.Errorf("%s: got %s, want %s", name, text(v), text(want))
	}
}

func text(v *float64) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(*v)
}

func num(v float64) *float64 { return &v }
func count(v int64) *int64   { return &v }

// twoFlows is a trial to be computed by hand: a window of 2 s from 1 s to 3 s.
func twoFlows() (*result.Trial, []result.Series) {
	flow := func(id int, bytes, retrans, segs int64) result.Flow {
		at := func(time float64, n int64) *result.TCP {
			return &result.TCP{
				T: time, TotalRetrans: count(n * retrans), DataSegsOut: count(n * segs), MinRTT: num(0.04 + float64(id)/100),
				BusyTime: num(time), RwndLimited: num(float64(n) * 0.1), SndbufLimited: num(0),
			}
		}
		return result.Flow{
			Flow: id, ConnectTime: num(0.041 + float64(id)*0.002),
			Open: at(1, 1), Close: at(3, 2), Final: at(3.1, 3),
			ReceivedOpen: count(1000), ReceivedClose: count(1000 + bytes), Received: count(2000 + bytes),
		}
	}
	trial := &result.Trial{
		Window: result.Window{Duration: 2, Sender: num(2), Receiver: num(2)},
		Flows:  []result.Flow{flow(0, 1_000_000, 10, 900), flow(1, 3_000_000, 30, 3100)},
		Drop:   &result.Drop{AtAbort: &result.DropCounter{Hits: 38}, Final: &result.DropCounter{Hits: 40}},
		Path: &result.Path{
			Data: result.Direction{DropsQueue: 5, QueueDelay: &result.QueueDelay{Packets: 1000, Mean: 0.01, P50: 0.02, P95: 0.03, P99: 0.04}},
			Ack:  result.Direction{DropsQueue: 100},
		},
		Links: []result.Link{{Side: result.Sender, QdiscDrops: 2}, {Side: result.Receiver}},
		CPU:   &result.CPU{CPUs: 2, Window: 2, Busy: 1, Own: 0.9},
	}
	// A sample at the open, two in the window (standing for 0.5 and 1.5 s), one after it.
	columns := func(scale float64) map[string]result.Column {
		return map[string]result.Column{
			"t": {1, 1.5, 3, 3.1}, "rtt": {9, 0.050 * scale, 0.060 * scale, 9},
			"cwnd": {9, 10, 20, 9}, "mss": {9, 1000, 1400, 9},
			"delivery_rate": {math.NaN(), 4e6, 8e6, math.NaN()}, "pacing_rate": {9, 8e6, 8e6, 9},
		}
	}
	return trial, []result.Series{
		{Flow: 0, Side: result.Sender, Columns: columns(1)},
		{Flow: 0, Side: result.Receiver, Columns: map[string]result.Column{"t": {1}, "bytes": {1}}},
		{Flow: 1, Side: result.Sender, Columns: columns(2)},
	}
}

func TestComputeByHand(t *testing.T) {
	got := Compute(twoFlows())
	want := map[string]*float64{
		Goodput:         num(16e6), // 4e6 bytes in 2 s
		Retransmits:     num(40),
		RetransmitRatio: num(0.01), // of 4000
		RTTMean:         num(0.0825),
		RTTP50:          num(0.060), // of 50, 60, 100, 120 ms
		RTTP95:          num(0.120),
		RTTP99:          nil,
		RTTMin:          num(0.04),
		QueueDelayMean:  num(0.01),
		QueueDelayP50:   num(0.02),
		QueueDelayP95:   num(0.03),
		QueueDelayP99:   num(0.04),
		CwndMean:        num(2 * (0.25*10_000 + 0.75*28_000)),
		NetPower:        num(2e6 / 0.0825),
		DeliveryRate:    num(14e6), // twice 7e6
		PacingRate:      num(16e6),
		Busy:            num(1),
		RwndLimited:     num(0.05),
		SndbufLimited:   num(0),
		DropsInduced:    num(40),
		DropsQueue:      num(7),
		ConnectTime:     num(0.042),
		CPU:             num(250), // half a second a second, for 2e-3 GB a second
	}
	if len(got) != len(want) {
		t.Errorf("%d metrics, want %d", len(got), len(want))
	}
	for name := range want {
		check(t, got, name, want[name])
	}
}

var (
	sampled = []string{RTTMean, RTTP50, RTTP95, NetPower, CwndMean, DeliveryRate, PacingRate}
	shares  = []string{Busy, RwndLimited, SndbufLimited}
	counted = append([]string{Retransmits, RetransmitRatio, RTTMin}, shares...)
	bytesIn = []string{Goodput, NetPower, CPU}
)

// What one flow lacks makes null what depends on it, and nothing else.
func TestMissingIsNull(t *testing.T) {
	queued := []string{QueueDelayMean, QueueDelayP50, QueueDelayP95, QueueDelayP99}
	for _, test := range []struct {
		name  string
		spoil func(*result.Trial, []result.Series)
		null  []string
	}{
		{"nothing", func(*result.Trial, []result.Series) {}, nil},
		{"no receiver window", func(r *result.Trial, _ []result.Series) { r.Window.Receiver = nil }, bytesIn},
		{"receiver window of 0", func(r *result.Trial, _ []result.Series) { r.Window.Receiver = num(0) }, bytesIn},
		{"no bytes of flow 1", func(r *result.Trial, _ []result.Series) { r.Flows[1].ReceivedClose = nil }, bytesIn},
		{"bytes of flow 1 run backwards", func(r *result.Trial, _ []result.Series) { *r.Flows[1].ReceivedClose = 999 }, bytesIn},
		{"no bytes received", func(r *result.Trial, _ []result.Series) {
			*r.Flows[0].ReceivedClose, *r.Flows[1].ReceivedClose = 1000, 1000
		}, []string{CPU}}, // goodput 0 is a number; nothing per GB of it is
		{"no open sample of flow 1", func(r *result.Trial, _ []result.Series) { r.Flows[1].Open = nil },
			without(append(slices.Clone(sampled), counted...), RTTMin)},
		{"no close sample of flow 1", func(r *result.Trial, _ []result.Series) { r.Flows[1].Close = nil },
			append(slices.Clone(sampled), counted...)},
		{"no retransmits of flow 0", func(r *result.Trial, _ []result.Series) { r.Flows[0].Close.TotalRetrans = nil },
			[]string{Retransmits, RetransmitRatio}},
		{"a counter wrapped", func(r *result.Trial, _ []result.Series) { r.Flows[0].Close.DataSegsOut = count(0) },
			[]string{RetransmitRatio}},
		{"no limited times", func(r *result.Trial, _ []result.Series) { r.Flows[1].Open.RwndLimited = nil }, []string{RwndLimited}},
		{"no connect time of flow 1", func(r *result.Trial, _ []result.Series) { r.Flows[1].ConnectTime = nil }, []string{ConnectTime}},
		{"a time below 0", func(r *result.Trial, _ []result.Series) { r.Flows[1].ConnectTime = num(-100) }, []string{ConnectTime}},
		{"no series of flow 1", func(_ *result.Trial, s []result.Series) { s[2].Side = result.Receiver }, sampled},
		{"no rtt column", func(_ *result.Trial, s []result.Series) { delete(s[0].Columns, "rtt") },
			[]string{RTTMean, RTTP50, RTTP95, NetPower}},
		{"one rtt missing", func(_ *result.Trial, s []result.Series) { s[2].Columns["rtt"][2] = math.NaN() },
			[]string{RTTMean, RTTP50, RTTP95, NetPower}},
		{"one rate missing", func(_ *result.Trial, s []result.Series) { s[2].Columns["pacing_rate"][1] = math.NaN() }, []string{PacingRate}},
		{"series ends before the close", func(_ *result.Trial, s []result.Series) {
			for name, c := range s[0].Columns {
				s[0].Columns[name] = c[:2]
			}
		}, sampled},
		{"time runs backwards", func(_ *result.Trial, s []result.Series) { s[0].Columns["t"] = result.Column{1, 3.5, 2, 3} }, sampled},
		{"time stands", func(_ *result.Trial, s []result.Series) { s[0].Columns["t"] = result.Column{1, 3, 3, 3} }, sampled},
		{"no rule", func(r *result.Trial, _ []result.Series) { r.Drop = nil }, []string{DropsInduced}},
		{"rule not read", func(r *result.Trial, _ []result.Series) { r.Drop.Final = nil }, []string{DropsInduced}},
		{"no emulator", func(r *result.Trial, _ []result.Series) { r.Path = nil }, queued},
		{"no queue read", func(r *result.Trial, _ []result.Series) { r.Path, r.Links = nil, nil }, append([]string{DropsQueue}, queued...)},
		{"nothing queued", func(r *result.Trial, _ []result.Series) { r.Path.Data.QueueDelay = nil }, queued},
		{"few packets", func(r *result.Trial, _ []result.Series) { r.Path.Data.QueueDelay.Packets = 999 }, []string{QueueDelayP99}},
		{"no CPU", func(r *result.Trial, _ []result.Series) { r.CPU = nil }, []string{CPU}},
		// 5 % of 2 processors for 2 s are 0.2 s, and a quarter of 0.64 s is 0.16 s.
		{"other load of 5 %", func(r *result.Trial, _ []result.Series) { r.CPU.Own = 0.64 + 1e-9 }, nil},
		{"other load over 5 %", func(r *result.Trial, _ []result.Series) { r.CPU.Own = 0.64 - 1e-9 }, []string{CPU}},
		{"no flows", func(r *result.Trial, _ []result.Series) { r.Flows = nil },
			slices.Concat(sampled, counted, bytesIn, []string{ConnectTime})},
	} {
		t.Run(test.name, func(t *testing.T) {
			trial, series := twoFlows()
			test.spoil(trial, series)
			var null []string
			for name, v := range Compute(trial, series) {
				if v == nil && name != RTTP99 {
					null = append(null, name)
				}
			}
			if got, want := set(null), set(test.null); !slices.Equal(got, want) {
				t.Errorf("null are %v, want %v", got, want)
			}
		})
	}
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == name })
}

func set(names []string) []string {
	all := map[string]bool{}
	for _, n := range names {
		all[n] = true
	}
	return slices.Sorted(maps.Keys(all))
}

func TestEmptyTrialIsAllNull(t *testing.T) {
	for name, v := range Compute(&result.Trial{}, nil) {
		if v != nil {
			t.Errorf("%s is %v", name, *v)
		}
	}
}
