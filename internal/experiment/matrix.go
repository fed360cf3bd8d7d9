package experiment

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxConditions is more tables than anyone reads.
const maxConditions = 1000

// factor is a key that the matrix varies.
type factor struct {
	name   string     // dotted, as written
	key    *yaml.Node // where
	values []*yaml.Node
}

const matrixForm = "such as {path.rtt: [10ms, 40ms]}"

// factors reads the key matrix: its sound factors, and the keys that the others
// leave open. Where not all are sound, that is reported.
func (m *mapping) factors(root *yaml.Node) ([]factor, openKeys) {
	n := m.values["matrix"]
	if n == nil {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		m.fail("matrix", "is %s; it must be a mapping of keys to lists of values, %s", kindName(n), matrixForm)
		return nil, nil
	}
	before, open := len(m.errs), openKeys{}
	var all, sound []factor
	for k, v := range pairs(n) {
		if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" {
			continue // reported by checkTree
		}
		known := len(m.errs)
		f := factor{name: k.Value, key: k, values: m.factorValues(k, v)}
		m.checkFactor(f, root)
		all = append(all, f)
		if len(m.errs) == known && plainTree(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{k, v}}) {
			sound = append(sound, f)
		} else {
			open[f.name] = true
		}
	}
	m.checkSize(all)
	if len(m.errs) > before || !plainTree(n) {
		m.wrong["matrix"] = true
		m.guess(open, all, root)
		sound = open.fitting(open.single(sound))
	}
	return sound, open
}

func (m *mapping) checkSize(factors []factor) {
	total, sizes := 1, make([]string, len(factors))
	for i, f := range factors {
		total = min(total*max(1, len(f.values)), maxConditions+1) // the true product may be too large for an int
		sizes[i] = fmt.Sprint(len(f.values))
	}
	if total > maxConditions {
		m.fail("matrix", "%s values are more than %d conditions; allowed: %d", strings.Join(sizes, " x "), maxConditions, maxConditions)
	}
}

// factorValues reads the list of values of a factor.
func (m *mapping) factorValues(k, list *yaml.Node) []*yaml.Node {
	key := join("matrix", k.Value)
	if list.Kind == yaml.AliasNode {
		return nil // reported by checkTree, as are those below
	}
	if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		n := list
		if isNull(n) {
			n = k
		}
		m.report(n, key, "must be a list of one or more values, such as [10ms, 40ms]")
		return nil
	}
	seen := map[string]int{}
	for i, v := range list.Content {
		item := fmt.Sprintf("%s[%d]", key, i)
		before, twice := seen[v.Value]
		switch {
		case v.Kind == yaml.AliasNode:
		case v.Kind != yaml.ScalarNode:
			m.report(v, item, "is "+kindName(v)+"; a matrix varies single values")
		case isNull(v):
			m.report(v, item, "has no value; write one, or leave the item out")
		case twice:
			m.report(v, item, fmt.Sprintf("%s is item [%d] too; values must differ", v.Value, before))
		}
		seen[v.Value] = i
	}
	return list.Content
}

// varied are the keys that a matrix may have, beside those of sysctl.
func varied() schema {
	s := schema{keys: []string{"duration", "warmup", "interval", "flows"}}
	for _, in := range []struct {
		name string
		of   schema
	}{{"path", pathKeys}, {"drop", dropKeys}} {
		for _, key := range in.of.keys {
			s.keys = append(s.keys, in.name+"."+key)
		}
		for _, key := range in.of.later {
			s.later = append(s.later, in.name+"."+key)
		}
	}
	return s
}

// checkFactor says whether a key can be varied, and is not fixed elsewhere.
func (m *mapping) checkFactor(f factor, root *yaml.Node) {
	key := join("matrix", f.name)
	if problem := factorProblem(f.name); problem != "" {
		m.report(f.key, key, problem)
		return
	}
	m.checkFixed(f, root)
	if name, found := strings.CutPrefix(f.name, "sysctl."); found {
		m.checkArmsLack(f, name, root)
	}
}

func factorProblem(name string) string {
	top, _, below := strings.Cut(name, ".")
	v := varied()
	switch {
	case top == "sysctl" && below:
		return "" // its name is judged where it is read
	case slices.Contains([]string{"path", "drop", "sysctl"}, name):
		return "has keys of its own; vary one of them, " + matrixForm
	case top == "algorithms" || top == "arms":
		return "what is compared is no condition; list it in " + top
	case slices.Contains(rootKeys.keys, top) && !slices.Contains(v.keys, top) && top != "path" && top != "drop":
		return "is one for all conditions; allowed: " + list(v.keys) + ", and sysctl's"
	}
	problem := v.problem(name, "")
	if problem != "" {
		problem += ", and sysctl's"
	}
	return problem
}

// checkFixed reports a key that is written outside of the matrix too. An
// override may put a matrix in the place of what a file has.
func (m *mapping) checkFixed(f factor, root *yaml.Node) {
	written := m.written(splitKey(f.name), root)
	switch {
	case written == nil || m.sets[f.key] > 0 && m.sets[written] == 0:
	case m.sets[f.key] == 0 && m.sets[written] > 0:
		m.report(written, f.name, fmt.Sprintf("is varied by matrix (%s); set matrix.%s=[...] instead", m.places(f.key), f.name))
	default:
		m.report(f.key, join("matrix", f.name), fmt.Sprintf("%s has one value %s; keep one of the two", f.name, m.place(written)))
	}
}

// written is where a key of the file is, nil where it is not.
func (m *mapping) written(keys []string, root *yaml.Node) *yaml.Node {
	in := root
	for i, key := range keys {
		k, v := entry(in, key)
		if k == nil || i == len(keys)-1 {
			return k
		}
		if i == 0 {
			v = onlyRule(key, v)
		}
		if v.Kind != yaml.MappingNode {
			return nil
		}
		in = v
	}
	return nil
}

// checkArmsLack reports an arm with a sysctl of its own that the matrix varies:
// the matrix would not reach it.
func (m *mapping) checkArmsLack(f factor, name string, root *yaml.Node) {
	_, arms := entry(root, "arms")
	if arms == nil || arms.Kind != yaml.SequenceNode {
		return
	}
	for i, arm := range arms.Content {
		if arm.Kind != yaml.MappingNode {
			continue
		}
		if k := m.written([]string{"sysctl", name}, arm); k != nil {
			m.report(f.key, join("matrix", f.name), fmt.Sprintf(
				"arms[%d] sets it for itself (%s), so the matrix would not reach that arm; keep one of the two", i, m.places(k)))
		}
	}
}
