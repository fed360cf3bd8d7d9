package result

import (
	"slices"
	"strings"
	"testing"
)

func texts(all []Difference) (texts []string) {
	for _, d := range all {
		texts = append(texts, d.String())
	}
	return texts
}

func TestHeaderDifferences(t *testing.T) {
	was := Header{
		Arms: []Arm{{Name: "cubic", Algorithm: "cubic"}}, Seed: 1, Trials: 4, Repetitions: 4,
		Path: map[string]string{"rtt": "10ms", "mtu": "1500"}, Name: "x", Baseline: "cubic",
	}
	same := was
	same.Path = map[string]string{"rtt": "10ms", "mtu": "1500 (default)"}
	same.Name, same.Description = "y", "other words"
	if got := was.Differences(&same); got != nil {
		t.Errorf("of the same plan: %q", got)
	}
	now := Header{
		Arms: []Arm{{Name: "b", Algorithm: "bbr", Sysctl: map[string]string{"net.a": "1"}}}, Seed: 2, Trials: 4, Repetitions: 4,
		Path: map[string]string{"rtt": "20ms", "rate": "1mbit", "mtu": "1500"}, Overrides: []string{"seed=2"},
		Factors: []string{"path.rtt"}, Conditions: []Condition{{Labels: map[string]string{"path.rtt": "20ms"}}},
	}
	want := []string{
		"arms: cubic in the file, b (bbr, net.a=1) now", "seed: 1 in the file, 2 now",
		"rate: none in the file, 1mbit now", "rtt: 10ms in the file, 20ms now",
		"conditions: one in the file, path.rtt=20ms now", "overrides: none in the file, seed=2 now",
	}
	if got := was.Differences(&now); !slices.Equal(texts(got), want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(texts(got), "\n"), strings.Join(want, "\n"))
	}
}

// matrix is a header with a condition for each RTT, whose buffer follows it.
func matrix(rtts ...string) *Header {
	h := &Header{Path: map[string]string{"rate": "1mbit", "mtu": "1500"}, Factors: []string{"path.rtt"}}
	for _, rtt := range rtts {
		h.Conditions = append(h.Conditions, Condition{
			Labels: map[string]string{"path.rtt": rtt}, Path: map[string]string{"rtt": rtt, "buffer": rtt + " at 1mbit"},
		})
	}
	return h
}

// Of conditions only those are told that differ, and few; what the path of all
// has no more, or not yet, because each has its own, differs as they do.
func TestConditionsThatDiffer(t *testing.T) {
	single := &Header{Path: map[string]string{"rate": "1mbit", "mtu": "9000", "rtt": "1ms", "buffer": "1ms at 1mbit"}}
	fixed := matrix("1ms", "2ms")
	fixed.Path["buffer"] = "9 B"
	for _, c := range fixed.Conditions {
		delete(c.Path, "buffer")
	}
	pathless := matrix("1ms")
	pathless.Path = nil
	for _, test := range []struct {
		was, now *Header
		want     []string
	}{
		{matrix("1ms", "2ms"), matrix("1ms", "2ms"), nil},
		{single, matrix("1ms", "2ms", "3ms", "4ms", "5ms"), []string{"mtu: 9000 in the file, 1500 now",
			"conditions: one in the file, path.rtt=1ms; path.rtt=2ms; path.rtt=3ms; and 2 more now"}},
		{matrix("1ms"), single, []string{"mtu: 1500 in the file, 9000 now", "conditions: path.rtt=1ms in the file, one now"}},
		{matrix("1ms", "2ms", "3ms"), matrix("2ms", "1ms", "4ms"),
			[]string{"conditions that differ: path.rtt=3ms in the file, path.rtt=4ms now"}},
		{matrix("1ms", "2ms"), matrix("1ms"), []string{"conditions that differ: path.rtt=2ms in the file, none now"}},
		{matrix("1ms", "2ms"), matrix("2ms", "1ms"),
			[]string{"order of conditions: path.rtt=1ms; path.rtt=2ms in the file, path.rtt=2ms; path.rtt=1ms now"}},
		{matrix("1ms", "2ms", "3ms", "4ms", "5ms"), matrix("1ms", "2ms", "3ms", "5ms", "4ms"),
			[]string{"order of conditions: path.rtt=4ms; path.rtt=5ms in the file, path.rtt=5ms; path.rtt=4ms now"}},
		{matrix("1ms", "2ms"), fixed, []string{"path.rtt=1ms: buffer: 1ms at 1mbit in the file, 9 B now"}},
		{pathless, matrix("1ms"), []string{"mtu: none in the file, 1500 now", "rate: none in the file, 1mbit now"}},
		{fixed, matrix("1ms", "2ms"), []string{"path.rtt=1ms: buffer: 9 B in the file, 1ms at 1mbit now"}},
	} {
		if got := texts(test.was.Differences(test.now)); !slices.Equal(got, test.want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

func TestHostsThatAreNotAlike(t *testing.T) {
	was := Host{
		Roles: []string{"sender"}, Hostname: "a", Kernel: "6.1", KernelVersion: "#1", Machine: "x86_64", BootID: "1", CPU: "X", CPUs: 2,
		Modules: map[string]string{"tcp_bbr": "A", "tcp_cubic": "builtin", "tcp_vegas": "V"}, Available: []string{"cubic"},
	}
	same := was
	same.From, same.Ccbench, same.Allowed = 7, "2.0", []string{}
	if !was.Same(&same) {
		t.Error("the line's own keys make another host of it")
	}
	if got := was.Unlike(&same, []string{"bbr"}); got != nil {
		t.Errorf("the same host is unlike: %q", got)
	}
	now := was
	now.Hostname, now.BootID, now.Sysctl = "b", "2", map[string]string{"net.x": "1"}
	if was.Same(&now) || was.Unlike(&now, []string{"bbr", "cubic"}) != nil {
		t.Errorf("another boot: same %v, unlike %q; want another host that is not unlike", was.Same(&now), was.Unlike(&now, nil))
	}
	now.Kernel, now.KernelVersion, now.Machine, now.CPU, now.CPUs = "6.2", "#2", "aarch64", "Y", 4
	now.Modules = map[string]string{"tcp_bbr": "B", "tcp_vegas": "W"}
	want := []string{
		"kernel: 6.1 in the file, 6.2 now", "kernel's build: #1 in the file, #2 now", "architecture: x86_64 in the file, aarch64 now",
		"processor: X in the file, Y now", "number of processors: 2 in the file, 4 now", "module tcp_bbr: A in the file, B now",
	}
	if got := was.Unlike(&now, []string{"bbr", "cubic"}); !slices.Equal(texts(got), want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(texts(got), "\n"), strings.Join(want, "\n"))
	}
	if got := was.Unlike(&Host{}, []string{"bbr"}); got != nil {
		t.Errorf("what is not known differs: %q", got)
	}
}
