package experiment

import (
	"cmp"
	"slices"

	"gopkg.in/yaml.v3"
)

// openKeys are dotted keys whose value is not known, because what a matrix has
// of them is wrong. Nothing is said of them, or with regard to them.
type openKeys map[string]bool

func (o openKeys) has(key string) bool { return len(o) > 0 && o[inOnlyRule(key)] }

// guess opens the keys that were probably meant by factors whose name is none,
// unless they are written as well.
func (m *mapping) guess(open openKeys, factors []factor, root *yaml.Node) {
	names := varied().keys
	for _, f := range factors {
		if factorProblem(f.name) == "" {
			continue
		}
		meant := cmp.Or(nearest(f.name, names), withLast(f.name, names))
		named := slices.ContainsFunc(factors, func(f factor) bool { return f.name == meant })
		if meant != "" && !named && m.written(splitKey(meant), root) == nil {
			open[meant] = true
		}
	}
}

// single leaves out factors whose name others have too: none is more right.
func (o openKeys) single(factors []factor) []factor {
	times := map[string]int{}
	for _, f := range factors {
		times[f.name]++
	}
	return slices.DeleteFunc(factors, func(f factor) bool {
		o[f.name] = o[f.name] || times[f.name] > 1
		return o[f.name]
	})
}

// fitting leaves out the factors that make too many conditions.
func (o openKeys) fitting(factors []factor) []factor {
	total := 1
	return slices.DeleteFunc(factors, func(f factor) bool {
		if total*len(f.values) > maxConditions {
			o[f.name] = true
			return true
		}
		total *= len(f.values)
		return false
	})
}
