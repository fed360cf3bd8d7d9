package compare

import (
	"fmt"
	"strings"

	"ccbench/internal/result"
)

// UsageError is an option that names what the file does not have: it is what
// was asked for that is wrong, not the file.
type UsageError struct {
	Asked string   // the name in question
	Known []string // the names that the file has
	text  string
}

func (e *UsageError) Error() string { return e.text }

func unknown(asked string, known []string, format string, args ...any) error {
	return &UsageError{asked, known, fmt.Sprintf(format, args...)}
}

// armList names the arms, with what the kernel calls the algorithm where that
// is another name: it may be the one that was asked for.
func armList(arms []result.Arm) string {
	var names []string
	for _, a := range arms {
		name := a.Name
		if a.Kernel != "" && a.Kernel != a.Name {
			name += " (" + a.Kernel + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func armNames(arms []result.Arm) []string {
	var names []string
	for _, a := range arms {
		names = append(names, a.Name)
	}
	return names
}

func (t *Table) metricNames() []string {
	var names []string
	for _, m := range t.Header.Metrics {
		names = append(names, m.Name)
	}
	return names
}

func (t *Table) metricList() string { return strings.Join(t.metricNames(), ", ") }
