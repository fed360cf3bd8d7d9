package testbed

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"ccbench/internal/droprule"
	"ccbench/internal/experiment"
	"ccbench/internal/plan"
)

// portVariable stands for the port, which the receiver's kernel chooses.
const portVariable = "$PORT"

// Describe says what makes the paths of p's trials, as the shell lines that it
// amounts to: one setup for all trials that differ in nothing but their order
// and the phase of their drop rule. It touches nothing.
func Describe(p *plan.Plan) []plan.Setup {
	var setups []plan.Setup
	known := map[string]int{}
	for _, t := range p.Trials {
		key := setupKey(t)
		i, found := known[key]
		if !found {
			i = len(setups)
			known[key] = i
			setups = append(setups, plan.Setup{Trial: t.Index, Steps: steps(t)})
		}
		setup := &setups[i]
		if !slices.Contains(setup.Arms, t.Arm) {
			setup.Arms = append(setup.Arms, t.Arm)
		}
		if number := t.Condition + 1; !slices.Contains(setup.Conditions, number) {
			setup.Conditions = append(setup.Conditions, number)
		}
	}
	sortSetups(setups, p.Experiment.ArmNames()) // the trials' order is shuffled
	return setups
}

// sortSetups sorts the arms of each, as in order, and its conditions; and the
// setups by the first of both.
func sortSetups(setups []plan.Setup, order []string) {
	byArm := func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) }
	for _, s := range setups {
		slices.SortFunc(s.Arms, byArm)
		slices.Sort(s.Conditions)
	}
	slices.SortFunc(setups, func(a, b plan.Setup) int {
		return cmp.Or(a.Conditions[0]-b.Conditions[0], byArm(a.Arms[0], b.Arms[0]))
	})
}

// setupKey is equal for trials with the same setup. fmt sorts the keys of maps.
func setupKey(t plan.Trial) string {
	var drop experiment.Drop
	if t.Drop != nil {
		drop = *t.Drop
		drop.First = 0
	}
	return fmt.Sprintf("%+v %+v %+v", t.Path, drop, t.Sysctl)
}

func steps(t plan.Trial) []plan.Step {
	sender := plan.Step{Namespace: "sender", Lines: append(endLines(t, senderPrefix),
		"# each data socket, before connect: setsockopt TCP_CONGESTION to the arm's algorithm")}
	receiver := plan.Step{Namespace: "receiver", Lines: append(endLines(t, receiverPrefix), ruleLines(t)...)}
	if t.Path.Engine == experiment.Direct {
		cable := plan.Step{Namespace: "ccbench", Lines: vethLines(t)}
		return []plan.Step{cable, sender, receiver}
	}
	return []plan.Step{sender, {Namespace: "path", Lines: relayLines(t.Path)}, receiver}
}

// vethLines lay the cable between the namespaces of two processes.
func vethLines(t plan.Trial) []string {
	size := fmt.Sprintf("mtu %d txqueuelen %d", t.Path.MTU, txQueueLen(t))
	return []string{
		"# $SENDER and $RECEIVER are the pids of the agents",
		fmt.Sprintf("ip link add name %[1]s netns $SENDER %[2]s type veth peer name %[1]s netns $RECEIVER %[2]s", deviceName, size),
	}
}

// relayLines say what no command makes.
func relayLines(p experiment.Path) []string {
	return []string{
		"# no device of its own: ccbench relays between the TUN devices of both ends",
		fmt.Sprintf("# sender to receiver: a tail-drop queue of %d B, then %d bit/s (%d B a packet counted beside the IP packet), then %v",
			p.Buffer.Bytes, p.Rate, p.Overhead, p.RTT/2),
		fmt.Sprintf("# receiver to sender: %v", p.RTT/2),
	}
}

// endLines make either end: settings first, since some hold only for what is
// made after them.
func endLines(t plan.Trial, address netip.Prefix) []string {
	lines := sysctlLines(t)
	if t.Path.Engine == experiment.Userspace {
		lines = append(lines, "ip tuntap add dev "+deviceName+" mode tun")
	}
	dev := "dev " + deviceName
	lines = append(lines,
		"ip link set dev lo up",
		"ip link set "+dev+" addrgenmode none",
		fmt.Sprintf("ip link set %s mtu %d", dev, t.Path.MTU),
		fmt.Sprintf("ip link set %s txqueuelen %d", dev, txQueueLen(t)),
		fmt.Sprintf("tc qdisc replace %s root pfifo limit %d", dev, txQueueLen(t)),
	)
	if t.Path.Engine == experiment.Userspace || !offloads(t) {
		lines = append(lines, "ethtool -K "+deviceName+" tso off gso off gro off")
	}
	return append(lines, "ip address add "+address.String()+" "+dev, "ip link set "+dev+" up")
}

// sysctlLines set first what a kernel may lack (-e), then the rest.
func sysctlLines(t plan.Trial) []string {
	var lines []string
	add := func(command string, values map[string]string) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			lines = append(lines, command+" "+shellWord(key+"="+values[key]))
		}
	}
	add("sysctl -e -w", optionalSysctls())
	add("sysctl -w", sysctls(t))
	return lines
}

// ruleLines install the drop rule.
func ruleLines(t plan.Trial) []string {
	if t.Drop == nil {
		return nil
	}
	lines := []string{"# when it listens on port " + portVariable + ":"}
	for _, line := range describedRule(t).ShellLines() {
		words := strings.Fields(line)
		if i := slices.Index(words, "--dport"); i >= 0 {
			words[i+1] = portVariable
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// describedRule is the trial's rule, but for its port.
func describedRule(t plan.Trial) droprule.Rule {
	r := dropRequest(t, 0)
	return droprule.Rule{
		Mode: r.Mode, Every: r.Every, First: r.First, Probability: r.Probability,
		Source: r.Source, Destination: r.Destination, MTU: r.MTU, Tag: r.Tag,
	}
}

// shellWord quotes a word for a shell where it needs that.
func shellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%"
	if strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
