package plan

import (
	"strings"
	"testing"
	"time"
)

func summaryOf(t *testing.T, arms int, lines ...string) *Summary {
	t.Helper()
	p := newPlan(t, parse(t, arms, lines...))
	return Summarize(p, nil, 3*time.Second)
}

func TestSummaryOfAShapedPath(t *testing.T) {
	s := summaryOf(t, 2, "repetitions: 2", "duration: 3s", "warmup: 500ms", "flows: 2",
		"path: {engine: userspace, rate: 10mbit, rtt: 40ms, buffer: 250KB}")
	path := s.Conditions[0].Path
	check(t, "rate", *path.Rate, int64(10_000_000))
	check(t, "RTT", *path.RTT, 0.04)
	check(t, "BDP", *path.BDP, int64(50_000))
	check(t, "buffer", *path.Buffer, BufferSummary{
		Text: "250KB", Bytes: 250_000, Packets: 165, Seconds: 0.2, BDPs: new(5.0)}) // 250000/1514 = 165.1
	check(t, "drop", s.Conditions[0].Drop, (*DropSummary)(nil))
	check(t, "time", s.Expected.Time, 3.0)
	check(t, "traffic", *s.Expected.Path, 4*3.54*10e6/8)
	samples := int64(4 * 2 * 350)
	check(t, "disk of the samples", s.Expected.Disk-s.Expected.DiskSeriesOff, samples*(200+25))
	if strings.Contains(strings.Join(s.Default, " "), "path.rate") || !strings.Contains(strings.Join(s.Default, " "), "path.mtu") {
		t.Errorf("default: %v", s.Default)
	}
}

func TestSummaryHasNoZeroForWhatThereIsNot(t *testing.T) {
	s := summaryOf(t, 1, "path: {engine: direct}", "drop: {mode: random, probability: 1%}")
	p, drop := s.Conditions[0].Path, s.Conditions[0].Drop
	if p.Rate != nil || p.RTT != nil || p.BDP != nil || p.Buffer != nil || p.Overhead != nil || s.Expected.Path != nil {
		t.Errorf("an unshaped path has %+v, %+v", p, s.Expected)
	}
	if drop.Every != nil || drop.First != nil || s.Trials[0].First != nil || *drop.Probability != 0.01 {
		t.Errorf("a random rule has %+v", drop)
	}
	// A thousand bits a second for a millisecond are less than a byte.
	tiny := summaryOf(t, 1, "path: {engine: userspace, rate: 1kbit, rtt: 1ms, buffer: 1pkt}")
	if buffer := tiny.Conditions[0].Path.Buffer; buffer.BDPs != nil || strings.Contains(tiny.Text(), "BDP") {
		t.Errorf("a buffer of %v BDPs of nothing", buffer.BDPs)
	}
}

func TestBufferText(t *testing.T) {
	for path, want := range map[string]string{
		"rate: 10mbit, buffer: 250KB":                        "250KB: 250000 B, 165 packets of full size, 200ms, 5 BDP",
		"rate: 13mbit, rtt: 25ms, buffer: 1bdp":              "1bdp: 40625 B, 26 packets of full size, 25ms, 1 BDP",
		"rate: 100gbit, rtt: 1ms, buffer: 1514B":             "1514B: 1514 B, 1 packet of full size, 121ns, 0.0001211 BDP",
		"rate: 3mbit, mtu: 1000, overhead: 0, buffer: 10pkt": "10pkt: 10000 B, 10 packets of full size, 26.667ms, 0.6667 BDP",
	} {
		s := summaryOf(t, 1, "path: {engine: userspace, "+path+"}")
		check(t, path, s.Conditions[0].Path.Buffer.text(), want)
	}
}

func TestSummaryOrderIsThePlans(t *testing.T) {
	p := newPlan(t, parse(t, 3, "repetitions: 4", "drop: {mode: nth, every: 50}"))
	s := Summarize(p, nil, 0)
	for i, trial := range p.Trials {
		check(t, "trial", s.Trials[i], TrialOrder{Trial: trial.Index, Block: trial.Block, Condition: 1, Arm: trial.Arm, First: new(trial.Drop.First)})
	}
	if first := s.Conditions[0].Drop.First; first != nil {
		t.Errorf("the phase is drawn, and is %d", *first)
	}
	check(t, "texts", s.Text(), Summarize(p, nil, 0).Text())
}

func TestShellLinesAreContinued(t *testing.T) {
	var p page
	long := "sysctl -w 'a=" + strings.Repeat("1 ", 20) + "' " + strings.Repeat("word ", 20) + "end"
	p.shell("    ", long)
	lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], ` \`) || strings.HasSuffix(lines[1], `\`) {
		t.Errorf("got\n%s", p.String())
	}
	// A shell joins them to the same words.
	joined := strings.ReplaceAll(p.String(), "\\\n", "")
	check(t, "words", shellWords(strings.TrimSpace(joined)), shellWords(long))
}

func TestTextObeysNobody(t *testing.T) {
	s := summaryOf(t, 1)
	s.File = "a\x1b[31mb\u0085.yaml"
	if text := s.Text(); strings.ContainsAny(text, "\x1b\u0085") || !strings.Contains(text, "a?[31mb?.yaml") {
		t.Errorf("got %q", text)
	}
}
