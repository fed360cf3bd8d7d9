package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccbench/internal/experiment"
	"ccbench/internal/result"
	"ccbench/internal/unit"
)

// Text is the summary for people, in lines of at most 100 characters.
func (s *Summary) Text() string {
	var p page
	s.heading(&p)
	s.arms(&p)
	s.conditions(&p)
	s.order(&p)
	for _, setup := range s.Setups {
		s.setup(&p, setup)
	}
	s.expected(&p)
	s.warnings(&p)
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
func (s *Summary) mark(key string) string { return markIn(s.Default, key) }

func markIn(defaults []string, key string) string {
	if slices.Contains(defaults, key) {
		return " (default)"
	}
	return ""
}

// row is a label and a text.
type row struct{ label, text string }

// conditions shows what is the same under all conditions by section, and then
// the rest of each condition.
func (s *Summary) conditions(p *page) {
	own := make([][]row, len(s.Conditions))
	for _, section := range []struct {
		title string
		rows  func(int) []row
	}{{"path", s.pathRows}, {"each trial", s.trialRows}} {
		p.title(section.title)
		p.list("  ", s.split(section.rows, own))
	}
	if len(s.Factors) == 0 {
		return
	}
	p.title(fmt.Sprintf("%s, with all arms each", count(len(s.Conditions), "condition")))
	for i, c := range s.Conditions {
		p.wrap("  ", "    ", strings.Fields(result.ConditionName(s.Factors, c.Labels)))
		p.list("    ", own[i])
	}
}

// split returns the rows that all conditions share, and adds the others to own.
func (s *Summary) split(rowsOf func(int) []row, own [][]row) (shared []row) {
	all := make([][]row, len(own))
	for i := range all {
		all[i] = rowsOf(i)
	}
	everywhere := func(r row) bool {
		return !slices.ContainsFunc(all, func(rows []row) bool { return !slices.Contains(rows, r) })
	}
	for i, rows := range all {
		for _, r := range rows {
			switch {
			case !everywhere(r):
				own[i] = append(own[i], r)
			case i == 0:
				shared = append(shared, r)
			}
		}
	}
	return shared
}

// pathRows tell the path of one condition.
func (s *Summary) pathRows(i int) []row {
	c := &s.plan.Experiment.Conditions[i]
	path, summary := c.Path, s.Conditions[i].Path
	mark := func(key string) string { return markIn(path.Default, key) }
	mtu := row{"mtu", fmt.Sprintf("%d B%s", path.MTU, mark("mtu"))}
	drop := row{"drop", dropText(c.Drop)}
	if path.Engine == experiment.Direct {
		return []row{{"engine", "direct: a veth pair, unshaped"}, mtu, drop}
	}
	return []row{
		{"engine", "userspace: ccbench's own relay between two TUN devices" + mark("engine")},
		{"rate", rateText(path.Rate) + " from sender to receiver" + mark("rate")},
		{"rtt", path.RTT.String() + ", half each way" + mark("rtt")},
		{"bdp", fmt.Sprintf("%d B", path.BDP())},
		{"buffer", summary.Buffer.text() + mark("buffer")},
		mtu,
		{"overhead", fmt.Sprintf("%d B a packet%s", path.Overhead, mark("overhead"))},
		drop,
	}
}

// trialRows tell the rest of one condition.
func (s *Summary) trialRows(i int) []row {
	c := &s.plan.Experiment.Conditions[i]
	mark := func(key string) string { return markIn(c.Default, key) }
	rows := []row{
		{"flows", fmt.Sprintf("%d%s", c.Flows, mark("flows"))},
		{"warmup", c.Warmup.String() + mark("warmup")},
		{"duration", c.Duration.String() + mark("duration")},
		{"interval", c.Interval.String() + " between samples" + mark("interval")},
	}
	for _, setting := range sortedSysctl(c.Sysctl) {
		rows = append(rows, row{"sysctl", setting})
	}
	return rows
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

// order shows the trials block by block.
func (s *Summary) order(p *page) {
	under := ""
	if len(s.Factors) > 0 {
		under = " under each condition"
	}
	p.title(fmt.Sprintf("order: %s, %d of each arm%s%s, seed %d%s",
		count(len(s.Trials), "trial"), s.Repetitions, under, s.mark("repetitions"), s.Seed, s.mark("seed")))
	size := len(s.Arms)
	row := p.rows([]string{fmt.Sprintf("block %d", len(s.Trials)/size)})
	for i := 0; i < len(s.Trials); i += size {
		row(fmt.Sprintf("block %d", s.Trials[i].Block), s.blockText(s.Trials[i:i+size]))
	}
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// blockText shows the trials of one block, which share the drop phase.
func (s *Summary) blockText(trials []TrialOrder) string {
	first, last := trials[0], trials[len(trials)-1]
	text := fmt.Sprintf("trials %d to %d", first.Trial, last.Trial)
	if len(trials) == 1 {
		text = fmt.Sprintf("trial %d", first.Trial)
	}
	if len(s.Factors) > 0 {
		text += " under " + result.ConditionName(s.Factors, s.Conditions[first.Condition-1].Labels)
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

func (s *Summary) setup(p *page, setup Setup) {
	p.WriteString("\n")
	p.wrap("setup of ", "  ", strings.Fields(strings.Join(setup.Arms, ", ")+s.under(setup.Conditions)))
	drop := s.Conditions[setup.Conditions[0]-1].Drop
	if drop != nil && drop.Mode == string(experiment.Nth) && drop.First == nil {
		p.wrap("  ", "  ", strings.Fields(fmt.Sprintf(
			"(the rule is that of trial %d: --packet is one less than the block's first dropped packet)", setup.Trial)))
	}
	for _, step := range setup.Steps {
		p.wrap("  ", "  ", []string{"in " + place(step.Namespace) + ":"})
		for _, line := range step.Lines {
			p.shell("    ", line)
		}
	}
}

// under names conditions, where they are not all there are.
func (s *Summary) under(conditions []int) string {
	if len(conditions) == len(s.Conditions) {
		return ""
	}
	var all []string
	for _, c := range conditions {
		all = append(all, result.ConditionName(s.Factors, s.Conditions[c-1].Labels))
	}
	return " under " + strings.Join(all, "; ")
}

func place(namespace string) string {
	if namespace == "ccbench" {
		return "ccbench's own namespace"
	}
	return "the namespace of the " + namespace
}

func (s *Summary) warnings(p *page) {
	if len(s.Warnings) > 0 {
		p.title("warnings")
	}
	for _, w := range s.Warnings {
		p.wrap("  ", "    ", strings.Fields(w))
	}
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
