package report

import (
	"fmt"
	"math"

	"ccbench/internal/compare"
	"ccbench/internal/stats"
	"ccbench/internal/unit"
)

// sentences say in words what each comparison came to.
func sentences(t *compare.Table) []string {
	var lines []string
	for _, c := range t.Compared {
		for row, cell := range c.Cells {
			if cell.Comparison != nil {
				lines = append(lines, sentence(t, c, row))
			}
		}
	}
	return lines
}

// sentence reads like
//
//	cubic vs newreno −33% (95% interval −35% to −31%, n=6+6, paired): goodput worse
//
// and of many times the baseline says how many:
//
//	bbr vs newreno +3083% (×31.8; 95% interval +2983% to +3190%, n=5+5, paired): goodput better
//
// and where there are several conditions begins with it:
//
//	path.rtt=10ms: cubic vs newreno −33% (...)
func sentence(t *compare.Table, c compare.Column, row int) string {
	cell := c.Cells[row]
	d := shown(*cell.Comparison, columnScale(t, c), "percentage points", sentenceDecimals(cell.Comparison.Delta))
	return fmt.Sprintf("%s%s vs %s %s (%s%s, n=%d+%d%s): %s", under(t, row), clean(t.Rows[row].Name), clean(t.Baseline), d.value,
		times(*cell.Comparison), intervalWords(d), cell.Comparison.NB, cell.Comparison.NA, pairing(*cell.Comparison), verdictWords(c, cell))
}

// under is how a sentence about a row begins.
func under(t *compare.Table, row int) string {
	if name := t.Condition(t.Rows[row]); name != "" {
		return clean(name) + ": "
	}
	return ""
}

// many is the relative difference above which a percentage is hard to read.
const many = 9

// times is the ratio of the means, to three digits, where it is above ten.
func times(c stats.Comparison) string {
	if !relative(c) || !(c.Delta.Value > many) {
		return ""
	}
	ratio := 1 + c.Delta.Value
	decimals := 1
	if ratio >= 100 {
		decimals = 0
	}
	return "×" + unit.Fixed(ratio, decimals) + "; "
}

func intervalWords(d delta) string {
	if d.interval == "" {
		return "no interval"
	}
	return fmt.Sprintf("%.0f%% interval %s", compare.Level*100, d.interval)
}

func pairing(c stats.Comparison) string {
	switch {
	case c.Difference.Interval == nil:
		return ""
	case c.Paired:
		return ", paired"
	}
	return ", unpaired"
}

func verdictWords(c compare.Column, cell compare.Cell) string {
	name := clean(c.Metric.Name)
	switch cell.Verdict {
	case stats.NoDifference:
		return fmt.Sprintf("no difference in %s beyond %g%%", name, c.Margin*100)
	case stats.Inconclusive:
		return fmt.Sprintf("%s inconclusive; %s would settle it", name, repetitions(cell.More))
	case stats.None:
		if cell.Because != "" {
			return fmt.Sprintf("no verdict on %s: %s", name, cell.Because)
		}
		return "no verdict on " + name
	}
	return fmt.Sprintf("%s %s", name, cell.Verdict)
}

func repetitions(k int) string {
	switch {
	case k > stats.MaxMore:
		return fmt.Sprintf("not even %d more repetitions", stats.MaxMore)
	case k == 1:
		return "about 1 more repetition"
	}
	return fmt.Sprintf("about %d more repetitions", k)
}

// delta is a difference ready to print.
type delta struct {
	value    string
	interval string // "" where there is none
}

// shown prints the percentage or, where the baseline is zero or too uncertain
// to divide by, the difference with its unit: that which has the interval. A
// difference of percentages is in points, as it would be taken for a relative one.
func shown(c stats.Comparison, scale unit.Scale, points string, decimals int) delta {
	if relative(c) {
		d := delta{value: percent(c.Delta.Value, decimals)}
		if i := c.Delta.Interval; i != nil {
			d.interval = percent(i.Low, decimals) + " to " + percent(i.High, decimals)
		}
		return d
	}
	in := " " + scale.Unit
	if scale.Unit == "%" {
		in = " " + points
	}
	d := delta{value: sign(scale.Format(c.Difference.Value))}
	if !math.IsNaN(c.Difference.Value) {
		d.value += in
	}
	if i := c.Difference.Interval; i != nil {
		d.interval = sign(scale.Format(i.Low)) + " to " + sign(scale.Format(i.High)) + in
	}
	return d
}

// relative reports whether a percentage stands for the comparison.
func relative(c stats.Comparison) bool {
	return !math.IsNaN(c.Delta.Value) && (c.Delta.Interval != nil || c.Difference.Interval == nil)
}

// percent prints a fraction as a signed percentage.
func percent(v float64, decimals int) string {
	return sign(unit.Fixed(v*100, decimals)) + "%"
}

// sign gives a formatted difference its sign; zero and "n/a" have none.
func sign(number string) string {
	for _, c := range number {
		switch {
		case c == '-':
			return minus(number)
		case '1' <= c && c <= '9':
			return "+" + number
		}
	}
	return number
}

// tableDecimals show two significant digits of a percentage's uncertainty.
func tableDecimals(e stats.Estimate) int {
	switch half := halfWidth(e); {
	case half >= 10:
		return 0
	case half >= 1 || math.IsNaN(half):
		return 1
	case half >= 0.1:
		return 2
	}
	return 3
}

// sentenceDecimals are those of a table, except that whole percents do where
// they show two digits and are no coarser than the interval.
func sentenceDecimals(e stats.Estimate) int {
	if i := e.Interval; i != nil && halfWidth(e) >= 0.5 {
		if nearest := min(math.Abs(e.Value), math.Abs(i.Low), math.Abs(i.High)); nearest >= 0.1 {
			return 0
		}
	}
	return tableDecimals(e)
}

// halfWidth is half the interval's width in percent, NaN without an interval.
func halfWidth(e stats.Estimate) float64 {
	if e.Interval == nil {
		return math.NaN()
	}
	return (e.Interval.High - e.Interval.Low) / 2 * 100
}
