package experiment

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"ccbench/internal/unit"
)

// maxDepth is deeper than any experiment goes.
const maxDepth = 10

// checkTree reports, everywhere below n, the parts of YAML that make a file
// mean something else than what is read in it. It knows nothing of the schema.
func (d *decoder) checkTree(n *yaml.Node, key string, depth int) {
	if depth > maxDepth {
		d.report(n, key, fmt.Sprintf("nested more than %d deep; no key goes so deep", maxDepth))
		return
	}
	d.checkNode(n, key)
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			d.checkTree(item, fmt.Sprintf("%s[%d]", key, i), depth+1)
		}
	case yaml.MappingNode:
		d.checkKeys(n, key)
		for k, v := range pairs(n) {
			d.checkNode(k, key)
			d.checkTree(v, join(key, k.Value), depth+1)
		}
	}
}

func (d *decoder) checkNode(n *yaml.Node, key string) {
	if n.Kind == yaml.AliasNode {
		d.report(n, key, "an alias (*); write the value itself")
	}
	if n.Anchor != "" {
		d.report(n, key, "an anchor (&); write the value wherever it is meant")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		d.report(n, key, fmt.Sprintf("the tag %s; leave tags out", unit.Quote(n.Tag)))
	}
}

func (d *decoder) checkKeys(n *yaml.Node, key string) {
	first := map[string]*yaml.Node{}
	for k := range pairs(n) {
		before, seen := first[k.Value]
		switch {
		case k.Kind == yaml.AliasNode: // reported as such
		case k.Kind != yaml.ScalarNode:
			d.report(k, key, kindName(k)+" as a key; a key is a name")
		case k.Tag == "!!merge":
			d.report(k, key, "a merge key (<<); write the keys themselves")
		case seen:
			d.report(k, join(key, k.Value), fmt.Sprintf("written twice, first %s; keep one", d.place(before)))
		default:
			first[k.Value] = k
		}
	}
}

// plainTree says that checkTree has nothing to report of n: it means what is
// read in it.
func plainTree(n *yaml.Node) bool {
	check := &decoder{sets: map[*yaml.Node]int{}}
	check.checkTree(n, "", 0)
	return len(check.errs) == 0
}

// pairs goes through the keys and values of a mapping.
func pairs(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// kindName names the kind of a value in the words of messages.
func kindName(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!str":
		return "text"
	case isNull(n):
		return "nothing"
	default:
		return "a single value"
	}
}

// join appends a key to a dotted one. A key that would not be plain in a
// message of one line is quoted.
func join(path, key string) string {
	if quoted := unit.Quote(key); quoted != `"`+key+`"` || key == "" {
		key = quoted
	}
	if path == "" {
		return key
	}
	return path + "." + key
}
