package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// smallFile is a file of format version 1 that every later reader must read.
const smallFile = "testdata/results-v1-small.jsonl"

func readSmall(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReadSmallFile(t *testing.T) {
	f, err := ReadFile(smallFile)
	if err != nil {
		t.Fatal(err)
	}
	if f.Torn || len(f.Hosts) != 1 || len(f.Trials) != 4 {
		t.Fatalf("torn %v, %d hosts, %d trials; want false, 1, 4", f.Torn, len(f.Hosts), len(f.Trials))
	}
	if f.Header.Baseline != "newreno" || len(f.Header.Arms) != 2 || f.Header.Arms[0].Kernel != "reno" {
		t.Errorf("header is %+v", f.Header)
	}
	first := f.Trials[0]
	if got := first.Metrics["goodput"]; got == nil || *got != 60098126.74656598 {
		t.Errorf("goodput of trial 1 is %v", got)
	}
	if p99, ok := first.Metrics["rtt_p99"]; !ok || p99 != nil {
		t.Errorf("rtt_p99 of trial 1 is %v (%v); want null", p99, ok)
	}
	if got := first.Drop.Final.Hits; got != 33 {
		t.Errorf("hits of trial 1: got %d, want 33", got)
	}
	for i, want := range []Verdict{Valid, Suspect, Invalid, Invalid} {
		if got := f.Trials[i].Verdict; got != want {
			t.Errorf("verdict of trial %d: got %s, want %s", i+1, got, want)
		}
	}
	if broken := f.Trials[3]; broken.Window.Sender != nil || broken.Flows != nil || broken.Error == "" {
		t.Errorf("the broken trial is %+v", broken)
	}
}

func TestReadShowsSeries(t *testing.T) {
	var seen []string
	f, err := Read(smallFile, bytes.NewReader(readSmall(t)), func(s *Series) error {
		seen = append(seen, fmt.Sprintf("%d %s %d", s.Trial, s.Side, len(s.Columns["t"])))
		if s.Side == Sender && !math.IsNaN(s.Columns["delivery_rate"][0]) {
			t.Errorf("trial %d: a null was read as %v", s.Trial, s.Columns["delivery_rate"][0])
		}
		return nil
	})
	if err != nil || len(f.Trials) != 4 {
		t.Fatalf("got %v, %v", f, err)
	}
	want := "1 sender 14,1 receiver 12,2 sender 14,2 receiver 12,3 sender 14,3 receiver 12"
	if got := strings.Join(seen, ","); got != want {
		t.Errorf("series: got %s, want %s", got, want)
	}
}

// A kill may cut the file anywhere: every trial before the cut is there, and
// the file says that it is torn unless the cut is between two trials.
func TestReadCutAnywhere(t *testing.T) {
	data := readSmall(t)
	headerEnd := bytes.IndexByte(data, '\n') + 1
	for cut := range len(data) {
		if cut%101 > 0 && !bytes.Contains(data[max(0, cut-2):min(cut+2, len(data))], []byte{'\n'}) {
			continue // all cuts about the end of a line, and some elsewhere
		}
		part := data[:cut]
		f, err := Read("cut", bytes.NewReader(part), nil)
		if cut < headerEnd {
			if err == nil {
				t.Fatalf("cut at %d, inside the header: no error", cut)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		lines := strings.SplitAfter(string(part), "\n")
		tail, last := lines[len(lines)-1], lines[len(lines)-2]
		if want := tail != "" || strings.HasPrefix(last, `{"type":"series"`); f.Torn != want {
			t.Fatalf("cut at %d: torn is %v, want %v", cut, f.Torn, want)
		}
		if want := strings.Count(string(part[:cut-len(tail)]), `{"type":"trial"`); len(f.Trials) != want {
			t.Fatalf("cut at %d: %d trials, want %d", cut, len(f.Trials), want)
		}
	}
}

const (
	headerLine = `{"type":"header","version":1,"name":"x"}` + "\n"
	trialLine  = `{"type":"trial","trial":1,"block":1,"verdict":"VALID"}` + "\n"
)

func TestReadRefuses(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"nothing", "", "f: not a results file"},
		{"other text", "hello, world\n", "f: not a results file"},
		{"more other text", "hello, world\n{}\n", "f:1: broken line: want one JSON object"},
		{"no header", trialLine + trialLine, `f:1: the first line is "trial"`},
		{"byte order mark", "\ufeff" + headerLine + trialLine, "f:1: broken line: lines start with"},
		{"newer format", `{"type":"header","version":2,"name":["x"]}` + "\n" + trialLine, "f:1: format version 2 is newer than 1"},
		{"no version", `{"type":"header"}` + "\n" + trialLine, "f:1: format version 0"},
		{"two files in one", headerLine + trialLine + headerLine, "f:3: a second header"},
		{"broken in the middle", headerLine + `{"type":"trial","trial":` + "\n" + trialLine, "f:2: broken line"},
		{"broken series not asked for", headerLine + `{"type":"series","trial":` + "\n" + trialLine, "f:2: broken line"},
		{"broken unknown", headerLine + `{"type":"x"}}` + "\n" + trialLine, "f:2: broken line"},
		{"type not first", headerLine + `{"trial":1,"type":"trial"}` + "\n" + trialLine, "f:2: broken line: lines start with {\"type\":\""},
		{"empty line", headerLine + "\n" + trialLine, "f:2: broken line"},
		{"not UTF-8", headerLine + `{"type":"trial","error":"` + "\xff\"}\n" + trialLine, "f:2: broken line"},
		{"wrong type at the end", headerLine + `{"type":"trial","trial":"one"}` + "\n", "f:2: json: cannot unmarshal string"},
		{"trial without a block", headerLine + `{"type":"trial","trial":1,"verdict":"VALID"}` + "\n", "f:2: trial 1 is of block 0"},
		{"trial without a number", headerLine + `{"type":"trial","block":1,"verdict":"VALID"}` + "\n", "f:2: trial 0: trials are numbered"},
		{"negative metric", headerLine + `{"type":"trial","trial":1,"block":1,"verdict":"VALID","metrics":{"goodput":-1}}` + "\n", "f:2: metric goodput is -1; no metric is below 0"},
		{"unknown verdict", headerLine + `{"type":"trial","trial":1,"block":1,"verdict":"GOOD"}` + "\n", `f:2: verdict "GOOD"`},
		{"trial twice", headerLine + trialLine + trialLine, "f:3: trial 1 is in the file twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := Read("f", strings.NewReader(test.in), nil)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %+v, error %v; want an error %q...", f, err, test.want)
			}
		})
	}
}

