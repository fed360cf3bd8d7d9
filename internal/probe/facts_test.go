package probe

import (
	"errors"
	"math"
	"strings"
	"testing"

	"ccbench/internal/unit"
)

// files is a machine by path and content.
type files map[string]string

// want is the answer expected of a fact, with a part of its detail, its cure or its why.
type want struct {
	answer Answer
	text   string
}

// check holds a fact against an answer, and against the rule for all of them:
// every no has a cure, every unknown a why, and nothing else has.
func check(t *testing.T, what string, f Fact, w want) {
	t.Helper()
	if f.Answer != w.answer || !strings.Contains(f.Detail+"|"+f.Cure+"|"+f.Why, w.text) {
		t.Errorf("%s: got %+v, want %s with %q", what, f, w.answer, w.text)
	}
	checkRule(t, f)
}

func checkRule(t *testing.T, f Fact) {
	t.Helper()
	if (f.Cure != "") != (f.Answer == No) || (f.Why != "") != (f.Answer == Unknown) || f.Detail == "" || f.Name == "" || f.Need == "" {
		t.Errorf("cure, why and detail do not fit the answer: %+v", f)
	}
}

func TestClockSource(t *testing.T) {
	clock := func(current, available string) files {
		return files{clocksource + "current_clocksource": current + "\n", clocksource + "available_clocksource": available + " \n"}
	}
	for what, test := range map[string]struct {
		files files
		want  want
	}{
		"tsc":            {clock("tsc", "tsc hpet"), want{Yes, "tsc"}},
		"arm":            {clock("arch_sys_counter", "arch_sys_counter"), want{Yes, "arch_sys_counter"}},
		"a better one":   {clock("hpet", "kvm-clock hpet"), want{No, "echo kvm-clock >/sys/devices"}},
		"none better":    {clock("acpi_pm", "acpi_pm"), want{No, "tsc=reliable"}},
		"one of no fame": {clock("sundial", "sundial"), want{Unknown, "what it costs to read sundial"}},
		"no file":        {nil, want{Unknown, "cannot be read"}},
	} {
		check(t, what, ClockSource(machine(t, test.files)), test.want)
	}
}

func TestCPUs(t *testing.T) {
	group := func(max string) files {
		return files{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": max, "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}
	}
	for what, test := range map[string]struct {
		files  files
		usable int
		want   want
	}{
		"two":            {nil, 2, want{Yes, "2"}},
		"one":            {nil, 1, want{No, "at least 2 processors"}},
		"a quota":        {group("150000 100000\n"), 8, want{No, "lets it use 1.5"}},
		"a large quota":  {group("1600000 100000\n"), 8, want{Yes, "8"}},
		"no quota":       {group("max 100000\n"), 2, want{Yes, "2"}},
		"nonsense there": {group("what\n"), 2, want{Yes, "2"}},
	} {
		check(t, what, CPUs(machine(t, test.files), test.usable), test.want)
	}
	if q := under(machine(t, nil)).cpuQuota(); !math.IsInf(q, 1) {
		t.Errorf("no control groups: quota %v", q)
	}
}

func TestGovernor(t *testing.T) {
	governors := func(names ...string) files {
		f := files{}
		for i, name := range names {
			f["sys/devices/system/cpu/cpu"+string(rune('0'+i))+"/cpufreq/scaling_governor"] = name + "\n"
		}
		return f
	}
	for what, test := range map[string]struct {
		files files
		want  want
	}{
		"all performance": {governors("performance", "performance"), want{Yes, "performance (2 of 2 processors)"}},
		"one is not":      {governors("performance", "powersave"), want{No, "cpupower frequency-set -g performance"}},
		"none is":         {governors("schedutil"), want{No, "schedutil (1 of 1"}},
		"no cpufreq":      {nil, want{Unknown, "virtual machines"}},
	} {
		check(t, what, Governor(machine(t, test.files)), test.want)
	}
}

func TestLoad(t *testing.T) {
	for text, w := range map[string]want{
		"0.50 0.10 0.00 1/2 3\n": {Yes, "0.50 over the last minute, for 2 processors"},
		"0.51 9.00 9.00 1/2 3\n": {No, "end what else runs here"},
		"much\n":                 {Unknown, "/proc/loadavg"},
	} {
		check(t, text, Load(machine(t, files{"proc/loadavg": text}), 2), w)
	}
}

func TestSteal(t *testing.T) {
	at := func(idle, steal string) Moment {
		return Now(machine(t, files{"proc/stat": "cpu  100 0 100 " + idle + " 0 0 0 " + steal + " 50 0\ncpu0 1\n"}))
	}
	for what, test := range map[string]struct {
		first, last Moment
		want        want
	}{
		"none":             {at("9000", "0"), at("9100", "0"), want{Yes, "0.00 % since boot, 0 of 100 ticks"}},
		"since boot":       {at("9000", "200"), at("9100", "200"), want{No, "2.11 % since boot"}},
		"just now":         {at("90000", "0"), at("90100", "5"), want{No, "5 of 105 ticks"}},
		"a tick or two":    {at("90000", "0"), at("90010", "2"), want{Yes, "2 of 12 ticks"}},
		"no file at first": {Now(machine(t, nil)), at("9000", "0"), want{Unknown, "/proc/stat"}},
		"a torn one":       {at("x", "0"), at("9000", "0"), want{Unknown, "/proc/stat"}},
	} {
		check(t, what, Steal(test.first, test.last), test.want)
	}
}

