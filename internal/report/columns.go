package report

import (
	"fmt"
	"math"

	"ccbench/internal/compare"
	"ccbench/internal/stats"
	"ccbench/internal/unit"
)

// grid is a table laid out: cells are text. The first columns name the row:
// the factors of its condition, then the arm.
type grid struct {
	title  string
	header []string
	rows   [][]string
	names  int // columns that name the row
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
	scale, decimals := columnScale(t, c), columnDecimals(c)
	n := countColumn(t, c)
	columns := append(nameColumns(t), n)
	g := grid{title: fmt.Sprintf("%s, %s%s", clean(c.Metric.Name), scale.Unit, direction(c.Metric.Better)), names: len(columns) - 1}
	g.header, g.rows = transpose(columns)
	g.header = append(g.header, "mean", "stddev", "median", "min", "max", "delta", fmt.Sprintf("%.0f%% interval", compare.Level*100))
	for i, cell := range c.Cells {
		s := cell.Summary
		for _, v := range []float64{s.Mean, s.Stddev, s.Median, s.Min, s.Max} {
			g.rows[i] = append(g.rows[i], minus(scale.Format(v)))
		}
		g.rows[i] = append(g.rows[i], deltaCells(cell, scale, decimals)...)
	}
	return g
}

// nameColumns are the factors, each with its value in the first row of a
// condition, and the arms.
func nameColumns(t *compare.Table) [][]string {
	var columns [][]string
	for _, factor := range t.Header.Factors {
		column := []string{clean(factor)}
		for i, row := range t.Rows {
			value := ""
			if i == 0 || row.Condition != t.Rows[i-1].Condition {
				value = clean(t.Header.Conditions[row.Condition].Labels[factor])
			}
			column = append(column, value)
		}
		columns = append(columns, column)
	}
	arms := []string{"arm"}
	for _, row := range t.Rows {
		arms = append(arms, clean(row.Name))
	}
	return append(columns, arms)
}

// countColumn is the header and a cell for each row: values averaged, trials
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
		column = append(column, fmt.Sprintf("%d/%d%-*s", cell.Summary.N, t.Rows[i].Total(), widest, marks[i]))
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

// columnScale suits all rows of a metric. Conditions may be far apart.
func columnScale(t *compare.Table, c compare.Column) unit.Scale {
	var means, spreads []float64
	for _, cell := range c.Cells {
		means = append(means, cell.Summary.Mean)
		spreads = append(spreads, cell.Summary.Stddev)
	}
	if len(t.Header.Conditions) > 0 {
		return unit.NewWideScale(clean(c.Metric.Unit), means, spreads)
	}
	return unit.NewScale(clean(c.Metric.Unit), means, spreads)
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
	columns := nameColumns(t)
	g := grid{title: "other metrics, mean ± stddev", names: len(columns)}
	for _, column := range columns {
		column[0] += "\n" // as meanColumn's header has two lines
	}
	for _, c := range t.Described {
		columns = append(columns, meanColumn(t, c))
	}
	g.header, g.rows = transpose(columns)
	return g
}

// meanColumn is a header (name, unit) and a cell for each row. Spreads are
// padded so that the signs stand below each other.
func meanColumn(t *compare.Table, c compare.Column) []string {
	scale := columnScale(t, c)
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