// What another program wrote or rewrote is told apart from what broke off.
func TestReadSaysWhatElseItIs(t *testing.T) {
	const yaml = "is it an experiment? those are for ccbench run"
	const rewritten = "was the file rewritten by another program?"
	for _, test := range []struct{ name, in, want, hint string }{
		{"experiment", "version: 1\nname: x\n", "f:1: not a results file", yaml},
		{"experiment of one line", "version: 1\n", "f:1: not a results file", yaml},
		{"experiment without a newline", "version: 1", "f:1: not a results file", yaml},
		{"experiment after a comment", "# what it is for\nversion: 1\n", "f:1: not a results file", yaml},
		{"experiment after a start", "---\r\nversion: 1\n", "f:1: not a results file", yaml},
		{"blanks in the header", `{"type": "header", "version": 1}` + "\n" + trialLine, "f:1: broken line: lines start with", rewritten},
		{"blanks, one line", `{"type": "header", "version": 1}` + "\n", "f:1: broken line: lines start with", rewritten},
		{"blanks in the last line", headerLine + `{ "type":"trial", "trial":1}` + "\n", "f:2: broken line: lines start with", rewritten},
		{"indented", "{\n  \"type\": \"header\"\n}\n", "f:1: broken line: lines start with", rewritten},
		{"YAML inside", headerLine + "version: 1\n" + trialLine, "f:2: broken line: want one", ""},
		{"JSON of another kind", "{\"a\": 1}\n{}\n", "f:1: broken line: want one", ""},
		{"a record that broke off", headerLine + `{"type" : "tr` + "\n" + trialLine, "f:2: broken line: want one", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read("f", strings.NewReader(test.in), nil)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Fatalf("got error %v, want %q...", err, test.want)
			}
			var h interface{ Hint() string }
			if got := errors.As(err, &h); got != (test.hint != "") || got && h.Hint() != test.hint {
				t.Errorf("got %v with a hint: %v; want the hint %q", err, h, test.hint)
			}
		})
	}
}

