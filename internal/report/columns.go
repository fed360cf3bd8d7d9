package report

import (
	"fmt"
	"math"

	"ccbench/internal/compare"
	"ccbench/internal/stats"
	"ccbench/internal/unit"
)

// grid is a table laid out: cells are text, the first column is the arm's name.
type grid struct {
	title  string
	header []string
	rows   [][]string
}

// grids are the tables of a comparison in the order in which they are shown:
// each compared metric in full, then the described ones side by side.
func grids(t *compare.Table) []grid {
	var all []grid
	for _, c := range t.Compared {
		all = append(all, compared(t, c))
	}
	if len(t.Described) > 0 {
		all = append(all, described(t))
	}
	return all
}

// compared is one metric in full, with deltas to the baseline.
func compared(t *compare.Table, c compare.Column) grid {
	scale, decimals := columnScale(c), columnDecimals(c)
	n := countColumn(t, c)
	g := grid{
		title:  fmt.Sprintf("%s, %s%s", clean(c.Metric.Name), scale.Unit, direction(c.Metric.Better)),
		header: []string{"arm", n[0], "mean", "stddev", "median", "min", "max", "delta", fmt.Sprintf("%.0f%% interval", compare.Level*100)},
	}
	for i, cell := range c.Cells {
		row := []string{clean(t.Arms[i].Name), n[i+1]}
		s := cell.Summary
		for _, v := range []float64{s.Mean, s.Stddev, s.Median, s.Min, s.Max} {
			row = append(row, minus(scale.Format(v)))
		}
		g.rows = append(g.rows, append(row, deltaCells(cell, scale, decimals)...))
	}
	return g
}

// countColumn is the header and a cell for each arm: values averaged, trials
// there should be, and how many of the values are of SUSPECT trials, as in
// "5/6 2?". Cells are padded so that the counts stand below each other.
func countColumn(t *compare.Table, c compare.Column) []string {
	marks, widest := make([]string, len(c.Cells)), 0
	for i, cell := range c.Cells {
		if cell.Suspect > 0 {
			marks[i] = fmt.Sprintf(" %d?", cell.Suspect)
		}
		widest = max(widest, len(marks[i]))
	}
	column := []string{fmt.Sprintf("n%*s", widest, "")}
	for i, cell := range c.Cells {
		column = append(column, fmt.Sprintf("%d/%d%-*s", cell.Summary.N, t.Arms[i].Total(), widest, marks[i]))
	}
	return column
}

// deltaCells are the delta to the baseline and its interval: in percent, or in
// the column's unit where there is no percentage.
func deltaCells(cell compare.Cell, scale unit.Scale, decimals int) []string {
	if cell.Comparison == nil {
		return []string{"baseline", ""}
	}
	d := shown(*cell.Comparison, scale, "pp", decimals)
	return []string{d.value, d.interval}
}

// columnScale suits all arms of a metric.
func columnScale(c compare.Column) unit.Scale {
	var means, spreads []float64
	for _, cell := range c.Cells {
		means = append(means, cell.Summary.Mean)
		spreads = append(spreads, cell.Summary.Stddev)
	}
	return unit.NewScale(c.Metric.Unit, means, spreads)
}

// columnDecimals are those of the percentage that needs most, less one where
// the largest would have more than five digits.
func columnDecimals(c compare.Column) int {
	decimals, largest := 0, 0.0
	for _, cell := range c.Cells {
		if cell.Comparison != nil && relative(*cell.Comparison) {
			decimals = max(decimals, tableDecimals(cell.Comparison.Delta))
			largest = max(largest, magnitude(cell.Comparison.Delta))
		}
	}
	if decimals > 0 && len(unit.Fixed(largest*100, decimals)) > len("123.45") {
		decimals--
	}
	return decimals
}

// magnitude is the largest of an estimate's printed numbers, without its sign.
func magnitude(e stats.Estimate) float64 {
	m := math.Abs(e.Value)
	if i := e.Interval; i != nil {
		m = max(m, math.Abs(i.Low), math.Abs(i.High))
	}
	return m
}

// described are the other metrics side by side.
func described(t *compare.Table) grid {
	columns := [][]string{armColumn(t)}
	for _, c := range t.Described {
		columns = append(columns, meanColumn(c))
	}
	g := grid{title: "other metrics, mean ± stddev"}
	g.header, g.rows = transpose(columns)
	return g
}

// armColumn has a header of two lines, as meanColumn has.
func armColumn(t *compare.Table) []string {
	column := []string{"arm\n"}
	for _, a := range t.Arms {
		column = append(column, clean(a.Name))
	}
	return column
}

// meanColumn is a header (name, unit) and a cell for each arm. Spreads are
// padded so that the signs stand below each other.
func meanColumn(c compare.Column) []string {
	scale := columnScale(c)
	widest := 0
	for _, cell := range c.Cells {
		widest = max(widest, len(scale.Format(cell.Summary.Stddev)))
	}
	column := []string{clean(c.Metric.Name) + "\n" + scale.Unit}
	for _, cell := range c.Cells {
		text := minus(scale.Format(cell.Summary.Mean))
		if cell.Summary.N > 0 {
			text += fmt.Sprintf(" ± %*s", widest, scale.Format(cell.Summary.Stddev))
		}
		column = append(column, text)
	}
	return column
}

// transpose makes a header and rows out of columns of one length.
func transpose(columns [][]string) ([]string, [][]string) {
	rows := make([][]string, len(columns[0]))
	for _, column := range columns {
		for i, cell := range column {
			rows[i] = append(rows[i], cell)
		}
	}
	return rows[0], rows[1:]
}
