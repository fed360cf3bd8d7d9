package report

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// grid prints a table, with narrower names of factors where it would be too wide.
func (p *printer) grid(g grid) {
	p.line("")
	p.line("%s", p.signs.Replace(g.title))
	lines := p.laidOut(g)
	if slices.ContainsFunc(lines, func(line string) bool { return utf8.RuneCountInString(line) > width }) && g.names > 1 {
		lines = p.laidOut(g.narrowed())
	}
	for _, line := range lines {
		p.line("%s", line)
	}
}

// narrowed breaks the factors' names at the last dot. They have values that
// are shorter.
func (g grid) narrowed() grid {
	factors := g.names - 1
	header := slices.Clone(g.header)
	for i, name := range header {
		name = strings.TrimSuffix(name, "\n")
		dot := strings.LastIndexByte(name, '.') + 1
		switch {
		case i < factors:
			header[i] = name[:dot] + "\n" + name[dot:]
		case i == factors || !strings.Contains(name, "\n"):
			header[i] = "\n" + name // beside what it is the name of
		}
	}
	g.header = header
	return g
}

// laidOut has the cells in columns: names to the left, numbers to the right,
// one rule of hyphens below the header.
func (p *printer) laidOut(g grid) []string {
	var out bytes.Buffer
	table := tablewriter.NewTable(&out, gridOptions(g)...)
	table.Header(p.signed(g.header))
	for _, row := range g.rows {
		p.keep(table.Append(p.signed(row)))
	}
	p.keep(table.Render())
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	if g.names > 1 {
		shorten(lines)
	}
	return lines
}

// shorten cuts the rule of hyphens where the text ends: width is scarce beside
// factors.
func shorten(lines []string) {
	rule, widest := 0, 0
	for i, line := range lines {
		if strings.Trim(line, "-") == "" {
			rule = i
			continue
		}
		widest = max(widest, utf8.RuneCountInString(line))
	}
	lines[rule] = lines[rule][:min(widest, len(lines[rule]))]
}

func (p *printer) keep(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *printer) signed(cells []string) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = p.signs.Replace(cell)
	}
	return out
}

func gridOptions(g grid) []tablewriter.Option {
	align := tw.MakeAlign(len(g.header), tw.AlignRight)
	for i := range g.names {
		align[i] = tw.AlignLeft
	}
	cells := func() tw.CellConfig {
		return tw.CellConfig{
			Alignment:  tw.CellAlignment{PerColumn: align},
			Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
			Padding:    tw.CellPadding{Global: tw.Padding{Right: "  ", Overwrite: true}},
		}
	}
	return []tablewriter.Option{
		// Else the widths of ± and µ would depend on the reader's locale.
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithConfig(tablewriter.Config{Header: cells(), Row: cells()}),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbolCustom("mail").WithRow("-").WithCenter("-").WithColumn(""),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowHeaderLine: tw.On},
			},
		})),
	}
}