func TestReadRefusesUnevenSeries(t *testing.T) {
	in := headerLine + `{"type":"series","trial":1,"columns":{"t":[1,2],"rtt":[1]}}` + "\n"
	_, err := Read("f", strings.NewReader(in), func(*Series) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "f:2: series of flow 0") {
		t.Errorf("got %v", err)
	}
}

func TestReadTakes(t *testing.T) {
	for _, test := range []struct {
		name, in string
		torn     bool
	}{
		{"unknown types", headerLine + `{"type":"weather","trial":"wet"}` + "\n" + trialLine, false},
		{"unknown keys", headerLine + `{"type":"trial","mood":[{}],"trial":1,"block":1,"verdict":"VALID"}` + "\n", false},
		{"CRLF", strings.ReplaceAll(headerLine+trialLine, "\n", "\r\n"), false},
		{"no last newline", headerLine + trialLine + `{"type":"trial","trial":2,"block":1,"verdict":"VALID"}`, true},
		{"broken last line", headerLine + trialLine + `{"type":"trial","tr` + "\n", true},
		{"zeros at the end", headerLine + trialLine + strings.Repeat("\x00", 4096), true},
		{"a line of zeros at the end", headerLine + trialLine + strings.Repeat("\x00", 4096) + "\n", true},
		{"series without their trial", headerLine + trialLine + `{"type":"series","trial":2}` + "\n", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := Read("f", strings.NewReader(test.in), nil)
			if err != nil {
				t.Fatal(err)
			}
			if f.Torn != test.torn || len(f.Trials) != 1 || f.Trials[0].Trial != 1 {
				t.Errorf("torn %v with %d trials; want %v with trial 1", f.Torn, len(f.Trials), test.torn)
			}
		})
	}
}

func TestReaderKeepsFailing(t *testing.T) {
	disk := errors.New("disk on fire")
	r := NewReader("f", io.MultiReader(strings.NewReader(headerLine), iotest.ErrReader(disk)))
	if record, err := r.Next(); err != nil {
		t.Fatalf("header: %v, %v", record, err)
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, disk) || !strings.HasPrefix(err.Error(), "f:2: ") {
			t.Errorf("got %v, want f:2: %v", err, disk)
		}
	}
}

// What a reader takes, a writer takes; and writing what was read changes nothing more.
func FuzzReader(f *testing.F) {
	sink := new(memory)
	w := NewWriter("seed", sink, Header{Name: "x"})
	if err := errors.Join(w.Begin([]Host{{Hostname: "h"}}), w.Trial(sampleTrial(1), sampleSeries(1))); err != nil {
		f.Fatal(err)
	}
	f.Add(sink.Bytes())
	f.Add([]byte(headerLine + trialLine))
	f.Add([]byte(headerLine + `{"type":"series","trial":1,"columns":{"t":[1,null]}}` + "\n" + trialLine))
	f.Add([]byte(headerLine + `{"type":"x"}` + "\n" + `{"type":"tri`))
	f.Fuzz(func(t *testing.T, data []byte) {
		once, ok := rewrite(t, data)
		if !ok {
			return
		}
		twice, ok := rewrite(t, once)
		if !ok || !bytes.Equal(once, twice) {
			t.Errorf("written:\n%s\nread and written again (%v):\n%s", once, ok, twice)
		}
	})
}

// rewrite reads data and writes what it has; not ok if it cannot be read.
func rewrite(t *testing.T, data []byte) ([]byte, bool) {
	series := map[int][]Series{}
	f, err := Read("fuzz", bytes.NewReader(data), func(s *Series) error {
		series[s.Trial] = append(series[s.Trial], *s)
		return nil
	})
	if err != nil {
		return nil, false
	}
	sink := new(memory)
	w := NewWriter("fuzz", sink, *f.Header)
	var hosts []Host
	for _, h := range f.Hosts {
		hosts = append(hosts, *h)
	}
	if err := w.Begin(hosts); err != nil {
		t.Fatal(err)
	}
	for _, trial := range f.Trials {
		if err := w.Trial(trial, series[trial.Trial]); err != nil {
			t.Fatal(err)
		}
	}
	return sink.Bytes(), true
}
