// Package report prints a comparison. Text is for terminals and mail: columns
// aligned with spaces, nothing that a mail program could mangle, at most 100
// characters wide unless names or differences are long. Markdown says the same
// where GitHub shows it. CSV and JSON are for programs: base units, unrounded.
//
// In what is for people a column has one unit and one count of decimals. A number is the decimal
// nearest to the binary one, as printf's %.2f gives it, so that a table can be
// recomputed from the results file to the last digit.
package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ccbench/internal/compare"
	"ccbench/internal/result"
)

// Options are about looks only, of what is for people.
type Options struct {
	// ASCII replaces the true minus sign, ±, ², µ and × by ASCII: -, +-, ^2, u, x.
	ASCII bool
}

// Text writes the table: what was measured, the compared metrics, the described
// ones, one sentence a comparison, and notes that weaken them.
func Text(w io.Writer, t *compare.Table, opts Options) error {
	p := newPrinter(opts)
	p.heading(t)
	for _, g := range grids(t) {
		p.grid(g)
	}
	p.sentences(t)
	p.notes(t)
	return p.flush(w)
}

// printer collects the text; the first error of the table library stays.
type printer struct {
	signs *strings.Replacer
	out   bytes.Buffer
	err   error
}

func newPrinter(opts Options) *printer {
	if opts.ASCII {
		return &printer{signs: asciiSigns}
	}
	return &printer{signs: unicodeSigns}
}

// flush writes all of it, or nothing where the layout failed.
func (p *printer) flush(w io.Writer) error {
	if p.err != nil {
		return fmt.Errorf("laying out the table: %w", p.err)
	}
	return write(w, p.out.Bytes())
}

func write(w io.Writer, table []byte) error {
	if _, err := w.Write(table); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(&p.out, format, args...)
	p.out.WriteByte('\n')
}

// paragraph prints lines after an empty one.
func (p *printer) paragraph(lines []string) {
	if len(lines) > 0 {
		p.line("")
	}
	for _, line := range lines {
		p.line("%s", p.signs.Replace(line))
	}
}

func (p *printer) heading(t *compare.Table) {
	p.line("%s", title(t))
	if len(t.Header.Path) > 0 {
		p.wrapped("path:", pathWords(t.Header.Path))
	}
	for _, c := range conditionPaths(t) {
		p.wrapped(c.name+":", c.words)
	}
	p.wrapped("arms:", armWords(t.Header.Arms))
	p.line("%s", strings.Join(circumstances(t), "  "))
}

func title(t *compare.Table) string {
	if d := t.Header.Description; d != "" {
		return clean(t.Header.Name) + ": " + clean(d)
	}
	return clean(t.Header.Name)
}

// circumstances are what else a number may hang on.
func circumstances(t *compare.Table) []string {
	kernel := "unknown"
	if len(t.Kernels) > 0 {
		kernel = strings.Join(t.Kernels, ", ")
	}
	return []string{"kernel: " + clean(kernel), fmt.Sprintf("seed: %d", t.Header.Seed), "ccbench: " + clean(t.Header.Ccbench)}
}

// pathFirst are the path's keys in the order in which one would tell them;
// others follow by name.
var pathFirst = []string{"engine", "rate", "rtt", "buffer", "mtu", "overhead", "drop", "flows", "duration", "warmup", "interval"}

// pathWords are key=value, with commas, as values have spaces.
func pathWords(path map[string]string) []string {
	var words []string
	rest := maps.Clone(path)
	for _, key := range slices.Concat(pathFirst, slices.Sorted(maps.Keys(path))) {
		if value, ok := rest[key]; ok {
			words = append(words, clean(key+"="+value)+",")
			delete(rest, key)
		}
	}
	if last := len(words) - 1; last >= 0 {
		words[last] = strings.TrimSuffix(words[last], ",")
	}
	return words
}

// armWords are the arms as they were resolved: what the kernel calls the
// algorithm, where that is not the arm's name, and the arm's own sysctls.
func armWords(arms []result.Arm) []string {
	var words []string
	for _, a := range arms {
		word := a.Name
		if a.Kernel != a.Name {
			word += "=" + a.Kernel
		}
		words = append(words, clean(word))
		for _, key := range slices.Sorted(maps.Keys(a.Sysctl)) {
			words = append(words, clean("("+key+"="+a.Sysctl[key]+")"))
		}
	}
	return words
}

// width is the line length that text keeps to where it can.
const width = 100

// sentences prints each in as many lines as it needs, the further ones indented.
func (p *printer) sentences(t *compare.Table) {
	for i, sentence := range sentences(t) {
		if i == 0 {
			p.line("")
		}
		words := strings.Fields(p.signs.Replace(sentence))
		p.filled(words[0], "   ", words[1:])
	}
}

// wrapped prints words after a label, in as many lines as they need.
func (p *printer) wrapped(label string, words []string) {
	p.filled(label, strings.Repeat(" ", len(label)), words)
}

// filled prints words after a first one; further lines begin with indent.
func (p *printer) filled(first, indent string, words []string) {
	line := first
	for i, word := range words {
		if i > 0 && utf8.RuneCountInString(line+" "+word) > width {
			p.line("%s", line)
			line = indent
		}
		line += " " + word
	}
	p.line("%s", line)
}

// direction says which way a metric improves.
func direction(b result.Better) string {
	switch b {
	case result.Higher:
		return ", higher is better"
	case result.Lower:
		return ", lower is better"
	}
	return ""
}

func (p *printer) notes(t *compare.Table) {
	notes := Notes(t)
	if len(notes) > 0 {
		p.line("")
	}
	for _, note := range notes {
		p.wrapped("note:", strings.Fields(note))
	}
}

// Notes are what weakens the numbers of a table, or is needed to read them,
// each safe to print on one line. Text and Markdown have them; CSV does not.
func Notes(t *compare.Table) []string {
	var notes []string
	if t.Comparisons > 1 && bounded(t) {
		notes = append(notes, fmt.Sprintf("the intervals hold jointly at %.0f%% over %d comparisons (Bonferroni)", compare.Level*100, t.Comparisons))
	}
	for _, warning := range t.Warnings {
		notes = append(notes, clean(warning))
	}
	return notes
}

// bounded reports whether the table has any interval.
func bounded(t *compare.Table) bool {
	for _, c := range t.Compared {
		for _, cell := range c.Cells {
			if cell.Comparison != nil && cell.Comparison.Difference.Interval != nil {
				return true
			}
		}
	}
	return false
}
