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
		Conditions: []Condition{{Labels: map[string]string{"path.rtt": "20ms"}}},
	}
	want := []string{
		"arms: cubic in the file, b (bbr) map[net.a:1] now", "seed: 1 in the file, 2 now",
		"rate: none in the file, 1mbit now", "rtt: 10ms in the file, 20ms now",
		"conditions: one in the file, map[path.rtt:20ms] now", "overrides: none in the file, seed=2 now",
	}
	if got := was.Differences(&now); !slices.Equal(texts(got), want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(texts(got), "\n"), strings.Join(want, "\n"))
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
