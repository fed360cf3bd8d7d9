package plan

import (
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	const short = "warmup 199ms is less than 20 round trips (200ms): "
	for _, test := range []struct {
		lines []string
		want  []string // the beginning of each
	}{
		{nil, nil},
		{[]string{"warmup: 200ms", "path: {engine: userspace, rtt: 10ms}"}, nil},
		{[]string{"warmup: 199ms", "path: {engine: userspace, rtt: 10ms}"}, []string{short}},
		{[]string{"warmup: 0s", "path: {engine: direct}"}, nil},
		{[]string{"path: {engine: userspace, rtt: 5ms}"}, nil},
		{[]string{"path: {engine: userspace, rtt: 4ms}"}, []string{"path.rtt 4ms is below 5ms: "}},
		{[]string{"path: {engine: userspace, buffer: 10bdp}"}, nil},
		{[]string{"path: {engine: userspace, buffer: 10.1bdp}"}, []string{"path.buffer is 10.1 BDP; outside 0.1 to 10 "}},
		{[]string{"path: {engine: userspace, buffer: 0.09bdp}"}, []string{"path.buffer is 0.09 BDP; outside "}},
		{[]string{"warmup: 199ms", userspace, "matrix: {path.rtt: [9ms, 10ms]}"}, []string{short}},
	} {
		e := parse(t, 1, test.lines...)
		got := Warnings(e)
		ok := len(got) == len(test.want)
		for i := range got {
			ok = ok && strings.HasPrefix(got[i], test.want[i])
		}
		if !ok {
			t.Errorf("%q: got %q, want %q", test.lines, got, test.want)
		}
		if text := Summarize(newPlan(t, e), nil, 0).Text(); strings.Contains(text, "\nwarnings\n") != (len(test.want) > 0) {
			t.Errorf("%q: the text\n%s", test.lines, text)
		}
	}
	one := Warnings(parse(t, 1, "warmup: 199ms", userspace, "matrix: {path.rtt: [9ms, 10ms], flows: [1, 2]}"))
	if len(one) != 1 || !strings.HasSuffix(one[0], " (under path.rtt=10ms, flows=1; path.rtt=10ms, flows=2)") {
		t.Errorf("got %q", one)
	}
	all := Warnings(parse(t, 1, "warmup: 100ms", "matrix: {flows: [1, 2]}"))
	if len(all) != 1 || strings.Contains(all[0], "under") {
		t.Errorf("got %q", all)
	}
}
