package testbed

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ccbench/internal/agent/wire"
	"ccbench/internal/probe"
)

// errNFTables is why the rules of nf_tables are not counted.
var errNFTables = errors.New("not asked, as that might load nf_tables, and /lib/modules does not tell whether it is built in")

// subject is one thing that was to be tried.
type subject struct {
	need wire.Need
	fact probe.Fact // without its answer
	done string     // its detail when nothing was wrong
	cure string     // where the problem has none of its own
}

// Facts are the answers that the survey gives. For an experiment all that was
// tried is required, as it would refuse to run without.
func (s Survey) Facts(forExperiment bool) []probe.Fact {
	facts := []probe.Fact{s.namespace()}
	for _, t := range s.subjects() {
		if forExperiment {
			t.fact.Need = probe.Required
		}
		facts = append(facts, s.answer(t)...)
	}
	return append(facts, s.Settled...)
}

// namespace is the fact that a network namespace could be made, and an agent
// started in it.
func (s Survey) namespace() probe.Fact {
	f := probe.Fact{Name: "network_namespace", Need: probe.Required, Answer: probe.Yes, Detail: "one was made"}
	switch {
	case s.Unprivileged:
		f.Answer, f.Detail, f.Why = probe.Unknown, "not tried", "it takes the privilege to make one"
	case s.Failed != nil:
		f.Answer, f.Detail, f.Cure = probe.No, s.Failed.Message, s.Failed.Hint
		if f.Cure == "" {
			f.Cure = "run ccbench as root, outside of any container"
		}
	}
	return f
}

func (s Survey) subjects() []subject {
	var all []subject
	add := func(wanted bool, need wire.Need, fact probe.Fact, done, cure string) {
		if wanted {
			all = append(all, subject{need, fact, done, cure})
		}
	}
	r := s.Request
	add(r.TUN, wire.NeedTUN, probe.Fact{Name: "tun", Need: probe.Required},
		"/dev/net/tun is there and open to this user, and a device was made", "a kernel with CONFIG_TUN, and /dev/net/tun open to this user")
	add(len(r.Sysctl) > 0, wire.NeedSysctl, probe.Fact{Name: "sysctl", Need: probe.Required},
		"the settings were taken by a network namespace", "leave the setting out, or use a kernel that has it")
	add(r.Veth, wire.NeedVeth, probe.Fact{Name: "veth", Need: probe.Some}, "a pair was made", "a kernel with CONFIG_VETH")
	add(r.Veth, wire.NeedOffloads, probe.Fact{Name: "offloads", Need: probe.Some},
		"TSO, GSO and GRO of a veth were switched off", "a kernel whose veth lets go of TSO, GSO and GRO; or engine userspace, which has none")
	add(r.Drop != nil, wire.NeedDrop, probe.Fact{Name: "iptables", Need: probe.Some}, s.iptables(),
		"run that command by hand, as root in a network namespace (unshare -n), to see why; perhaps apt-get install --reinstall iptables")
	for _, name := range r.Algorithms {
		add(true, wire.NeedAlgorithm, probe.Fact{Name: probe.AlgorithmName, Subject: name, Need: probe.Some},
			"a socket took it", "leave the algorithm out, or use a kernel that has it")
	}
	for _, kind := range r.Qdiscs {
		add(true, wire.NeedQdisc, probe.Qdisc(kind), "one was made", "a kernel with CONFIG_NET_SCH_"+strings.ToUpper(kind))
	}
	return all
}

// iptables says what installed the rule: iptables v1.8.9 (nf_tables).
func (s Survey) iptables() string {
	line := s.Reply.Host.Tools["iptables"]
	if !strings.Contains(line, "(") {
		line += " (legacy)" // before 1.8 there was one backend and no word for it
	}
	return fmt.Sprintf("%s, %s: took a rule of statistic and length matches", line, s.Reply.Iptables)
}

// answer has one fact, or one for each problem.
func (s Survey) answer(t subject) []probe.Fact {
	f := t.fact
	if s.Failed != nil || s.Unprivileged {
		f.Answer, f.Detail, f.Why = probe.Unknown, "not tried", "there is no network namespace to try it in"
		return []probe.Fact{f}
	}
	if t.need == wire.NeedOffloads && s.has(wire.NeedVeth) {
		f.Answer, f.Detail, f.Why = probe.Unknown, "not tried", "there is no veth to try it on"
		return []probe.Fact{f}
	}
	var facts []probe.Fact
	for _, p := range s.Reply.Problems {
		if p.Need != t.need || p.Subject != f.Subject && p.Subject != f.Name {
			continue
		}
		wrong := f
		wrong.Answer, wrong.Detail, wrong.Cure = probe.No, p.Message, p.Hint
		if wrong.Cure == "" {
			wrong.Cure = t.cure
		}
		// Arms may share a setting, and so its fault.
		if !slices.Contains(facts, wrong) {
			facts = append(facts, wrong)
		}
	}
	if len(facts) == 0 {
		f.Answer, f.Detail = probe.Yes, t.done
		facts = append(facts, f)
	}
	return facts
}

func (s Survey) has(need wire.Need) bool {
	return slices.ContainsFunc(s.Reply.Problems, func(p wire.Problem) bool { return p.Need == need })
}
