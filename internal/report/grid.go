package report

import (
	"bytes"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// grid lays out cells in columns: the first one to the left, the others to the
// right, one rule of hyphens below the header.
func (p *printer) grid(g grid) {
	p.line("")
	p.line("%s", p.signs.Replace(g.title))
	var out bytes.Buffer
	table := tablewriter.NewTable(&out, gridOptions(len(g.header))...)
	table.Header(p.signed(g.header))
	for _, row := range g.rows {
		p.keep(table.Append(p.signed(row)))
	}
	p.keep(table.Render())
	for line := range strings.Lines(out.String()) {
		p.line("%s", strings.TrimRight(line, " \n"))
	}
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

func gridOptions(columns int) []tablewriter.Option {
	align := tw.MakeAlign(columns, tw.AlignRight)
	align[0] = tw.AlignLeft
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
