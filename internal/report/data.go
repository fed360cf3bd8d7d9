package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf16"

	"ccbench/internal/compare"
)

// JSON writes the table as one object, which docs/results.md describes. It is
// ASCII where the names in it are, its minus signs included.
func JSON(w io.Writer, t *compare.Table) error {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(newSheet(t)); err != nil {
		return fmt.Errorf("writing the table as JSON: %w", err)
	}
	return write(w, escaped(out.String()))
}

// escaped writes what a terminal might obey as JSON's escapes, which only
// strings can need.
func escaped(text string) []byte {
	var out []byte
	for _, r := range text {
		if r == '\n' || unicode.IsPrint(r) {
			out = append(out, string(r)...)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// csvHeader names the columns of CSV.
var csvHeader = []string{
	"arm", "metric", "unit", "better", "n", "total", "suspect", "mean", "stddev", "median", "min", "max",
	"delta", "delta_low", "delta_high", "level", "paired", "verdict",
	"baseline", "difference", "difference_low", "difference_high",
}

// CSV writes one row for each metric, condition and arm (RFC 4180, with a header
// row), in base units; what is absent is empty. The factors of the conditions
// are columns after csvHeader. docs/results.md describes all of them.
func CSV(w io.Writer, t *compare.Table) error {
	var out bytes.Buffer
	table := csv.NewWriter(&out)
	table.UseCRLF = true
	s := newSheet(t)
	header := slices.Clone(csvHeader)
	for _, factor := range s.Factors {
		header = append(header, clean(factor))
	}
	rows := [][]string{header}
	for _, m := range s.Metrics {
		for _, cell := range m.Cells {
			row := csvRow(s, m, cell)
			for _, factor := range s.Factors {
				row = append(row, clean(cell.Condition[factor]))
			}
			rows = append(rows, row)
		}
	}
	if err := table.WriteAll(rows); err != nil {
		return fmt.Errorf("writing the table as CSV: %w", err)
	}
	return write(w, out.Bytes())
}

func csvRow(s sheet, m sheetMetric, c sheetCell) []string {
	row := []string{
		clean(c.Arm), clean(m.Name), clean(m.Unit), clean(string(m.Better)),
		strconv.Itoa(c.N), strconv.Itoa(c.Total), strconv.Itoa(c.Suspect),
		plain(c.Mean), plain(c.Stddev), plain(c.Median), plain(c.Min), plain(c.Max),
	}
	d := c.Comparison
	if d == nil {
		return append(row, make([]string, len(csvHeader)-len(row))...)
	}
	paired := ""
	if d.Paired != nil {
		paired = strconv.FormatBool(*d.Paired)
	}
	return append(row, plain(d.Delta), plain(d.DeltaLow), plain(d.DeltaHigh), plain(d.Level), paired, string(d.Verdict),
		clean(s.Baseline), plain(d.Difference), plain(d.DifferenceLow), plain(d.DifferenceHigh))
}

// plain is the shortest decimal that reads back as the same number, without an
// exponent; empty for what is absent.
func plain(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}
