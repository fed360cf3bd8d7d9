package report

import (
	"maps"
	"slices"
	"strings"

	"ccbench/internal/compare"
	"ccbench/internal/result"
)

// conditionPath is what a condition has that others do not.
type conditionPath struct {
	name  string
	words []string
}

// conditionPaths say of each condition what its factors do not: the bytes of a
// buffer of 1bdp, where the RTT varies. One that is wholly told by its name is
// left out.
func conditionPaths(t *compare.Table) []conditionPath {
	var paths []conditionPath
	for _, c := range t.Header.Conditions {
		path := maps.Clone(c.Path)
		maps.DeleteFunc(path, func(key, value string) bool { return told(t.Header.Factors, c, key, value) })
		if len(path) > 0 {
			name := clean(result.ConditionName(t.Header.Factors, c.Labels))
			paths = append(paths, conditionPath{name, pathWords(path)})
		}
	}
	return paths
}

// told reports whether a factor says as much: path.rtt=10ms is rtt=10ms.
func told(factors []string, c result.Condition, key, value string) bool {
	return slices.ContainsFunc(factors, func(factor string) bool {
		return strings.TrimPrefix(factor, "path.") == key && c.Labels[factor] == value
	})
}
