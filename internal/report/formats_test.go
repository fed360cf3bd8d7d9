package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"html"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"ccbench/internal/compare"
	"ccbench/internal/result"
)

var formats = map[string]func(io.Writer, *compare.Table) error{
	"markdown": func(w io.Writer, t *compare.Table) error { return Markdown(w, t, Options{}) },
	"csv":      CSV,
	"json":     JSON,
}

func formatted(t *testing.T, format string, file *result.File, opts compare.Options) string {
	t.Helper()
	table, err := compare.New(file, opts)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := formats[format](&out, table); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// hostileFile has names that every format could take for something else.
func hostileFile() *result.File {
	f := makeFile([]sample{
		{`a|b\|c`, loss1pct[0].values},
		{"<b>&amp;*x* _y_ `z` [l](http://x.example) ~s~ $m$", loss1pct[1].values},
		{"- 1. \x1b[31m\u202e\U000e0001, \"q\"", loss1pct[2].values},
	})
	f.Header.Name, f.Header.Description = "# title #", "<script>alert(1)</script>"
	f.Torn = true
	return f
}

func TestFormats(t *testing.T) {
	for _, tt := range []struct {
		name string
		file *result.File
		opts compare.Options
	}{
		{"plain", makeFile(loss1pct), compare.Options{}},
		{"metrics", makeFile(loss1pct), compare.Options{Metrics: []string{"rtt_mean", "netpower"}, Baseline: "cubic"}},
		{"troubled", troubledFile(), compare.Options{}},
		{"zero", zeroFile(), compare.Options{Metrics: []string{"retransmits"}}},
		{"hostile", hostileFile(), compare.Options{}},
	} {
		for format := range formats {
			t.Run(format+"-"+tt.name, func(t *testing.T) {
				golden(t, format+"-"+tt.name, formatted(t, format, tt.file, tt.opts))
			})
		}
	}
}

// What ends a cell, and what a backslash before it takes the meaning from.
var (
	cellBorder = regexp.MustCompile(`(?:\\.|[^\\|])*\|`)
	backslash  = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)
)

// cells splits a table's row where a pipe is not escaped, and gives what a
// reader sees in each.
func cells(row string) []string {
	var seen []string
	for _, cell := range cellBorder.FindAllString(row, -1)[1:] {
		cell = strings.TrimSpace(strings.TrimSuffix(cell, "|"))
		seen = append(seen, html.UnescapeString(backslash.ReplaceAllString(cell, "$1")))
	}
	return seen
}

func TestMarkdownShowsNamesAsTheyAre(t *testing.T) {
	file := hostileFile()
	var names []string
	for line := range strings.Lines(formatted(t, "markdown", file, compare.Options{})) {
		if strings.ContainsAny(line, "<\x1b\u202e") {
			t.Errorf("not safe: %q", line)
		}
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|:") {
			continue
		}
		row := cells(strings.TrimSpace(line))
		if len(row) != 9 && len(row) != 5 {
			t.Errorf("%d cells in %s", len(row), line)
		}
		if row[0] != "arm" {
			names = append(names, row[0])
		}
	}
	var want []string
	for _, arm := range file.Header.Arms {
		want = append(want, clean(arm.Name))
	}
	want = append(want, want...) // compared, then described
	if !reflect.DeepEqual(names, want) {
		t.Errorf("a reader sees the arms %q, want %q", names, want)
	}
}

// A delimiter row has to have as many cells as the header, or there is no
// table; a line before the table has to be empty.
func TestMarkdownTablesAreTables(t *testing.T) {
	lines := strings.Split(formatted(t, "markdown", troubledFile(), compare.Options{}), "\n")
	tables := 0
	for i, line := range lines {
		if !strings.HasPrefix(line, "|:") {
			continue
		}
		tables++
		if lines[i-2] != "" || strings.Count(line, "|") != strings.Count(lines[i-1], "|") {
			t.Errorf("no table:\n%s", strings.Join(lines[i-2:i+1], "\n"))
		}
		if columns := strings.Count(line, "|") - 1; strings.Count(line, "-:|") != columns-1 {
			t.Errorf("numbers not to the right: %s", line)
		}
	}
	if tables != 2 {
		t.Errorf("%d tables, want 2", tables)
	}
}

