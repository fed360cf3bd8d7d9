package plan

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// textWidth is what a line has at most, in characters, unless a single word of
// the experiment is longer.
const textWidth = 100

// page is text under way.
type page struct{ strings.Builder }

func (p *page) title(text string) { p.WriteString("\n" + text + "\n") }

// rows returns what adds a row of label and text; labels has the widest one.
func (p *page) rows(labels []string) func(label, text string) { return p.indentedRows("  ", labels) }

func (p *page) indentedRows(indent string, labels []string) func(label, text string) {
	width := 0
	for _, l := range labels {
		width = max(width, len(l))
	}
	rest := strings.Repeat(" ", len(indent)+width+2)
	return func(label, text string) {
		p.wrap(fmt.Sprintf("%s%-*s  ", indent, width, label), rest, strings.Fields(text))
	}
}

// list adds rows, as wide as their labels need.
func (p *page) list(indent string, all []row) {
	labels := make([]string, len(all))
	for i, r := range all {
		labels[i] = r.label
	}
	add := p.indentedRows(indent, labels)
	for _, r := range all {
		add(r.label, r.text)
	}
}

// wrap adds words, the first after first and each further line's after rest.
func (p *page) wrap(first, rest string, words []string) {
	p.fill(first, rest, words, "")
}

// shell adds a line for a shell, continued where it is too long.
func (p *page) shell(indent, line string) {
	if comment, found := strings.CutPrefix(line, "# "); found {
		p.wrap(indent+"# ", indent+"# ", strings.Fields(comment))
		return
	}
	p.fill(indent, indent+"    ", shellWords(line), ` \`)
}

// fill breaks lines between words, with glue at the end of those that go on.
func (p *page) fill(first, rest string, words []string, glue string) {
	line, empty := first, true
	for _, w := range words {
		w = clean(w)
		if !empty && utf8.RuneCountInString(line+" "+w+glue) > textWidth {
			p.WriteString(line + glue + "\n")
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+w, false
	}
	p.WriteString(strings.TrimRight(line, " ") + "\n")
}

// clean shows what a terminal would obey; a file's name may have it.
func clean(word string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7F && r < 0xA0 || r == utf8.RuneError {
			return '?'
		}
		return r
	}, word)
}

// shellWords splits at blanks that are not inside single quotes.
func shellWords(line string) []string {
	quoted := false
	return strings.FieldsFunc(line, func(r rune) bool {
		if r == '\'' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
}
