package experiment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// conditions reads the file once for each combination of the matrix's values,
// as if they were written in it: so each is held to the rules of the file.
func (m *mapping) conditions(e *Experiment) {
	factors, open := m.factors(m.node)
	g := grid(factors)
	for _, f := range g {
		e.Factors = append(e.Factors, f.name)
	}
	var found findings
	for i := range g.size() {
		c, errs := m.conditionOf(g, i, open)
		e.Conditions = append(e.Conditions, c)
		if !m.sound("matrix") { // which may be where the key was to come from
			errs = slices.DeleteFunc(errs, func(err *Error) bool { return err.absent })
		}
		found.add(errs, i)
	}
	m.errs = append(m.errs, found.told(g, m.errs, m.sets)...)
	if m.sound("matrix") && len(found.errs) == 0 {
		m.checkSame(g, e.Conditions)
	}
}

// conditionOf reads the file with the i-th combination of values in it.
func (m *mapping) conditionOf(g grid, i int, open openKeys) (Condition, Errors) {
	d := &decoder{file: m.file, sets: m.sets, open: open}
	root, labels := clone(m.node, m.sets), map[string]string{}
	for j, v := range g.values(i) {
		d.assign(root, splitKey(g[j].name), v, g[j].key)
		labels[g[j].name] = v.Value
	}
	c := d.mapping(root, "", rootKeys).condition()
	c.Labels = labels
	return c, d.errs
}

// clone copies the mappings and lists of a tree, into which values are to be
// put; what is in them is shared.
func clone(n *yaml.Node, sets map[*yaml.Node]int) *yaml.Node {
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return n
	}
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, part := range n.Content {
		c.Content[i] = clone(part, sets)
	}
	if number := sets[n]; number > 0 {
		sets[&c] = number
	}
	return &c
}

// grid numbers the combinations of the factors' values; the last factor
// changes fastest. Without factors there is one, of nothing.
type grid []factor

func (g grid) size() int {
	total := 1
	for _, f := range g {
		total *= len(f.values)
	}
	return total
}

// indices are the places of a combination's values in their lists.
func (g grid) indices(i int) []int {
	at := make([]int, len(g))
	for j := len(g) - 1; j >= 0; j-- {
		at[j] = i % len(g[j].values)
		i /= len(g[j].values)
	}
	return at
}

func (g grid) values(i int) []*yaml.Node {
	values := make([]*yaml.Node, len(g))
	for j, at := range g.indices(i) {
		values[j] = g[j].values[at]
	}
	return values
}

// findings are what is wrong with conditions, each once with the conditions
// that have it.
type findings struct {
	errs []*Error
	in   map[Error][]int
}

func (f *findings) add(errs Errors, condition int) {
	if f.in == nil {
		f.in = map[Error][]int{}
	}
	for _, err := range errs {
		if f.in[*err] == nil {
			f.errs = append(f.errs, err)
		}
		if at := f.in[*err]; len(at) == 0 || at[len(at)-1] != condition {
			f.in[*err] = append(at, condition)
		}
	}
}

// told are the findings that are not known already, each with what the
// conditions that have it have in common, where others have not.
func (f *findings) told(g grid, known Errors, sets map[*yaml.Node]int) Errors {
	var all Errors
	for _, err := range f.errs {
		if slices.ContainsFunc(known, func(k *Error) bool { return *k == *err }) {
			continue
		}
		in := f.in[*err]
		if where := g.common(in, err, sets); len(in) < g.size() && where != "" {
			err.Problem += " (where " + where + ")"
		}
		all = append(all, err)
	}
	return all
}

// common are the values that all the given conditions share, without the one
// that the error is about.
func (g grid) common(conditions []int, err *Error, sets map[*yaml.Node]int) string {
	var words []string
	for j, f := range g {
		at := g.indices(conditions[0])[j]
		same := !slices.ContainsFunc(conditions, func(i int) bool { return g.indices(i)[j] != at })
		if v := f.values[at]; same && !isAt(err, v, sets) {
			words = append(words, f.name+" is "+v.Value)
		}
	}
	return strings.Join(words, " and ")
}

// isAt says whether an error is reported at a value.
func isAt(err *Error, v *yaml.Node, sets map[*yaml.Node]int) bool {
	return err.Set == 0 && err.Line == v.Line && err.Column == v.Column || err.Set > 0 && err.Set == sets[v]
}

// checkSame reports a value that always makes the same conditions as another
// one of its list: they would be measured twice under two names.
func (m *mapping) checkSame(g grid, conditions []Condition) {
	for j, f := range g {
		for b, v := range f.values {
			for a := range b {
				if g.alwaysSame(conditions, j, a, b) {
					m.report(v, fmt.Sprintf("%s[%d]", join("matrix", f.name), b), fmt.Sprintf(
						"%s is the same as %s; remove one", v.Value, f.values[a].Value))
					break
				}
			}
		}
	}
}

// alwaysSame compares the conditions that differ in nothing but the j-th
// factor, which is its a-th value in one and its b-th in the other.
func (g grid) alwaysSame(conditions []Condition, j, a, b int) bool {
	step := 1 // between neighbours in factor j
	for _, f := range g[j+1:] {
		step *= len(f.values)
	}
	for i := range conditions {
		if g.indices(i)[j] == a && !conditions[i].same(&conditions[i+(b-a)*step]) {
			return false
		}
	}
	return true
}

// same says whether two conditions are one to the trials under them.
func (c *Condition) same(o *Condition) bool {
	bare := func(c *Condition) Condition {
		b := *c
		b.Labels, b.Default, b.Path.Default, b.Path.Buffer.Text, b.Sysctl = nil, nil, nil, "", nil
		return b
	}
	return reflect.DeepEqual(bare(c), bare(o)) && sameSysctl(c.Sysctl, o.Sysctl)
}
