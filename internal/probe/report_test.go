package probe

import (
	"encoding/json"
	"strings"
	"testing"
)

func facts() []Fact {
	with := func(f Fact, subject string) Fact {
		f.Subject = subject
		return f
	}
	bbr := with(yes(AlgorithmName, Some, "a socket took it"), "bbr")
	bbr.Algorithm = &Algorithm{Available: new(true), Allowed: new(true)}
	return []Fact{
		yes("kernel", Info, "6.1"),
		yes("tun", Required, "a device was made"),
		with(yes(AlgorithmName, Some, "a socket took it"), "reno"),
		bbr,
		with(no(AlgorithmName, Some, "not loaded", "as root: modprobe -a tcp_vegas"), "vegas"),
		with(no(AlgorithmName, Some, "not loaded", "as root: modprobe -a tcp_lp"), "lp"),
		no("steal", Quality, "3 %", "a dedicated machine"),
		unknown("governor", Quality, "none here", "no cpufreq"),
	}
}

func TestText(t *testing.T) {
	const want = `needed for every run
  yes  TUN: a device was made
needed for some experiments
  yes  congestion controls: reno, bbr; to all without privilege: bbr
  no   congestion controls: vegas, lp
       cure: as root: modprobe -a tcp_vegas tcp_lp
good for the numbers
  no   steal: 3 %
       cure: a dedicated machine
  ?    governor: none here
       why: no cpufreq
good to know
  yes  kernel: 6.1

this machine can carry out runs, not all: some congestion controls; what may spoil the numbers: steal
`
	r := NewReport("devel", "", facts())
	if got := r.Text(); got != want || !r.Able {
		t.Errorf("able %v; got\n%s\nwant\n%s", r.Able, got, want)
	}
}

func TestNotAble(t *testing.T) {
	for _, f := range []Fact{no("tun", Required, "gone", "modprobe tun"), unknown("tun", Required, "not tried", "no namespace")} {
		r := NewReport("devel", "loss", append([]Fact{f}, facts()...))
		want := "this machine cannot carry out loss: TUN"
		if r.Able || r.Sentence() != want || !strings.HasPrefix(r.Text(), "needed for loss\n") {
			t.Errorf("%s: able %v, %q; want %q", f.Answer, r.Able, r.Sentence(), want)
		}
	}
	cubik := no(AlgorithmName, Required, "not available", "did you mean cubic?")
	cubik.Subject = "cubik"
	if got := NewReport("devel", "loss", []Fact{cubik}).Sentence(); got != "this machine cannot carry out loss: congestion control cubik" {
		t.Errorf("got %q", got)
	}
	tun := no("tun", Required, "not there", "modprobe tun")
	for experiment, want := range map[string]string{
		"":     "this machine cannot carry out runs with engine userspace: TUN; engine direct does without",
		"loss": "this machine cannot carry out loss: TUN",
	} {
		if got := NewReport("devel", experiment, []Fact{tun}); got.Sentence() != want || got.Able {
			t.Errorf("got %q, want %q", got.Sentence(), want)
		}
	}
	for kind, want := range map[string]Need{"pfifo": Some, "fq": Info, "netem": Info} {
		if got := Qdisc(kind).Need; got != want {
			t.Errorf("%s is needed by %s, want %s", kind, got, want)
		}
	}
	if r := NewReport("devel", "", append(facts(), no("netem", Some, "gone", "another kernel"))); !r.Able {
		t.Error("what only some experiments need is held against all")
	}
}

// Absent is absent, and what is not told is null.
func TestReportAsJSON(t *testing.T) {
	text, err := json.Marshal(NewReport("devel", "", facts()[:4]))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"name":"congestion_control","subject":"bbr","need":"some","answer":"yes","detail":"a socket took it",` +
		`"algorithm":{"available":true,"allowed":true,"loadable":null}}`
	if !strings.Contains(string(text), want) || !strings.HasPrefix(string(text), `{"version":1,"ccbench":"devel","experiment":"","able":true,"facts":[{"name":"tun","need":"required","answer":"yes"`) {
		t.Errorf("got %s", text)
	}
}

// An error of several lines stays one line of the report.
func TestTextOfManyLines(t *testing.T) {
	text := NewReport("devel", "", []Fact{unknown("foreign_rules", Info, "x", "one\ntwo")}).Text()
	if !strings.Contains(text, "\n       why: one; two\n") {
		t.Errorf("got\n%s", text)
	}
}

func TestMerged(t *testing.T) {
	for want, lines := range map[string][]string{
		"one":              {"one"},
		"two; words of it": {"two", "words of it"},
		"modprobe -a x y":  {"modprobe -a x", "modprobe -a y"},
	} {
		if got := merged(lines); got != want {
			t.Errorf("%q: got %q, want %q", lines, got, want)
		}
	}
}
