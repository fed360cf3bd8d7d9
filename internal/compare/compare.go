package compare

import (
	"cmp"
	"fmt"
	"slices"

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
// the options ask for (a *UsageError), or when its trials cannot be assigned to
// arms and conditions; what merely weakens a number is a warning of the table.
func New(file *result.File, opts Options) (*Table, error) {
	groups, err := group(file)
	if err != nil {
		return nil, err
	}
	t := &Table{Header: file.Header, Kernels: kernels(file.Hosts)}
	for _, g := range groups {
		t.Rows = append(t.Rows, g.row)
	}
	t.Arms = total(t.Rows, len(file.Header.Arms))
	base, err := t.setBaseline(opts.Baseline)
	if err != nil {
		return nil, err
	}
	if err := t.setColumns(opts.Metrics); err != nil {
		return nil, err
	}
	conditions := len(groups) / len(t.Arms)
	t.Comparisons = len(t.Compared) * (len(t.Arms) - 1) * conditions
	weak := newWeaknesses(groups, conditions)
	for i := range t.Compared {
		t.compare(&t.Compared[i], groups, base, weak)
	}
	for i := range t.Described {
		describe(&t.Described[i], groups, weak)
	}
	t.Described = slices.DeleteFunc(t.Described, empty)
	t.Warnings = append(fileWarnings(file, groups, weak, t.Kernels), weak.lines()...)
	return t, nil
}

// setBaseline returns the index of the baseline among the arms.
func (t *Table) setBaseline(asked string) (int, error) {
	t.Baseline = cmp.Or(asked, t.Header.Baseline, t.Arms[0].Name)
	i := slices.IndexFunc(t.Arms, func(a Arm) bool { return a.Name == t.Baseline })
	switch {
	case i < 0 && asked != "":
		return 0, unknown(asked, armNames(t.Header.Arms), "choosing the baseline: there is no arm %q; the arms are %s", asked, armList(t.Header.Arms))
	case i < 0:
		return 0, fmt.Errorf("choosing the baseline: the header names %q, which is no arm; the arms are %s", t.Baseline, armList(t.Header.Arms))
	}
	return i, nil
}

// setColumns makes empty columns of the metrics asked for and of those shown
// beside them.
func (t *Table) setColumns(asked []string) error {
	compared := asked
	if len(asked) == 0 {
		compared = []string{Primary}
	}
	for i, name := range compared {
		m, ok := t.metric(name)
		switch {
		case !ok && len(asked) == 0:
			return fmt.Errorf("choosing metrics: the file has no metric %q, which is compared unless others are named; it has %s", name, t.metricList())
		case !ok:
			return unknown(name, t.metricNames(), "choosing metrics: there is no metric %q; there are %s", name, t.metricList())
		case slices.Contains(asked[:i], name):
			return unknown(name, t.metricNames(), "choosing metrics: %q is named twice", name)
		}
		t.Compared = append(t.Compared, Column{Metric: m, Margin: margin(name)})
	}
	for _, name := range described {
		m, ok := t.metric(name)
		if !ok || slices.Contains(compared, name) {
			continue // an older file may not have it, and nobody asked
		}
		t.Described = append(t.Described, Column{Metric: m, Margin: margin(name)})
	}
	return nil
}

// metric finds a definition in the file, which knows its units best.
func (t *Table) metric(name string) (result.Metric, bool) {
	i := slices.IndexFunc(t.Header.Metrics, func(m result.Metric) bool { return m.Name == name })
	if i < 0 {
		return result.Metric{}, false
	}
	return t.Header.Metrics[i], true
}

func margin(metric string) float64 {
	if m, ok := margins[metric]; ok {
		return m
	}
	return defaultMargin
}

// compare fills a column with summaries and comparisons. Each row is held
// against the one of arm base under the same condition.
func (t *Table) compare(c *Column, groups []armTrials, base int, weak *weaknesses) {
	describe(c, groups, weak)
	for i, g := range groups {
		cell := &c.Cells[i]
		where := place{g.under, c.Metric.Name + ", " + g.row.Name}
		weak.add(where, cell.Summary.Warnings...)
		if g.row.Name == t.Baseline {
			continue
		}
		where.what += " vs " + t.Baseline
		t.judge(c, cell, groups[g.row.Condition*len(t.Arms)+base], g, func(warnings ...string) { weak.add(where, warnings...) })
	}
}

// judge compares a cell with the baseline's values.
func (t *Table) judge(c *Column, cell *Cell, base, g armTrials, warn func(...string)) {
	comparison, unpaired := compareValues(base.values(c.Metric.Name), g.values(c.Metric.Name), stats.JointLevel(Level, t.Comparisons))
	warn(append(unpaired, comparison.Warnings...)...)
	cell.Comparison = &comparison
	cell.Verdict, cell.More = verdict(comparison, c.Metric.Better, c.Margin)
	if c.Metric.Better != result.Neither && (base.unlimited() || g.unlimited()) {
		cell.Verdict, cell.More, cell.Because = stats.None, 0, onlyProcessors
		warn("no verdict, as " + onlyProcessors + ": give the path a rate or a drop rule")
	}
	cut(comparison.Delta.Interval)
}

const onlyProcessors = "nothing but the processors limited the flows"

// cut takes from the interval of a relative difference what no metric can be:
// below -100 %. It comes after the verdict, which it cannot change, and after
// the estimate of repetitions, which needs the whole width.
func cut(i *stats.Interval) {
	if i != nil && i.High > -1 {
		i.Low = max(i.Low, -1)
	}
}

// describe fills a column with summaries.
func describe(c *Column, groups []armTrials, weak *weaknesses) {
	for _, g := range groups {
		values := g.values(c.Metric.Name)
		if missing := g.row.Usable - len(values); missing > 0 && len(values) > 0 {
			weak.add(place{g.under, c.Metric.Name + ", " + g.row.Name},
				fmt.Sprintf("%d of %d usable trials have no value and are left out", missing, g.row.Usable))
		}
		c.Cells = append(c.Cells, Cell{Summary: stats.Summarize(inOrder(values)), Suspect: g.suspects(values), Verdict: stats.None})
	}
}

// empty reports whether no row has a value.
func empty(c Column) bool {
	return !slices.ContainsFunc(c.Cells, func(cell Cell) bool { return cell.Summary.N > 0 })
}

func verdict(c stats.Comparison, better result.Better, margin float64) (stats.Verdict, int) {
	if better == result.Neither {
		return stats.None, 0
	}
	return c.Verdict(margin, better == result.Higher), c.More(margin)
}
