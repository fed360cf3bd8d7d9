package probe

import "strings"

// QdiscKinds are those that ccbench, now or one day, or a reader of a plan may
// want to make a path of.
var QdiscKinds = []string{"pfifo", "tbf", "htb", "netem", "fq", "fq_codel", "codel", "cake", "red", "pie"}

// QdiscName is the name of the facts about kinds of qdisc; netem has its own.
const QdiscName = "qdisc"

// Qdisc is a kind's fact without an answer yet. No experiment can ask for
// another one than pfifo, which is at both ends of every path.
func Qdisc(kind string) Fact {
	switch kind {
	case "netem":
		return Fact{Name: kind, Need: Info}
	case "pfifo":
		return Fact{Name: QdiscName, Subject: kind, Need: Some}
	}
	return Fact{Name: QdiscName, Subject: kind, Need: Info}
}

// SortQdiscs tells which kinds the kernel can be asked for without loading a
// module, and has the facts of the others. The kernel loads the module of a
// qdisc for root of a user namespace as well.
func (m Modules) SortQdiscs() (ask []string, facts []Fact) {
	for _, kind := range QdiscKinds {
		module := "sch_" + kind
		if kind == "pfifo" || m.MayAsk(module) { // sch_fifo has no module (net/sched/Makefile)
			ask = append(ask, kind)
			continue
		}
		f := Qdisc(kind)
		switch m.State(module) {
		case ModuleOnDisk:
			subject, need := f.Subject, f.Need
			f = m.unloaded(f.Name, module, true)
			f.Subject, f.Need = subject, need
		case ModuleNowhere:
			f.Answer, f.Detail = No, "this kernel has no "+module
			f.Cure = "a kernel with CONFIG_NET_SCH_" + strings.ToUpper(kind)
		default:
			f.Answer, f.Detail = Unknown, module+" is not loaded; it may be built in"
			f.Why = "not tried, as that might load it, and /lib/modules does not tell"
		}
		facts = append(facts, f)
	}
	return ask, facts
}
