package experiment

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"ccbench/internal/unit"
)

// aliases are names of algorithms in use elsewhere, and the kernel's for the same.
var aliases = map[string]string{"newreno": "reno"}

const (
	maxArms = 64
	// maxAlgorithm is the kernel's TCP_CA_NAME_MAX without the ending zero
	// (include/net/tcp.h).
	maxAlgorithm = 15
)

var armKeys = schema{keys: []string{"name", "algorithm", "sysctl"}, example: "{name: a, algorithm: cubic}"}

// written is an arm and where it was written.
type written struct {
	Arm
	node  *yaml.Node
	key   string
	named bool // its name is known
	whole bool // nothing is wrong with it
}

// compared reads the arms, in either form, and the baseline.
func (m *mapping) compared(e *Experiment) {
	short, long := m.arms("algorithms", m.shortArm), m.arms("arms", m.longArm)
	m.checkTwice(short, e) // each form by itself: one of the two has to go
	m.checkTwice(long, e)
	arms := slices.Concat(short, long)
	for _, a := range arms {
		e.Arms = append(e.Arms, a.Arm)
	}
	m.baseline(e, arms)
	m.checkForm()
}

// checkForm wants the arms in one of their forms.
func (m *mapping) checkForm() {
	short, long := m.keys["algorithms"], m.keys["arms"]
	switch {
	case short != nil && long != nil && m.sets[short] > 0:
		m.wrong["arms"] = true
		m.report(short, "algorithms", fmt.Sprintf("excludes arms (%s); algorithms is the short form, set arms instead",
			m.places(long)))
	case short != nil && long != nil:
		m.wrong["arms"] = true
		m.report(long, "arms", fmt.Sprintf("excludes algorithms (%s); algorithms is the short form, keep one",
			m.places(short, long)))
	case short == nil && long == nil:
		m.fail("algorithms", "missing; write algorithms: [newreno, cubic], or arms")
	}
}

// arms reads each item of a list as an arm.
func (m *mapping) arms(list string, read func(*written)) []written {
	var arms []written
	for i, item := range m.items(list) {
		a := written{node: item, key: fmt.Sprintf("%s[%d]", list, i)}
		if item.Kind != yaml.AliasNode { // reported by checkTree
			before := len(m.errs)
			read(&a)
			a.whole = len(m.errs) == before
		}
		arms = append(arms, a)
	}
	return arms
}

// items are those of the list at a key, as many as may be.
func (m *mapping) items(key string) []*yaml.Node {
	n := m.values[key]
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > maxArms {
		m.fail(key, "must be a list of 1 to %d, such as [newreno, cubic]", maxArms)
	}
	if n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content[:min(len(n.Content), maxArms)]
}

// shortArm reads an algorithm that is an arm of its own.
func (m *mapping) shortArm(a *written) {
	algorithm, err := single(a.node, algorithm)
	if err != nil {
		m.report(a.node, a.key, err.Error())
		return
	}
	a.Arm, a.named = newArm(algorithm, algorithm), true
}

func (m *mapping) longArm(a *written) {
	in := m.mapping(a.node, a.key, armKeys)
	if in == nil {
		return
	}
	if !in.has("algorithm") {
		in.fail("algorithm", "missing; write the congestion control to use, such as cubic")
	}
	a.Arm = newArm("", scalar(in, "algorithm", "", algorithm))
	a.Name = scalar(in, "name", a.Algorithm, name)
	a.named = a.Name != "" && in.sound("name")
	if n := in.values["sysctl"]; n != nil {
		a.Sysctl = m.sysctl(n, join(a.key, "sysctl"))
	}
}

func newArm(name, algorithm string) Arm {
	kernel, found := aliases[algorithm]
	if !found {
		kernel = algorithm
	}
	return Arm{Name: name, Algorithm: algorithm, Kernel: kernel}
}

// algorithm reads the name of a congestion control. Whether a kernel has it is
// for whoever meets that kernel to say.
func algorithm(n *yaml.Node) (string, error) {
	s, err := text(n)
	if err != nil {
		return "", err
	}
	if !isAlgorithm(s) {
		meant := ""
		if small := strings.ToLower(s); isAlgorithm(small) {
			meant = hint(s, []string{small})
		}
		return "", fmt.Errorf("%s cannot be an algorithm%s; allowed: 1 to %d of a-z 0-9 _ -, a letter or digit first, as the kernel names it",
			unit.Quote(s), meant, maxAlgorithm)
	}
	return s, nil
}

func isAlgorithm(s string) bool {
	return isName(s) && len(s) <= maxAlgorithm && strings.Trim(s, lower+decimal+"_-") == ""
}

// checkTwice reports arms that share a name, and arms that are the same thing
// under two names: any difference between those would be chance.
func (m *mapping) checkTwice(arms []written, e *Experiment) {
	for i, b := range arms {
		for _, a := range arms[:i] {
			if a.named && b.named && a.Name == b.Name {
				m.report(b.node, b.key, fmt.Sprintf("the name %s is that of %s (%s) too; names must differ",
					b.Name, a.key, m.places(a.node)))
				break
			}
			if a.whole && b.whole && e.same(a.Arm, b.Arm) {
				m.report(b.node, b.key, fmt.Sprintf(
					"%s and %s (%s) are identical arms: the kernel's %s with the same sysctls, the same thing measured twice; remove one",
					b.Name, a.Name, m.places(a.node), a.Kernel))
				break
			}
		}
	}
}

func (e *Experiment) same(a, b Arm) bool {
	c := &e.Conditions[0]
	return a.Kernel == b.Kernel && sameSysctl(c.SysctlOf(a), c.SysctlOf(b))
}

// baseline reads the arm that others are compared with, by default the first.
// Where the name of an arm is not known, it may be the one that is meant.
func (m *mapping) baseline(e *Experiment, arms []written) {
	first := ""
	if len(arms) > 0 {
		first = arms[0].Name
	}
	e.Baseline = scalar(m, "baseline", first, name)
	nameless := slices.ContainsFunc(arms, func(a written) bool { return !a.named })
	if !m.has("baseline") || nameless || !m.sound("baseline", "algorithms", "arms") || len(arms) == 0 {
		return
	}
	names := e.ArmNames()
	if !slices.Contains(names, e.Baseline) {
		m.fail("baseline", "%s is no arm%s; allowed: %s%s", e.Baseline, hint(e.Baseline, names), list(names), m.leftBehind(names))
	}
}

// leftBehind says what to set beside arms that are an override's, where the
// baseline is still the file's.
func (m *mapping) leftBehind(names []string) string {
	set := func(key string) bool { return m.has(key) && m.sets[m.keys[key]] > 0 }
	if set("baseline") || !set("algorithms") && !set("arms") {
		return ""
	}
	return "; set baseline too, such as --set baseline=" + names[0]
}
