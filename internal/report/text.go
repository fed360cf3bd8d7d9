// Package report prints a comparison. Text is for terminals and mail: columns
// aligned with spaces, nothing that a mail program could mangle, at most 100
// characters wide unless names or differences are long.
//
// A column has one unit and one count of decimals. A number is the decimal
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

	"ccbench/internal/compare"
	"ccbench/internal/result"
)

// Options are about looks only.
type Options struct {
	// ASCII replaces the true minus sign, ±, ², µ and × by ASCII: -, +-, ^2, u, x.
	ASCII bool
}

// Text writes the table: what was measured, the compared metrics, the described
// ones, one sentence a comparison, and notes that weaken them.
func Text(w io.Writer, t *compare.Table, opts Options) error {
	p := printer{signs: unicodeSigns}
	if opts.ASCII {
		p.signs = asciiSigns
	}
	p.heading(t)
	for _, c := range t.Compared {
		p.compared(t, c)
	}
	if len(t.Described) > 0 {
		p.described(t)
	}
	p.sentences(t)
	p.notes(t)
	if p.err != nil {
		return fmt.Errorf("laying out the table: %w", p.err)
	}
	if _, err := w.Write(p.out.Bytes()); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// printer collects the text; the first error of the table library stays.
type printer struct {
	signs *strings.Replacer
	out   bytes.Buffer
	err   error
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(&p.out, format, args...)
	p.out.WriteByte('\n')
}

func (p *printer) heading(t *compare.Table) {
	h := t.Header
	title := clean(h.Name)
	if h.Description != "" {
		title += ": " + clean(h.Description)
	}
	p.line("%s", title)
	if len(h.Path) > 0 {
		p.wrapped("path:", pathWords(h.Path))
	}
	p.wrapped("arms:", armWords(h.Arms))
	kernel := "unknown"
	if len(t.Kernels) > 0 {
		kernel = strings.Join(t.Kernels, ", ")
	}
	p.line("kernel: %s  seed: %d  ccbench: %s", clean(kernel), h.Seed, clean(h.Ccbench))
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
	last := len(words) - 1
	words[last] = strings.TrimSuffix(words[last], ",")
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

// wrapped prints words after a label, in as many lines as they need.
func (p *printer) wrapped(label string, words []string) {
	line := label
	for _, word := range words {
		if line != label && len(line)+1+len(word) > width {
			p.line("%s", line)
			line = strings.Repeat(" ", len(label))
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
	var notes []string
	if t.Comparisons > 1 && bounded(t) {
		notes = append(notes, fmt.Sprintf("the intervals hold jointly at %.0f%% over %d comparisons (Bonferroni)", compare.Level*100, t.Comparisons))
	}
	notes = append(notes, t.Warnings...)
	if len(notes) > 0 {
		p.line("")
	}
	for _, note := range notes {
		p.wrapped("note:", strings.Fields(clean(note)))
	}
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
