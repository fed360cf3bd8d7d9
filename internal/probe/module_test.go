package probe

import (
	"slices"
	"testing"
)

// debian is a kernel whose congestion controls and qdiscs are modules.
func debian(more files) files {
	f := files{
		"proc/sys/kernel/osrelease":                  "6.1.0-18-amd64\n",
		"proc/modules":                               "sch_fq_codel 20480 2 - Live 0x0\n",
		"sys/module/sch_fq_codel/refcnt":             "2\n",
		"lib/modules/6.1.0-18-amd64/modules.dep":     "kernel/net/ipv4/tcp_vegas.ko.xz:\nkernel/net/ipv4/tcp_bbr.ko:\nkernel/net/ipv4/tcp_diag.ko: kernel/net/ipv4/inet_diag.ko\nkernel/net/sched/sch_netem.ko:\nkernel/net/sched/sch_fq_codel.ko:\nkernel/drivers/net/a-b.ko.zst:\n",
		"lib/modules/6.1.0-18-amd64/modules.builtin": "kernel/net/sched/sch_tbf.ko\n",
		availableFile:                                "reno bbr\n",
		allowedFile:                                  "reno\n",
	}
	for path, text := range more {
		f[path] = text
	}
	return f
}

func TestModuleStates(t *testing.T) {
	m := ReadModules(machine(t, debian(nil)))
	for name, want := range map[string]ModuleState{
		"sch_fq_codel": ModuleThere, "sch_tbf": ModuleThere, "sch_netem": ModuleOnDisk, "a_b": ModuleOnDisk, "sch_cake": ModuleNowhere,
	} {
		if got := m.State(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	for what, root := range map[string]string{
		"a folder without lists": machine(t, files{"proc/sys/kernel/osrelease": "6\n", "proc/modules": "x\n", "lib/modules/6/kernel/sch_pie.ko.zst": ""}),
		"the lists":              machine(t, files{"proc/sys/kernel/osrelease": "6\n", "proc/modules": "x\n", "lib/modules/6/modules.dep": "kernel/sch_pie.ko.zst:\n"}),
	} {
		if m := ReadModules(root); m.State("sch_pie") != ModuleOnDisk || m.State("sch_red") != ModuleNowhere || m.MayAsk("sch_pie") {
			t.Errorf("%s: %+v", what, m)
		}
	}
	// A container sees /proc, but not the modules of its host.
	if m := ReadModules(machine(t, files{"proc/sys/kernel/osrelease": "6\n", "proc/modules": "x\n"})); m.State("sch_pie") != ModuleUnknown || m.MayAsk("sch_pie") {
		t.Errorf("without /lib/modules: %+v", m)
	}
	// A kernel without modules can be asked for everything.
	if m := ReadModules(machine(t, files{"proc/sys/kernel/osrelease": "6\n"})); !m.MayAsk("sch_pie") {
		t.Errorf("without modules: %+v", m)
	}
}

func TestSortQdiscs(t *testing.T) {
	locked := files{"proc/sys/kernel/modules_disabled": "1\n"}
	for what, test := range map[string]struct {
		files files
		ask   []string
		netem want
		cake  want
	}{
		"modules": {debian(nil), []string{"pfifo", "tbf", "fq_codel"},
			want{Unknown, "modprobe -a sch_netem"}, want{No, "CONFIG_NET_SCH_CAKE"}},
		"modules, locked": {debian(locked), []string{"pfifo", "tbf", "htb", "fq", "fq_codel", "codel", "cake", "red", "pie"},
			want{No, "next boot"}, want{}},
		"a container": {files{"proc/sys/kernel/osrelease": "6\n", "proc/modules": "x\n"}, []string{"pfifo"},
			want{Unknown, "/lib/modules does not tell"}, want{Unknown, "may be built in"}},
		"no modules": {files{"proc/sys/kernel/osrelease": "6\n"}, QdiscKinds, want{}, want{}},
	} {
		ask, facts := ReadModules(machine(t, test.files)).SortQdiscs()
		if !slices.Equal(ask, test.ask) || len(ask)+len(facts) != len(QdiscKinds) {
			t.Errorf("%s: it asks for %q and tells of %d", what, ask, len(facts))
		}
		for _, f := range facts {
			checkRule(t, f)
			if f.Name == "netem" {
				check(t, what, f, test.netem)
			}
			if f.Subject == "cake" {
				check(t, what, f, test.cake)
			}
		}
	}
}

func TestUnloadedAlgorithms(t *testing.T) {
	for what, test := range map[string]struct {
		files files
		loads bool
		want  want
	}{
		"root":   {debian(nil), true, want{Unknown, "modprobe -a tcp_vegas"}},
		"a user": {debian(nil), false, want{No, "modprobe -a tcp_vegas"}},
		"locked": {debian(files{"proc/sys/kernel/modules_disabled": "1\n"}), true, want{No, "next boot"}},
		"blind":  {debian(files{availableFile: ""}), true, want{Unknown, availableFile}},
	} {
		root := machine(t, test.files)
		facts := UnloadedAlgorithms(root, ReadModules(root), test.loads)
		if len(facts) != 1 || what != "blind" && facts[0].Subject != "vegas" {
			t.Fatalf("%s: %+v, want vegas alone", what, facts)
		}
		check(t, what, facts[0], test.want)
	}
}

func TestDescribeAlgorithm(t *testing.T) {
	root := machine(t, debian(nil))
	for name, want := range map[string]Algorithm{
		"reno":  {new(true), new(true), new(false)},
		"bbr":   {new(true), new(false), new(true)},
		"vegas": {new(false), new(false), new(true)},
	} {
		got := DescribeAlgorithm(root, ReadModules(root), name)
		if *got.Available != *want.Available || *got.Allowed != *want.Allowed || *got.Loadable != *want.Loadable {
			t.Errorf("%s: available %v, allowed %v, loadable %v", name, *got.Available, *got.Allowed, *got.Loadable)
		}
	}
	blind := machine(t, files{"proc/sys/kernel/osrelease": "6\n", "proc/modules": "x\n"})
	if got := DescribeAlgorithm(blind, ReadModules(blind), "reno"); *got != (Algorithm{}) {
		t.Errorf("what no file tells is null; got %+v", got)
	}
}
