package experiment

import (
	"fmt"
	"maps"
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

var armKeys = schema{keys: []string{"name", "algorithm", "sysctl"}}

// written is an arm and where it was written.
type written struct {
	Arm
	node *yaml.Node
	key  string
}

// compared reads the arms, in either form, and the baseline.
func (m *mapping) compared(e *Experiment) {
	before := len(m.errs)
	arms := slices.Concat(m.shortArms(), m.longArms())
	short, long := m.keys["algorithms"], m.keys["arms"]
	switch {
	case short != nil && long != nil:
		m.report(long, "arms", fmt.Sprintf("excludes algorithms (lines %d and %d); algorithms is the short form, keep one",
			short.Line, long.Line))
	case short == nil && long == nil:
		m.fail("algorithms", "missing; write algorithms: [newreno, cubic], or arms")
	default:
		m.checkTwice(arms, e)
	}
	for _, a := range arms {
		e.Arms = append(e.Arms, a.Arm)
	}
	if len(m.errs) == before && len(arms) > 0 { // else the baseline may be an arm that could not be read
		m.baseline(e)
	}
}

// shortArms reads the list of algorithms, each an arm of its own.
func (m *mapping) shortArms() []written {
	var arms []written
	for key, item := range m.items("algorithms") {
		algorithm, err := single(item, algorithm)
		if err != nil {
			m.report(item, key, err.Error())
			continue
		}
		arms = append(arms, written{newArm(algorithm, algorithm), item, key})
	}
	return arms
}

// longArms reads the list of arms.
func (m *mapping) longArms() []written {
	var arms []written
	for key, item := range m.items("arms") {
		before := len(m.errs)
		if a := m.longArm(item, key); len(m.errs) == before {
			arms = append(arms, written{a, item, key})
		}
	}
	return arms
}

func (m *mapping) longArm(item *yaml.Node, key string) Arm {
	in := m.mapping(item, key, armKeys)
	if in == nil {
		return Arm{}
	}
	if !in.has("algorithm") {
		in.fail("algorithm", "missing; write the congestion control to use, such as cubic")
	}
	a := newArm("", scalar(in, "algorithm", "", algorithm))
	a.Name = scalar(in, "name", a.Algorithm, name)
	if n := in.values["sysctl"]; n != nil {
		a.Sysctl = m.sysctl(n, join(key, "sysctl"))
	}
	return a
}

// items goes through the list at a key; an alias in it is reported elsewhere.
func (m *mapping) items(key string) func(yield func(key string, item *yaml.Node) bool) {
	n := m.values[key]
	if n != nil && (n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > maxArms) {
		m.fail(key, "must be a list of 1 to %d, such as [newreno, cubic]", maxArms)
		n = nil
	}
	return func(yield func(key string, item *yaml.Node) bool) {
		if n == nil {
			return
		}
		for i, item := range n.Content {
			if item.Kind != yaml.AliasNode && !yield(fmt.Sprintf("%s[%d]", key, i), item) {
				return
			}
		}
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
	if !isName(s) || len(s) > maxAlgorithm || strings.Trim(s, lower+decimal+"_-") != "" {
		return "", fmt.Errorf("%s cannot be an algorithm; allowed: 1 to %d of a-z 0-9 _ -, a letter or digit first, as the kernel names it",
			unit.Quote(s), maxAlgorithm)
	}
	return s, nil
}

// checkTwice reports arms that share a name, and arms that are the same thing
// under two names: any difference between those would be chance.
func (m *mapping) checkTwice(arms []written, e *Experiment) {
	for i, b := range arms {
		for _, a := range arms[:i] {
			if a.Name == b.Name {
				m.report(b.node, b.key, fmt.Sprintf("the name %s is that of %s (line %d) too; names must differ",
					b.Name, a.key, a.node.Line))
				break
			}
			if e.same(a.Arm, b.Arm) {
				m.report(b.node, b.key, fmt.Sprintf(
					"%s and %s (line %d) are identical arms: the kernel's %s with the same sysctls, the same thing measured twice; remove one",
					b.Name, a.Name, a.node.Line, a.Kernel))
				break
			}
		}
	}
}

func (e *Experiment) same(a, b Arm) bool {
	return a.Kernel == b.Kernel && maps.EqualFunc(e.SysctlOf(a), e.SysctlOf(b), func(v, w string) bool {
		return slices.Equal(strings.Fields(v), strings.Fields(w)) // the kernel splits at any blanks
	})
}

// baseline reads the arm that others are compared with, by default the first.
func (m *mapping) baseline(e *Experiment) {
	names := e.ArmNames()
	e.Baseline = scalar(m, "baseline", names[0], name)
	if !slices.Contains(names, e.Baseline) {
		m.fail("baseline", "%s is no arm%s; allowed: %s", e.Baseline, hint(e.Baseline, names), list(names))
	}
}
