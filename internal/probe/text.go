package probe

import (
	"fmt"
	"slices"
	"strings"
)

// heading stands over the facts of each need.
func (r Report) heading(n Need) string {
	switch n {
	case Required:
		if r.Experiment != "" {
			return "needed for " + r.Experiment
		}
		return "needed for every run"
	case Some:
		return "needed for some experiments"
	case Quality:
		return "good for the numbers"
	}
	return "good to know"
}

// Text is the report for people: a line for each fact, those that differ in
// nothing but their subject on one.
func (r Report) Text() string {
	var b strings.Builder
	var need Need
	for _, g := range grouped(r.Facts) {
		if f := g[0]; f.Need != need {
			need = f.Need
			b.WriteString(r.heading(need) + "\n")
		}
		g.write(&b)
	}
	b.WriteString("\n" + r.Sentence() + "\n")
	return b.String()
}

// label is the fact's name for people.
func (f Fact) label() string {
	switch f.Name {
	case "tun", "mptcp":
		return strings.ToUpper(f.Name)
	case "cpus":
		return "CPUs"
	case QdiscName:
		return "qdiscs"
	case AlgorithmName:
		return "congestion controls"
	}
	return strings.ReplaceAll(f.Name, "_", " ")
}

// group is facts of one name and one answer.
type group []Fact

// grouped puts facts with a subject beside those of the same name and answer.
func grouped(facts []Fact) []group {
	var groups []group
	for _, f := range facts {
		i := slices.IndexFunc(groups, func(g group) bool {
			return f.Subject != "" && g[0].Subject != "" && g[0].Name == f.Name && g[0].Answer == f.Answer && g[0].Need == f.Need
		})
		if i < 0 {
			groups = append(groups, group{f})
			continue
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

const indent = "       " // below a detail

func (g group) write(b *strings.Builder) {
	f := g[0]
	mark := map[Answer]string{Yes: "yes", No: "no", Unknown: "?"}[f.Answer]
	fmt.Fprintf(b, "  %-3s  %s: %s\n", mark, f.label(), oneLine(g.detail()))
	if f.Answer == No {
		fmt.Fprintf(b, "%scure: %s\n", indent, oneLine(merged(g.each(func(f Fact) string { return f.Cure }))))
	}
	if f.Answer == Unknown {
		fmt.Fprintf(b, "%swhy: %s\n", indent, oneLine(merged(g.each(func(f Fact) string { return f.Why }))))
	}
}

// oneLine keeps the words of others, which may have several lines, to theirs.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }

func (g group) detail() string {
	if g[0].Subject == "" {
		return g[0].Detail
	}
	detail := strings.Join(g.each(func(f Fact) string { return f.Subject }), ", ")
	if g[0].Answer == No && len(g) == 1 {
		detail += " (" + g[0].Detail + ")"
	}
	if allowed := g.allowed(); len(allowed) > 0 {
		detail += "; to all without privilege: " + strings.Join(allowed, ", ")
	}
	return detail
}

// allowed are the algorithms that are there for everybody.
func (g group) allowed() []string {
	var names []string
	for _, f := range g {
		if a := f.Algorithm; f.Answer == Yes && a != nil && a.Allowed != nil && *a.Allowed {
			names = append(names, f.Subject)
		}
	}
	return names
}

func (g group) each(text func(Fact) string) []string {
	var all []string
	for _, f := range g {
		if t := text(f); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}

// merged makes one line of several that differ in nothing but their last
// word ("modprobe -a x", "modprobe -a y"): that has all of them.
func merged(lines []string) string {
	head := func(line string) string { return line[:strings.LastIndexByte(line, ' ')+1] }
	for _, line := range lines {
		if head(line) != head(lines[0]) {
			return strings.Join(lines, "; ")
		}
	}
	var last []string
	for _, line := range lines {
		last = append(last, strings.TrimPrefix(line, head(line)))
	}
	return head(lines[0]) + strings.Join(last, " ")
}
