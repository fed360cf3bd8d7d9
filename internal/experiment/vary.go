package experiment

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// toVary says of a list where one value belongs how a matrix would have it, ""
// where none could. key is the dotted one of the value.
func (d *decoder) toVary(key string, n *yaml.Node) string {
	key = inOnlyRule(key)
	sysctl, isSysctl := strings.CutPrefix(key, "sysctl.")
	if n.Kind != yaml.SequenceNode || factorProblem(key) != "" || isSysctl && sysctlKey(sysctl) != "" {
		return ""
	}
	written, such := plainValues(n), ""
	if written == "" {
		key, written, such = "path.rtt", "10ms, 40ms", "its values as in "
	}
	if d.sets[n] > 0 {
		return fmt.Sprintf("; to vary it, write %s--set 'matrix.%s=[%s]'", such, key, written)
	}
	return fmt.Sprintf("; to vary it, write %smatrix: {%s: [%s]}", such, key, written)
}

// inOnlyRule is the key of a value in the one rule of a list as a matrix has it.
func inOnlyRule(key string) string { return strings.Replace(key, "drop[0].", "drop.", 1) }

// plainValues are a list's values as they may stand in any list and between
// quotes of a shell, "" where they are none, many or not plain.
func plainValues(n *yaml.Node) string {
	const most, longest = 8, 24
	var all []string
	for _, v := range n.Content {
		plain := isSingle(v) && v.Style == 0 && !isNull(v) && strings.Trim(v.Value, letters+"._-% ") == ""
		if !plain || len(v.Value) > longest || slices.Contains(all, v.Value) || len(all) == most {
			return ""
		}
		all = append(all, v.Value)
	}
	return strings.Join(all, ", ")
}

func isSingle(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode }

func allSingle(nodes []*yaml.Node) bool {
	return !slices.ContainsFunc(nodes, func(n *yaml.Node) bool { return !isSingle(n) })
}
