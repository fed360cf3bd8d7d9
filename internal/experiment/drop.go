package experiment

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"ccbench/internal/unit"
)

var (
	dropKeys  = schema{keys: []string{"mode", "every", "first", "probability", "unit"}, example: "{mode: nth, every: 100}"}
	dropModes = []string{string(Nth), string(Random)}
)

// maxEvery is far more packets than a trial has, and fits every integer.
const maxEvery = 1_000_000_000

// drop reads the key drop: one rule, or a list of one.
func (m *mapping) drop() *Drop {
	n := m.values["drop"]
	switch {
	case n == nil:
		return nil
	case n.Kind != yaml.SequenceNode:
		return m.dropRule(n, "drop")
	case len(n.Content) == 0:
		m.fail("drop", "an empty list; write a rule such as {mode: nth, every: 100}, or leave drop out")
		return nil
	case len(n.Content) > 1:
		m.report(n.Content[1], "drop[1]", fmt.Sprintf(
			"the rules of %s match the same data packets, so their drops would compound; keep one", m.places(n.Content...)))
	}
	var rule *Drop
	for i, item := range n.Content {
		if item.Kind != yaml.AliasNode {
			rule = m.dropRule(item, fmt.Sprintf("drop[%d]", i))
		}
	}
	return rule
}

// dropRule reads one rule.
func (d *decoder) dropRule(n *yaml.Node, path string) *Drop {
	m := d.mapping(n, path, dropKeys)
	if m == nil {
		return nil
	}
	rule := &Drop{}
	if !m.has("mode") {
		m.fail("mode", "missing; allowed: %s", list(dropModes))
	}
	rule.Mode = DropMode(scalar(m, "mode", "", oneOf(dropModes, nil)))
	rule.Unit = scalar(m, "unit", "segment", oneOf([]string{"segment"}, []string{"skb"}))
	m.nth(rule)
	m.random(rule)
	return rule
}

// nth reads what belongs to mode nth.
func (m *mapping) nth(rule *Drop) {
	const why = "belongs to mode nth; with mode random write probability"
	if rule.Mode == Random {
		m.refuse("every", why)
		m.refuse("first", why)
		return
	}
	rule.Every = count(m, "every", 0, 2, maxEvery)
	rule.First = count(m, "first", 0, 1, maxEvery)
	if rule.Mode == Nth && !m.has("every") {
		m.fail("every", "missing: mode nth drops one packet in so many; allowed: 2 to %d", maxEvery)
	}
	if m.has("every") && m.sound("every", "first") && rule.First > rule.Every {
		m.fail("first", "is %d; allowed: 1 to every, which is %d", rule.First, rule.Every)
	}
}

// random reads what belongs to mode random.
func (m *mapping) random(rule *Drop) {
	if rule.Mode == Nth {
		m.refuse("probability", "belongs to mode random; with mode nth write every")
		return
	}
	// The kernel keeps it in steps of 2^-31 (xt_statistic); nearer to 0 or 1
	// a step would be more than 0.05 % of it.
	rule.Probability = scalar(m, "probability", 0, quantity(unit.ParsePercent, 1e-6, 1-1e-6, "0.0001% to 99.9999%"))
	if rule.Mode == Random && !m.has("probability") {
		m.fail("probability", "missing: mode random drops each packet by chance; write a percentage such as 1%%")
	}
}
