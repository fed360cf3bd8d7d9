package report

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ccbench/internal/result"
	"ccbench/internal/validity"
)

// manual is docs/results.md by section: the rows of its tables, cell by cell.
func manual(t *testing.T) map[string][][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	sections, section := map[string][][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "### "); ok {
			section = title
		} else if strings.HasPrefix(line, "| `") {
			sections[section] = append(sections[section], cells(line))
		}
	}
	return sections
}

// records are all types that a results file or a table in JSON is made of.
func records() map[string]reflect.Type {
	found := map[string]reflect.Type{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(t.Elem())
		case reflect.Struct:
			if t == reflect.TypeFor[time.Time]() || found[section(t)] != nil {
				return
			}
			found[section(t)] = t
			for i := range t.NumField() {
				visit(t.Field(i).Type)
			}
		}
	}
	for _, root := range []any{result.Header{}, result.Host{}, result.Series{}, result.Trial{}, sheet{}} {
		visit(reflect.TypeOf(root))
	}
	return found
}

// section is the title under which a type is described.
func section(t reflect.Type) string {
	name, ofTable := strings.CutPrefix(t.Name(), "sheet")
	switch {
	case !ofTable:
		return name
	case name == "":
		return "Table"
	}
	return "Table " + strings.ToLower(name)
}

// written names a type as the manual does.
func written(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t == reflect.TypeFor[result.Column]():
		return "array of number or null"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return written(t.Elem()) + " or null"
	case reflect.Slice:
		return "array of " + written(t.Elem())
	case reflect.Map:
		return "object of " + written(t.Elem())
	case reflect.Struct:
		return section(t)
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	}
	return "integer"
}

// The manual has every key of every record, with its type and, of numbers,
// its unit; and no other.
func TestManualHasEveryKey(t *testing.T) {
	sections := manual(t)
	for title, record := range records() {
		rows := sections[title]
		for i := range record.NumField() {
			field := record.Field(i)
			key, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
			kind := written(field.Type)
			if rest == "omitempty" {
				kind += ", optional"
			}
			at := slices.IndexFunc(rows, func(row []string) bool { return row[0] == "`"+key+"`" })
			if at < 0 {
				t.Errorf("docs/results.md, section %s, lacks\n| `%s` | %s | UNIT | MEANING |", title, key, kind)
				continue
			}
			checkRow(t, title, rows[at], field.Type, kind)
			rows = slices.Delete(slices.Clone(rows), at, at+1)
		}
		for _, row := range rows {
			t.Errorf("docs/results.md, section %s: there is no %s", title, row[0])
		}
	}
}

var numeric = regexp.MustCompile(`\b(number|integer)\b`)

func checkRow(t *testing.T, title string, row []string, of reflect.Type, kind string) {
	t.Helper()
	if len(row) != 4 {
		t.Fatalf("docs/results.md, section %s: %d cells in the row of %s", title, len(row), row[0])
	}
	documented := row[1]
	if of.Kind() == reflect.Slice || of.Kind() == reflect.Map { // null where there never was one
		documented = strings.TrimSuffix(documented, " or null")
		kind = strings.TrimSuffix(kind, " or null")
	}
	if documented != kind {
		t.Errorf("docs/results.md, section %s: %s is %q, want %q", title, row[0], row[1], kind)
	}
	if numeric.MatchString(kind) && row[2] == "" {
		t.Errorf("docs/results.md, section %s: %s has no unit", title, row[0])
	}
	if row[3] == "" {
		t.Errorf("docs/results.md, section %s: %s is not explained", title, row[0])
	}
}

func TestManualHasEveryColumn(t *testing.T) {
	var documented []string
	for _, row := range manual(t)["CSV"] {
		documented = append(documented, strings.Split(strings.ReplaceAll(row[0], "`", ""), ", ")...)
	}
	if !slices.Equal(documented, csvHeader) {
		t.Errorf("docs/results.md has the columns\n%v, CSV\n%v", documented, csvHeader)
	}
}

// Names of checks are stable, so that other programs can use them.
func TestManualHasEveryCheck(t *testing.T) {
	var documented, want []string
	for _, row := range manual(t)["Checks"] {
		documented = append(documented, strings.Trim(row[0], "`"))
	}
	for _, check := range validity.Checks() {
		want = append(want, check.Name)
	}
	if !slices.Equal(documented, want) {
		t.Errorf("docs/results.md has the checks\n%v, want\n%v", documented, want)
	}
}

// The columns of a series depend on kernel and algorithm; a file has some.
func TestManualHasColumnsOfSeries(t *testing.T) {
	sections := manual(t)
	in, err := os.Open("../result/testdata/results-v1-small.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	seen := 0
	_, err = result.Read(in.Name(), in, func(s *result.Series) error {
		seen++
		for name := range s.Columns {
			known := func(row []string) bool { return slices.Contains(strings.Split(row[0], ", "), "`"+name+"`") }
			if !slices.ContainsFunc(sections["Columns of a series"], known) {
				t.Errorf("docs/results.md has no column %s of the %s", name, s.Side)
			}
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("%d series, error %v", seen, err)
	}
}
