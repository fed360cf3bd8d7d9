package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// decoder collects what is wrong with one file while it is read.
type decoder struct {
	file string
	errs Errors
	sets map[*yaml.Node]int // nodes that come from an override, and its number
	open openKeys           // nothing is said of them
}

func (d *decoder) report(n *yaml.Node, key, problem string) {
	if number := d.sets[n]; number > 0 {
		d.reportSet(number, key, problem)
		return
	}
	d.reportAt(n.Line, n.Column, key, problem)
}

// reportSet reports what is wrong with an override.
func (d *decoder) reportSet(number int, key, problem string) {
	d.errs = append(d.errs, &Error{File: d.file, Set: number, Key: key, Problem: problem})
}

func (d *decoder) reportAt(line, column int, key, problem string) {
	d.errs = append(d.errs, &Error{File: d.file, Line: line, Column: column, Key: key, Problem: problem})
}

// schema is the keys of one mapping: those read, and those of schema version 1
// that this version of ccbench cannot carry out.
type schema struct {
	keys    []string
	later   []string
	example string // of such a mapping
}

// mapping is one mapping of the file after its keys were held against a schema.
type mapping struct {
	*decoder
	path   string                // dotted key of the mapping; "" for the root
	node   *yaml.Node            // where it is
	keys   map[string]*yaml.Node // what was written, the first of duplicates
	values map[string]*yaml.Node // its values, without those already reported
	wrong  map[string]bool       // keys whose value was reported, or that were probably meant by an unknown one
}

// mapping reads a mapping's keys, and reports those that s does not have. It
// returns nil if n is no mapping.
func (d *decoder) mapping(n *yaml.Node, path string, s schema) *mapping {
	if n.Kind != yaml.MappingNode {
		d.report(n, path, "is "+kindName(n)+"; it must be a mapping with "+list(s.keys)+", such as "+s.example)
		return nil
	}
	m := &mapping{d, path, n, map[string]*yaml.Node{}, map[string]*yaml.Node{}, map[string]bool{}}
	for _, key := range s.keys {
		m.wrong[key] = d.open.has(join(path, key))
	}
	for k, v := range pairs(n) {
		m.add(k, v, s)
	}
	return m
}

func (m *mapping) add(k, v *yaml.Node, s schema) {
	if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" || m.has(k.Value) {
		return // reported by checkTree
	}
	key := join(m.path, k.Value)
	if m.open.has(key) {
		return
	}
	if problem := s.problem(k.Value, m.path); problem != "" {
		m.report(k, key, problem)
		m.wrong[nearest(k.Value, s.keys)] = true
		return
	}
	m.keys[k.Value] = k
	switch {
	case isNull(v):
		m.report(k, key, "has no value; write one, or leave the key out")
	case v.Kind != yaml.AliasNode:
		m.values[k.Value] = v
	}
}

// problem says why a key of the mapping at path is not read, "" if it is.
func (s schema) problem(key, path string) string {
	switch {
	case slices.Contains(s.keys, key):
		return ""
	case slices.Contains(s.later, key):
		return "not supported yet; this version reads " + list(s.keys)
	}
	near := cmp.Or(hint(key, slices.Concat(s.keys, s.later)), elsewhere(key, path))
	return "unknown key" + near + "; allowed: " + list(s.keys)
}

// has says whether a key was written, with whatever value.
func (m *mapping) has(key string) bool { return m.keys[key] != nil }

// sound says whether nothing was reported of the values of keys, written or
// default: only then can they be held against each other.
func (m *mapping) sound(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool {
		return m.wrong[key] || m.has(key) && m.values[key] == nil
	})
}

// fail reports what is wrong with a key at its value, or at the mapping when
// the key was not written.
func (m *mapping) fail(key, format string, args ...any) {
	m.wrong[key] = true
	n := m.node
	if m.has(key) {
		n = m.keys[key]
	}
	if v := m.values[key]; v != nil {
		n = v
	}
	m.report(n, join(m.path, key), fmt.Sprintf(format, args...))
	m.errs[len(m.errs)-1].absent = !m.has(key)
}

// refuse reports a key that was written where it has no meaning.
func (m *mapping) refuse(key, why string) {
	if k := m.keys[key]; k != nil {
		m.report(k, join(m.path, key), why)
	}
}

// missing returns those of the keys that were not written.
func (m *mapping) missing(keys ...string) []string {
	return slices.DeleteFunc(slices.Clone(keys), m.has)
}

func list(names []string) string { return strings.Join(names, ", ") }