func TestMarkdownInASCII(t *testing.T) {
	table, err := compare.New(makeFile(loss1pct), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Markdown(&out, table, Options{ASCII: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "markdown-ascii", out.String())
	for _, r := range out.String() {
		if r > unicode.MaxASCII {
			t.Errorf("%q is not ASCII", r)
		}
	}
}

// once has one value an arm: no spread, no interval.
func once() *result.File {
	f := makeFile(loss1pct)
	f.Header.Repetitions, f.Trials = 1, f.Trials[:3]
	return f
}

// What JSON writes reads back as the same numbers, to the last bit.
func TestJSONLosesNothing(t *testing.T) {
	for name, file := range map[string]*result.File{
		"plain": makeFile(loss1pct), "troubled": troubledFile(), "zero": zeroFile(), "hostile": hostileFile(), "once": once(),
	} {
		table, err := compare.New(file, compare.Options{Metrics: []string{"retransmits", "goodput"}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := JSON(&out, table); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r != '\n' && !unicode.IsPrint(r) || r == '−' {
				t.Errorf("%s: written as it is: %U", name, r)
			}
		}
		var got sheet
		d := json.NewDecoder(&out)
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := newSheet(table); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: reads back as\n%+v\nwant\n%+v", name, got, want)
		}
	}
}

func TestAbsentIsNull(t *testing.T) {
	table, err := compare.New(once(), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cubic := newSheet(table).Metrics[0].Cells[1]
	if cubic.N != 1 || cubic.Mean == nil || cubic.Stddev != nil {
		t.Errorf("of one value: %+v", cubic)
	}
	c := cubic.Comparison
	if c.Delta == nil || c.DeltaLow != nil || c.DifferenceHigh != nil || c.Level != nil || c.Paired != nil || c.More != nil {
		t.Errorf("of one pair: %+v", c)
	}
	if table, err = compare.New(zeroFile(), compare.Options{Metrics: []string{"retransmits"}}); err != nil {
		t.Fatal(err)
	}
	if c := newSheet(table).Metrics[0].Cells[1].Comparison; c.Delta != nil || c.Difference == nil || c.Level == nil {
		t.Errorf("of a baseline of zero: %+v", c)
	}
}

// CSV has the numbers of JSON, in rows of one length that end as RFC 4180 says.
func TestCSVHasTheNumbersOfJSON(t *testing.T) {
	file := troubledFile()
	file.Header.Arms[1].Name, file.Header.Baseline = `cubic, "patched"`, ""
	for _, trial := range file.Trials {
		if trial.Labels["arm"] == "cubic" {
			trial.Labels["arm"] = `cubic, "patched"`
		}
	}
	text := formatted(t, "csv", file, compare.Options{})
	if n := strings.Count(text, "\n"); n != strings.Count(text, "\r\n") || n != 1+5*3 {
		t.Errorf("%d lines, %d end with CR LF, want 16", n, strings.Count(text, "\r\n"))
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table, err := compare.New(file, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	rows = rows[1:]
	for _, m := range newSheet(table).Metrics {
		for _, c := range m.Cells {
			row := rows[0]
			rows = rows[1:]
			if row[column["arm"]] != c.Arm || row[column["metric"]] != m.Name {
				t.Errorf("row %q, want %s of %s", row, m.Name, c.Arm)
			}
			same(t, row[column["stddev"]], c.Stddev)
			if d := c.Comparison; d != nil {
				same(t, row[column["delta_low"]], d.DeltaLow)
				same(t, row[column["difference_high"]], d.DifferenceHigh)
				same(t, row[column["level"]], d.Level)
			} else if rest := strings.Join(row[column["delta"]:], ""); rest != "" {
				t.Errorf("%s of %s is not compared, and has %q", m.Name, c.Arm, rest)
			}
		}
	}
}

// same holds a field of CSV against the number as JSON would write it.
func same(t *testing.T, field string, want *float64) {
	t.Helper()
	if want == nil {
		if field != "" {
			t.Errorf("%q for what is absent", field)
		}
		return
	}
	var got float64
	if err := json.Unmarshal([]byte(field), &got); err != nil || got != *want || strings.ContainsAny(field, "eE") {
		t.Errorf("%q, want %v without an exponent", field, *want)
	}
}

func TestFormatWriteErrors(t *testing.T) {
	table, err := compare.New(makeFile(loss1pct), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range formats {
		if err := write(brokenWriter{}, table); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: error %v, want the writer's", name, err)
		}
	}
}

// A unit is text of the file too.
func TestHostileUnit(t *testing.T) {
	file := makeFile(loss1pct)
	file.Header.Metrics = slices.Clone(file.Header.Metrics)
	for i := range file.Header.Metrics {
		file.Header.Metrics[i].Unit = "x\x1b]0;owned\x07\n| forged |"
	}
	table, err := compare.New(file, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer, *compare.Table, Options) error{"text": Text, "markdown": Markdown} {
		var out bytes.Buffer
		if err := write(&out, table, Options{}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\x07") || strings.Contains(out.String(), "\n| forged") {
			t.Errorf("%s prints it as it is:\n%q", name, out.String())
		}
	}
}
