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

type sheetCondition struct {
	Labels map[string]string `json:"labels"`
	Path   map[string]string `json:"path"`
	Arms   []sheetCount      `json:"arms"`
}

// sheetCount counts an arm's trials under one condition.
type sheetCount struct {
	Name    string `json:"name"`
	Planned int    `json:"planned"`
	Usable  int    `json:"usable"`
	Suspect int    `json:"suspect"`
	Invalid int    `json:"invalid"`
}

// sheetConditions has the counts of arms that the rows have.
func sheetConditions(t *compare.Table) []sheetCondition {
	var conditions []sheetCondition
	for _, c := range t.Header.Conditions {
		conditions = append(conditions, sheetCondition{Labels: c.Labels, Path: orEmpty(c.Path)})
	}
	if len(conditions) == 0 {
		return nil
	}
	for _, r := range t.Rows {
		arms := &conditions[r.Condition].Arms
		*arms = append(*arms, sheetCount{r.Name, r.Planned, r.Usable, r.Suspect, r.Invalid})
	}
	return conditions
}

// labels are those of a row's condition, nil where there is but one.
func labels(t *compare.Table, r compare.Row) map[string]string {
	if len(t.Header.Conditions) == 0 {
		return nil
	}
	return t.Header.Conditions[r.Condition].Labels
}
