package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ccbench/internal/compare"
)

// Markdown writes what Text writes as GitHub renders it: tables whose numbers
// stand to the right, the sentences as a list, the notes as another. What
// comes from the file is shown as it is, and never taken for markup.
func Markdown(w io.Writer, t *compare.Table, opts Options) error {
	p := newPrinter(opts)
	p.line("### %s", p.marked(title(t)))
	p.list("", preamble(t))
	for _, g := range grids(t) {
		p.markdownGrid(g)
	}
	p.list("", sentences(t))
	p.list("Notes:", Notes(t))
	return p.flush(w)
}

// preamble are the lines below the title.
func preamble(t *compare.Table) []string {
	var lines []string
	if len(t.Header.Path) > 0 {
		lines = append(lines, "path: "+strings.Join(pathWords(t.Header.Path), " "))
	}
	for _, c := range conditionPaths(t) {
		lines = append(lines, c.name+": "+strings.Join(c.words, " "))
	}
	lines = append(lines, "arms: "+strings.Join(armWords(t.Header.Arms), " "))
	return append(lines, strings.Join(circumstances(t), ", "))
}

// list prints items below a line that keeps two lists apart.
func (p *printer) list(above string, items []string) {
	if len(items) == 0 {
		return
	}
	if above != "" {
		p.paragraph([]string{above})
	}
	p.line("")
	for _, item := range items {
		p.line("- %s", blockStart.ReplaceAllString(p.marked(item), `$1\$2`))
	}
}

// markdownGrid prints a table whose columns are also aligned in its source.
func (p *printer) markdownGrid(g grid) {
	p.line("")
	p.line("**%s**", p.marked(g.title))
	p.line("")
	rows := [][]string{p.markdownCells(g.header)}
	for _, row := range g.rows {
		rows = append(rows, p.markdownCells(row))
	}
	widths := make([]int, len(g.header))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i, row := range rows {
		p.line("%s", markdownRow(row, widths, g.names))
		if i == 0 {
			p.line("%s", delimiterRow(widths, g.names))
		}
	}
}

func (p *printer) markdownCells(cells []string) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		// A header of two lines is a name and its unit.
		cell = strings.ReplaceAll(strings.TrimSpace(cell), "\n", ", ")
		out[i] = p.marked(strings.Join(strings.Fields(cell), " "))
	}
	return out
}

func markdownRow(row []string, widths []int, names int) string {
	line := "|"
	for i, cell := range row {
		if i < names {
			line += fmt.Sprintf(" %-*s |", widths[i], cell)
		} else {
			line += fmt.Sprintf(" %*s |", widths[i], cell)
		}
	}
	return line
}

// delimiterRow has names to the left, numbers to the right.
func delimiterRow(widths []int, names int) string {
	line := "|"
	for i, width := range widths {
		if hyphens := strings.Repeat("-", width+1); i < names {
			line += ":" + hyphens + "|"
		} else {
			line += hyphens + ":|"
		}
	}
	return line
}

// markup are the characters that mean something within a line; a backslash
// before them, or an entity, takes that away (CommonMark 2.4 and 2.5).
var markup = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, `\\`, "`", "\\`", "|", `\|`, "*", `\*`,
	"[", `\[`, "]", `\]`, "~", `\~`, "$", `\$`, "#", `\#`,
)

// blockStart is what would make a list or a rule of an item's beginning.
var blockStart = regexp.MustCompile(`^(\d*)([-+=.)])`)

// marked makes text of one line mean itself.
func (p *printer) marked(text string) string {
	return emphasis(markup.Replace(p.signs.Replace(text)))
}

// emphasis keeps underscores from being that. Between letters and digits they
// never are, and names of metrics stay readable in the source.
func emphasis(text string) string {
	runes := []rune(text)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var out strings.Builder
	for i, r := range runes {
		if r == '_' && !(word(i-1) && word(i+1)) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