func TestMemory(t *testing.T) {
	meminfo := "MemTotal: 9 kB\nMemAvailable:    1000000 kB\n"
	for what, test := range map[string]struct {
		files files
		need  unit.Bytes
		want  want
	}{
		"enough":    {files{"proc/meminfo": meminfo}, MinMemory, want{Yes, "1.024 GB available, 512.0 MB wanted"}},
		"too small": {files{"proc/meminfo": meminfo}, 2_000_000_000, want{No, "2.000 GB wanted"}},
		"a group's limit": {files{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "600000000\n", "sys/fs/cgroup/a/memory.current": "200000000\n"}, MinMemory, want{No, "400.0 MB available"}},
		"a group without": {files{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "200000000\n"}, MinMemory, want{Yes, ""}},
		"no file": {nil, MinMemory, want{Unknown, "MemAvailable"}},
	} {
		check(t, what, Memory(machine(t, test.files), test.need), test.want)
	}
}

func TestDisk(t *testing.T) {
	check(t, "enough", Disk("results", 200_000_000, nil, MinDisk), want{Yes, "200.0 MB available, 100.0 MB wanted in results"})
	check(t, "too small", Disk("results", 99, nil, MinDisk), want{No, "--series off"})
	for left, want := range map[unit.Bytes]Need{64<<10 - 1: Required, 64 << 10: Quality} {
		if got := Disk("results", left, nil, MinDisk).Need; got != want {
			t.Errorf("%d bytes: got %s, want %s", left, got, want)
		}
	}
	check(t, "an error", Disk("results", 0, errors.New("it is gone"), MinDisk), want{Unknown, "it is gone"})
}

func TestPrivilege(t *testing.T) {
	check(t, "root", Privilege(true, nil), want{Yes, "CAP_NET_ADMIN"})
	check(t, "a user", Privilege(false, nil), want{Yes, "user namespace"})
	check(t, "refused", Privilege(false, hinted{"no luck"}), want{No, "what no luck wants"})
	check(t, "without a hint", Privilege(false, errors.New("no luck")), want{No, "as root"})
}

// hinted is an error with a hint.
type hinted struct{ text string }

func (h hinted) Error() string { return h.text }
func (h hinted) Hint() string  { return "what " + h.text + " wants" }

func TestUserNamespace(t *testing.T) {
	forbidden := files{"proc/sys/user/max_user_namespaces": "0\n"}
	free := files{"proc/sys/user/max_user_namespaces": "9\n", "proc/self/ns/user": ""}
	for what, test := range map[string]struct {
		files   files
		tried   bool
		refused error
		want    want
		need    Need
	}{
		"made":               {forbidden, true, nil, want{Yes, "one was made"}, Required},
		"forbidden":          {forbidden, true, errors.New("x"), want{No, "sysctl -w user.max_user_namespaces"}, Required},
		"refused":            {free, true, hinted{"x"}, want{No, "what x wants"}, Required},
		"root":               {free, false, nil, want{Yes, "user.max_user_namespaces is 9"}, Info},
		"root, forbidden":    {forbidden, false, nil, want{No, "sysctl -w"}, Info},
		"root, not built in": {files{"proc/sys/kernel/osrelease": "6"}, false, nil, want{No, "CONFIG_USER_NS"}, Info},
		"root, no limit":     {files{"proc/self/ns/user": ""}, false, nil, want{Unknown, "max_user_namespaces"}, Info},
	} {
		f := UserNamespace(machine(t, test.files), test.tried, test.refused)
		check(t, what, f, test.want)
		if f.Need != test.need {
			t.Errorf("%s: need %s, want %s", what, f.Need, test.need)
		}
	}
}

func TestMachineRoot(t *testing.T) {
	for text, want := range map[string]bool{
		"         0          0 4294967295\n": true, "         0       1000          1\n": false, "": false,
	} {
		if got := MachineRoot(machine(t, files{"proc/self/uid_map": text})); got != want {
			t.Errorf("uid_map %q: %v", text, got)
		}
	}
}

func TestSurroundings(t *testing.T) {
	check(t, "kernel", Kernel(machine(t, files{"proc/sys/kernel/osrelease": "6.1\n", "proc/sys/kernel/version": "#1 SMP\n"})), want{Yes, "#1 SMP"})
	check(t, "no kernel", Kernel(machine(t, nil)), want{Unknown, "osrelease"})
	check(t, "no MPTCP", MPTCP(machine(t, nil)), want{Yes, "not in this kernel"})
	check(t, "MPTCP on", MPTCP(machine(t, files{"proc/sys/net/mptcp/enabled": "1\n"})), want{Yes, "switches it off"})
	check(t, "MPTCP off", MPTCP(machine(t, files{"proc/sys/net/mptcp/enabled": "0\n"})), want{Yes, "off"})
	check(t, "MPTCP unreadable", MPTCP(machine(t, files{"proc/sys/net/mptcp/enabled/x": ""})), want{Unknown, "is a directory"})
	check(t, "rules", ForeignRules(3, 4, nil), want{Yes, "3 of nf_tables, 4 of ip_tables; they do not apply"})
	check(t, "rules nobody may list", ForeignRules(0, 0, errors.New("not permitted")), want{Unknown, "not permitted"})
}
