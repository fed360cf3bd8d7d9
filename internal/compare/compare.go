package compare

import (
	"fmt"
	"slices"
	"strings"

	"ccbench/internal/result"
	"ccbench/internal/stats"
)

// Options choose what is compared. The zero value is the default.
type Options struct {
	// Metrics to compare, the deciding one first; none means Primary.
	Metrics []string
	// Baseline is the arm that others are held against; "" means the file's.
	Baseline string
}

// New makes the table of a file. It fails when the file does not have what
// the options ask for, or when its trials cannot be assigned to arms; what
// merely weakens a number is a warning of the table.
func New(file *result.File, opts Options) (*Table, error) {
	groups, err := group(file)
	if err != nil {
		return nil, err
	}
	t := &Table{Header: file.Header, Kernels: kernels(file.Hosts)}
	for _, g := range groups {
		t.Arms = append(t.Arms, g.arm)
	}
	base, err := t.setBaseline(opts.Baseline)
	if err != nil {
		return nil, err
	}
	if err := t.setColumns(opts.Metrics); err != nil {
		return nil, err
	}
	t.Comparisons = len(t.Compared) * (len(groups) - 1)
	var weak weaknesses
	for i := range t.Compared {
		t.compare(&t.Compared[i], groups, base, &weak)
	}
	for i := range t.Described {
		describe(&t.Described[i], groups, &weak)
	}
	t.Described = slices.DeleteFunc(t.Described, empty)
	t.Warnings = append(fileWarnings(file, groups, t.Kernels), weak.lines()...)
	return t, nil
}

// setBaseline returns the index of the baseline.
func (t *Table) setBaseline(name string) (int, error) {
	if name == "" {
		name = t.Header.Baseline
	}
	names := make([]string, len(t.Arms))
	for i, a := range t.Arms {
		names[i] = a.Name
	}
	if name == "" {
		name = names[0]
	}
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("choosing the baseline: there is no arm %q; the arms are %s", name, strings.Join(names, ", "))
	}
	t.Baseline = name
	return i, nil
}

// setColumns makes empty columns of the metrics asked for and of those shown
// beside them.
func (t *Table) setColumns(asked []string) error {
	if len(asked) == 0 {
		asked = []string{Primary}
	}
	for i, name := range asked {
		m, err := t.metric(name)
		if err != nil {
			return err
		}
		if slices.Contains(asked[:i], name) {
			return fmt.Errorf("choosing metrics: %q is named twice", name)
		}
		t.Compared = append(t.Compared, Column{Metric: m, Margin: margin(name)})
	}
	for _, name := range described {
		m, err := t.metric(name)
		if err != nil || slices.Contains(asked, name) {
			continue // an older file may not have it, and nobody asked
		}
		t.Described = append(t.Described, Column{Metric: m, Margin: margin(name)})
	}
	return nil
}

// metric finds a definition in the file, which knows its units best.
func (t *Table) metric(name string) (result.Metric, error) {
	var names []string
	for _, m := range t.Header.Metrics {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return result.Metric{}, fmt.Errorf("choosing metrics: the file has no metric %q; it has %s", name, strings.Join(names, ", "))
}

func margin(metric string) float64 {
	if m, ok := margins[metric]; ok {
		return m
	}
	return defaultMargin
}

// compare fills a column with summaries and comparisons.
func (t *Table) compare(c *Column, groups []armTrials, base int, weak *weaknesses) {
	describe(c, groups, weak)
	baseline := groups[base].values(c.Metric.Name)
	for i, g := range groups {
		cell := &c.Cells[i]
		where := c.Metric.Name + ", " + g.arm.Name
		weak.add(where, cell.Summary.Warnings...)
		if i == base {
			continue
		}
		comparison, unpaired := compareValues(baseline, g.values(c.Metric.Name), stats.JointLevel(Level, t.Comparisons))
		weak.add(where+" vs "+t.Baseline, append(unpaired, comparison.Warnings...)...)
		cell.Comparison = &comparison
		cell.Verdict, cell.More = judge(comparison, c.Metric.Better, c.Margin)
	}
}

// describe fills a column with summaries.
func describe(c *Column, groups []armTrials, weak *weaknesses) {
	for _, g := range groups {
		values := g.values(c.Metric.Name)
		if missing := g.arm.Usable - len(values); missing > 0 && len(values) > 0 {
			weak.add(c.Metric.Name+", "+g.arm.Name, fmt.Sprintf("%d of %d usable trials have no value and are left out", missing, g.arm.Usable))
		}
		c.Cells = append(c.Cells, Cell{Summary: stats.Summarize(inOrder(values)), Verdict: stats.None})
	}
}

// empty reports whether no arm has a value.
func empty(c Column) bool {
	return !slices.ContainsFunc(c.Cells, func(cell Cell) bool { return cell.Summary.N > 0 })
}

func judge(c stats.Comparison, better result.Better, margin float64) (stats.Verdict, int) {
	if better == result.Neither {
		return stats.None, 0
	}
	return c.Verdict(margin, better == result.Higher), c.More(margin)
}
