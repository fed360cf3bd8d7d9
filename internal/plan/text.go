package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ccbench/internal/experiment"
	"ccbench/internal/unit"
)

// textWidth is what a line has at most, in characters, unless a single word of
// the experiment is longer.
const textWidth = 100

// Text is the summary for people, in lines of at most 100 characters.
func (s *Summary) Text() string {
	var p page
	s.heading(&p)
	s.arms(&p)
	s.path(&p)
	s.schedule(&p)
	s.order(&p)
	for _, setup := range s.Setups {
		setup.text(&p, s.drawn())
	}
	s.expected(&p)
	return p.String()
}

func (s *Summary) heading(p *page) {
	title := s.Name
	if s.Description != "" {
		title += ": " + s.Description
	}
	p.wrap("", "  ", strings.Fields(title))
	p.wrap("file ", "  ", []string{s.File})
	for _, o := range s.Overrides {
		p.wrap("--set ", "      ", strings.Split(strconv.Quote(o), " "))
	}
	p.wrap("plan ", "", []string{s.PlanHash})
}

func (s *Summary) arms(p *page) {
	p.title("arms")
	rows := p.rows(names(s.Arms))
	for _, a := range s.Arms {
		text := a.Algorithm
		if a.Kernel != a.Algorithm {
			text += ", the kernel's " + a.Kernel
		}
		if a.Name == s.Baseline {
			text += ", baseline" + s.mark("baseline")
		}
		rows(a.Name, text)
		for _, setting := range sortedSysctl(a.Sysctl) {
			rows("", "sysctl "+setting)
		}
	}
}

func names(arms []ArmSummary) []string {
	all := make([]string, len(arms))
	for i, a := range arms {
		all[i] = a.Name
	}
	return all
}

// mark is what follows a value that nobody wrote.
func (s *Summary) mark(key string) string {
	for _, d := range s.Default {
		if d == key {
			return " (default)"
		}
	}
	return ""
}

func (s *Summary) path(p *page) {
	path := s.plan.Experiment.Path
	p.title("path")
	row := p.rows([]string{"overhead"})
	if path.Engine == experiment.Direct {
		row("engine", "direct: a veth pair, unshaped")
		row("mtu", fmt.Sprintf("%d B%s", path.MTU, s.mark("path.mtu")))
		row("drop", dropText(s.plan.Experiment.Drop))
		return
	}
	row("engine", "userspace: ccbench's own relay between two TUN devices"+s.mark("path.engine"))
	row("rate", rateText(path.Rate)+" from sender to receiver"+s.mark("path.rate"))
	row("rtt", path.RTT.String()+", half each way"+s.mark("path.rtt"))
	row("bdp", fmt.Sprintf("%d B", path.BDP()))
	row("buffer", s.Path.Buffer.text()+s.mark("path.buffer"))
	row("mtu", fmt.Sprintf("%d B%s", path.MTU, s.mark("path.mtu")))
	row("overhead", fmt.Sprintf("%d B a packet%s", path.Overhead, s.mark("path.overhead")))
	row("drop", dropText(s.plan.Experiment.Drop))
}

func (b *BufferSummary) text() string {
	wait := time.Duration(math.Round(b.Seconds * float64(time.Second)))
	if wait >= time.Millisecond {
		wait = wait.Round(time.Microsecond)
	}
	text := fmt.Sprintf("%s: %d B, %s of full size, %v", b.Text, b.Bytes, count(int(b.Packets), "packet"), wait)
	if b.BDPs != nil {
		text += fmt.Sprintf(", %s BDP", strconv.FormatFloat(*b.BDPs, 'g', 4, 64))
	}
	return text
}

func (s *Summary) schedule(p *page) {
	e := s.plan.Experiment
	p.title("each trial")
	row := p.rows([]string{"duration"})
	row("flows", fmt.Sprintf("%d%s", e.Flows, s.mark("flows")))
	row("warmup", e.Warmup.String()+s.mark("warmup"))
	row("duration", e.Duration.String()+s.mark("duration"))
	row("interval", e.Interval.String()+" between samples"+s.mark("interval"))
}

// order shows the trials block by block.
func (s *Summary) order(p *page) {
	p.title(fmt.Sprintf("order: %s, %d of each arm%s, seed %d%s",
		count(len(s.Trials), "trial"), s.Repetitions, s.mark("repetitions"), s.Seed, s.mark("seed")))
	row := p.rows([]string{fmt.Sprintf("block %d", s.Repetitions)})
	size := len(s.Arms)
	for i := 0; i < len(s.Trials); i += size {
		row(fmt.Sprintf("block %d", s.Trials[i].Block), blockText(s.Trials[i:i+size]))
	}
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// blockText shows the trials of one block, which share the drop phase.
func blockText(trials []TrialOrder) string {
	first, last := trials[0], trials[len(trials)-1]
	text := fmt.Sprintf("trials %d to %d", first.Trial, last.Trial)
	if len(trials) == 1 {
		text = fmt.Sprintf("trial %d", first.Trial)
	}
	if first.First != nil {
		text += fmt.Sprintf(", first dropped packet %d", *first.First)
	}
	arms := make([]string, len(trials))
	for i, t := range trials {
		arms[i] = t.Arm
	}
	return text + ": " + strings.Join(arms, ", ")
}

// drawn says whether the phase of the drop rule differs between blocks.
func (s *Summary) drawn() bool {
	return s.Drop != nil && s.Drop.Mode == string(experiment.Nth) && s.Drop.First == nil
}

func (s Setup) text(p *page, drawn bool) {
	p.WriteString("\n")
	p.wrap("setup of ", "  ", strings.Fields(strings.Join(s.Arms, ", ")))
	if drawn {
		p.wrap("  ", "  ", strings.Fields(fmt.Sprintf(
			"(the rule is that of trial %d: --packet is one less than the block's first dropped packet)", s.Trial)))
	}
	for _, step := range s.Steps {
		p.wrap("  ", "  ", []string{"in " + place(step.Namespace) + ":"})
		for _, line := range step.Lines {
			p.shell("    ", line)
		}
	}
}

func place(namespace string) string {
	if namespace == "ccbench" {
		return "ccbench's own namespace"
	}
	return "the namespace of the " + namespace
}

func (s *Summary) expected(p *page) {
	p.title("expected")
	row := p.rows([]string{"traffic"})
	row("time", "about "+s.took.String())
	traffic := "not known: nothing but the machine limits a veth pair"
	if s.Expected.Path != nil {
		traffic = "at most about " + unit.Format(*s.Expected.Path, "B") + " from sender to receiver, headers included (rate x time)"
	}
	row("traffic", traffic)
	row("disk", fmt.Sprintf("about %s, with --series off %s (an estimate: %d B a sample at the sender, %d B at the receiver)",
		unit.Format(float64(s.Expected.Disk), "B"), unit.Format(float64(s.Expected.DiskSeriesOff), "B"),
		senderSample, receiverSample))
}

// page is text under way.
type page struct{ strings.Builder }

func (p *page) title(text string) { p.WriteString("\n" + text + "\n") }

// rows returns what adds a row of label and text; labels has the widest one.
func (p *page) rows(labels []string) func(label, text string) {
	width := 0
	for _, l := range labels {
		width = max(width, len(l))
	}
	indent := strings.Repeat(" ", width+4)
	return func(label, text string) {
		p.wrap(fmt.Sprintf("  %-*s  ", width, label), indent, strings.Fields(text))
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
