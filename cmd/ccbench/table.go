package main

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccbench/internal/compare"
	"ccbench/internal/near"
	"ccbench/internal/report"
	"ccbench/internal/result"
)

// tableFlags are the flags of the commands that print a table.
type tableFlags struct {
	format   string
	metrics  []string // as given: each may be several, with commas
	baseline string
}

func (f *tableFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", "text", "`form` of the table: text, markdown, csv or json")
	c.Flags().StringArrayVar(&f.metrics, "metric", nil,
		"compare these metrics, `NAME[,NAME...]`, the deciding one first (may be repeated; default "+compare.Primary+")")
	c.Flags().StringVar(&f.baseline, "baseline", "", "`arm` that the others are compared with (default: the experiment's)")
	completeFlag(c, "format", completeWords(slices.Sorted(maps.Keys(forms))...))
	completeFlag(c, "metric", completeMetrics)
	completeFlag(c, "baseline", completeWords()) // arms are known to the file alone
}

// form writes a table in one of the formats.
type form func(io.Writer, *compare.Table, report.Options) error

var forms = map[string]form{
	"text": report.Text, "markdown": report.Markdown, "csv": numbers(report.CSV), "json": numbers(report.JSON),
}

// numbers is a form without looks.
func numbers(write func(io.Writer, *compare.Table) error) form {
	return func(w io.Writer, t *compare.Table, _ report.Options) error { return write(w, t) }
}

// check refuses what no file could satisfy.
func (f *tableFlags) check() error {
	return oneOf("format", f.format, "text", "markdown", "csv", "json")
}

// checkFor refuses what results with this header could not satisfy, before
// they are there.
func (f *tableFlags) checkFor(name string, h result.Header) error {
	if err := f.check(); err != nil {
		return err
	}
	_, err := f.table(&result.File{Name: name, Header: &h})
	return err
}

// print writes the table of a file to stdout.
func (f *tableFlags) print(u *ui, file *result.File) error {
	table, err := f.table(file)
	if err != nil {
		return err
	}
	return f.write(u, table)
}

// write writes a table to stdout. CSV has no place for notes; they go to stderr.
func (f *tableFlags) write(u *ui, table *compare.Table) error {
	if err := forms[f.format](u.out, table, report.Options{ASCII: u.ascii}); err != nil || f.format != "csv" {
		return err
	}
	for _, note := range report.Notes(table) {
		u.Note("note: %s", note)
	}
	return nil
}

// table compares as the flags say.
func (f *tableFlags) table(file *result.File) (*compare.Table, error) {
	options := compare.Options{Baseline: f.baseline}
	for _, given := range f.metrics {
		for name := range strings.SplitSeq(given, ",") {
			options.Metrics = append(options.Metrics, strings.TrimSpace(name))
		}
	}
	table, err := compare.New(file, options)
	if wrong := new(compare.UsageError); errors.As(err, &wrong) {
		return nil, usageError(misnamed{wrong})
	}
	return table, err
}

// misnamed is a name of nothing, with what it may have been meant for.
type misnamed struct{ *compare.UsageError }

func (e misnamed) Hint() string {
	if name := near.Name(e.Asked, e.Known); name != "" && name != e.Asked {
		return "did you mean " + name + "?"
	}
	return ""
}
