package probe

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// manual is docs/doctor.md by section: the rows of its tables, cell by cell.
func manual(t *testing.T) map[string][][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	sections, section := map[string][][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			section = strings.TrimLeft(line, "# ")
		} else if strings.HasPrefix(line, "| `") {
			var cells []string
			for cell := range strings.SplitSeq(strings.Trim(line, "|"), " | ") {
				cells = append(cells, strings.Trim(cell, " `"))
			}
			sections[section] = append(sections[section], cells)
		}
	}
	return sections
}

// written names a type as the manual does.
func written(f reflect.StructField) string {
	kind := f.Type.Name()
	switch f.Type {
	case reflect.TypeFor[[]Fact]():
		kind = "array of Fact"
	case reflect.TypeFor[*Algorithm]():
		kind = "Algorithm"
	case reflect.TypeFor[*bool]():
		kind = "boolean or null"
	}
	switch f.Type.Kind() {
	case reflect.String:
		kind = "string"
	case reflect.Bool:
		kind = "boolean"
	case reflect.Int:
		kind = "integer"
	}
	if strings.HasSuffix(f.Tag.Get("json"), ",omitempty") {
		kind += ", optional"
	}
	return kind
}

func TestManualHasEveryKey(t *testing.T) {
	sections := manual(t)
	for _, record := range []reflect.Type{reflect.TypeFor[Report](), reflect.TypeFor[Fact](), reflect.TypeFor[Algorithm]()} {
		var want, got [][]string
		for i := range record.NumField() {
			key, _, _ := strings.Cut(record.Field(i).Tag.Get("json"), ",")
			want = append(want, []string{key, written(record.Field(i))})
		}
		for _, row := range sections[record.Name()] {
			if len(row) != 3 || row[2] == "" {
				t.Fatalf("docs/doctor.md, %s: %q is not explained", record.Name(), row)
			}
			got = append(got, row[:2])
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("docs/doctor.md, %s: got\n%q, want\n%q", record.Name(), got, want)
		}
	}
}
