package testbed

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccbench/internal/agent/wire"
	"ccbench/internal/experiment"
	"ccbench/internal/plan"
	"ccbench/internal/probe"
	"ccbench/internal/result"
	"ccbench/internal/unit"
)

// surveyed is a survey of all that can be tried, with its problems.
func surveyed(problems ...wire.Problem) Survey {
	s := Survey{Reply: wire.ProbeReply{
		Problems: problems, Iptables: "/sbin/iptables", Host: result.Host{Tools: map[string]string{"iptables": "iptables v1.6.1"}},
	}}
	s.Request = needs(usual())
	s.Request.Veth, s.Request.Algorithms, s.Request.Qdiscs = true, []string{"reno", "bbr"}, []string{"pfifo", "netem"}
	return s
}

// find is the fact of a name and a subject; there must be one.
func find(t *testing.T, facts []probe.Fact, name, subject string) probe.Fact {
	t.Helper()
	var found []probe.Fact
	for _, f := range facts {
		if (f.Cure != "") != (f.Answer == probe.No) || (f.Why != "") != (f.Answer == probe.Unknown) || f.Detail == "" {
			t.Errorf("cure, why and detail do not fit the answer: %+v", f)
		}
		if f.Name == name && f.Subject == subject {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d facts %s %s in %+v", len(found), name, subject, facts)
	}
	return found[0]
}

// every name and subject that a survey has facts about.
var surveyNames = [][2]string{
	{"network_namespace", ""}, {"tun", ""}, {"sysctl", ""}, {"veth", ""}, {"offloads", ""}, {"iptables", ""},
	{probe.AlgorithmName, "reno"}, {probe.AlgorithmName, "bbr"}, {probe.QdiscName, "pfifo"}, {"netem", ""},
}

func TestFactsOfASurvey(t *testing.T) {
	facts := surveyed().Facts(false)
	if len(facts) != len(surveyNames) {
		t.Errorf("%d facts, want %d", len(facts), len(surveyNames))
	}
	for _, name := range surveyNames {
		if f := find(t, facts, name[0], name[1]); f.Answer != probe.Yes {
			t.Errorf("with no problem: %+v", f)
		}
	}
	if f := find(t, facts, "iptables", ""); !strings.Contains(f.Detail, "iptables v1.6.1 (legacy), /sbin/iptables") {
		t.Errorf("got %q", f.Detail)
	}
	for _, f := range surveyed().Facts(true) {
		if f.Need != probe.Required {
			t.Errorf("for an experiment, %s is %s", f.Name, f.Need)
		}
	}
}

// Each problem makes one no, of the fact that it stands in the way of, with
// its hint, or a cure where it has none.
func TestProblemsAreNos(t *testing.T) {
	for name, p := range map[[2]string]wire.Problem{
		{"tun", ""}:                  {Need: wire.NeedTUN},
		{"sysctl", ""}:               {Need: wire.NeedSysctl},
		{"offloads", ""}:             {Need: wire.NeedOffloads},
		{"iptables", ""}:             {Need: wire.NeedDrop},
		{probe.AlgorithmName, "bbr"}: {Need: wire.NeedAlgorithm, Subject: "bbr"},
		{probe.QdiscName, "pfifo"}:   {Need: wire.NeedQdisc, Subject: "pfifo"},
		{"netem", ""}:                {Need: wire.NeedQdisc, Subject: "netem"},
	} {
		p.Message = "it would not"
		for _, hint := range []string{"", "ask again"} {
			p.Hint = hint
			facts := surveyed(p, p).Facts(false)
			f := find(t, facts, name[0], name[1])
			if f.Answer != probe.No || f.Detail != p.Message || hint != "" && f.Cure != hint {
				t.Errorf("%v, hint %q: %+v", name, hint, f)
			}
			if n := len(slices.DeleteFunc(facts, func(f probe.Fact) bool { return f.Answer == probe.Yes })); n != 1 {
				t.Errorf("%v: %d facts are not a yes", name, n)
			}
		}
	}
}

func TestWhatCouldNotBeTried(t *testing.T) {
	facts := surveyed(wire.Problem{Need: wire.NeedVeth, Message: "none"}).Facts(false)
	if v, o := find(t, facts, "veth", ""), find(t, facts, "offloads", ""); v.Answer != probe.No || o.Answer != probe.Unknown {
		t.Errorf("without veth: %+v, %+v", v, o)
	}
	failed, unprivileged := surveyed(), surveyed()
	failed.Failed, unprivileged.Unprivileged = &wire.Problem{Message: "no namespace"}, true
	for want, s := range map[probe.Answer]Survey{probe.No: failed, probe.Unknown: unprivileged} {
		for i, name := range surveyNames {
			f := find(t, s.Facts(false), name[0], name[1])
			if i == 0 && f.Answer != want || i > 0 && f.Answer != probe.Unknown {
				t.Errorf("without a namespace: %+v", f)
			}
		}
	}
}

// Several arms may have faults in their settings, or share one.
func TestSysctlProblems(t *testing.T) {
	one, other := wire.Problem{Need: wire.NeedSysctl, Message: "a"}, wire.Problem{Need: wire.NeedSysctl, Message: "b"}
	facts := surveyed(one, other, one).Facts(true)
	if n := len(facts); n != len(surveyNames)+1 {
		t.Errorf("%d facts, want one for each of the two faults", n)
	}
}

// What a plan does without is not asked for.
func TestNeedsOfAPlan(t *testing.T) {
	p := usual()
	p.Trials[0].Drop, p.Trials[0].Path = nil, experiment.Path{Engine: experiment.Direct, MTU: 1500}
	if r := needs(p); r.TUN || r.Drop != nil || !r.Veth || len(r.Qdiscs) > 0 {
		t.Errorf("direct, without a rule: %+v", r)
	}
	if r := needs(usual()); !r.TUN || r.Drop == nil || r.Veth {
		t.Errorf("userspace, with a rule: %+v", r)
	}
}

func TestRelay(t *testing.T) {
	at := func(rate, mtu int) *plan.Plan {
		p := usual()
		p.Trials[0].Path.Rate, p.Trials[0].Path.MTU = unit.BitRate(rate)*1_000_000, mtu
		return p
	}
	for _, test := range []struct {
		rate, mtu, cpus int
		want            probe.Answer
	}{
		{100, 1500, 2, probe.Yes}, {500, 1500, 2, probe.Yes}, {1000, 1500, 2, probe.No},
		{1000, 1500, 8, probe.Unknown}, {1000, 9000, 2, probe.Yes}, {100, 1500, 1, probe.No}, {100, 100, 2, probe.No},
	} {
		facts := Relay(at(test.rate, test.mtu), test.cpus)
		if len(facts) != 1 || find(t, facts, "relay", "").Answer != test.want {
			t.Errorf("%d Mbit/s, MTU %d, %d CPUs: %+v, want %s", test.rate, test.mtu, test.cpus, facts, test.want)
		}
	}
	p := usual()
	p.Trials[0].Path = experiment.Path{Engine: experiment.Direct, MTU: 1500}
	if facts := Relay(p, 2); facts != nil {
		t.Errorf("direct has no relay: %+v", facts)
	}
}

func TestDemand(t *testing.T) {
	p := usual()
	p.Experiment = &experiment.Experiment{Conditions: []experiment.Condition{{Path: p.Trials[0].Path}}}
	p.Trials[0].Flows = make([]plan.Flow, 2)
	small, disk := Demand(p)
	p.Trials[0].Duration = 1001 * time.Second
	large, more := Demand(p)
	if got := large - small; got != 2*100_000*sampleMemory || more <= disk || disk <= 0 {
		t.Errorf("1000 s more of 2 flows at 10 ms take %d bytes of memory, and disk %d after %d", got, more, disk)
	}
}

// Each setting of a matrix and of an arm is tried, and none twice.
func TestNeedsOfEachCondition(t *testing.T) {
	p := usual()
	trial := p.Trials[0]
	p.Trials = nil
	for _, ecn := range []string{"0", "1", "0", "1"} {
		trial.Sysctl = map[string]string{"net.ipv4.tcp_ecn": ecn}
		p.Trials = append(p.Trials, trial)
	}
	var got []string
	for _, values := range needs(p).Sysctl {
		got = append(got, values["net.ipv4.tcp_ecn"])
	}
	if !slices.Equal(got, []string{"0", "1"}) {
		t.Errorf("tried tcp_ecn %v, want 0 and 1", got)
	}
}
