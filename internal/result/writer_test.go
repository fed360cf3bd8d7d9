package result

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// memory is a sink that counts and can be made to fail.
type memory struct {
	bytes.Buffer
	writes, syncs       int
	writeError, syncErr error
}

func (m *memory) Write(p []byte) (int, error) {
	m.writes++
	if m.writeError != nil {
		n, _ := m.Buffer.Write(p[:len(p)/2]) // a bytes.Buffer takes all
		return n, m.writeError
	}
	return m.Buffer.Write(p)
}

func (m *memory) Sync() error {
	m.syncs++
	return m.syncErr
}

func number(v float64) *float64 { return &v }

func sampleTrial(n int) *Trial {
	return &Trial{
		Trial: n, Block: 1, Verdict: Valid, Started: time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC),
		Labels:  map[string]string{"arm": "cubic"},
		Metrics: map[string]*float64{"goodput": number(9.5e7), "rtt_p99": nil},
		Drop:    &Drop{Rule: []string{"iptables -A x -m length --length 61: && a < b"}},
	}
}

func sampleSeries(n int) []Series {
	return []Series{{Trial: n, Side: Sender, Columns: map[string]Column{"t": {0.1, 0.2}, "rtt": {math.NaN(), 1.0 / 3}}}}
}

func begin(t *testing.T, sink Sink) *Writer {
	t.Helper()
	w := NewWriter("r.jsonl", sink, Header{Name: "x"})
	if err := w.Begin([]Host{{Hostname: "h"}}); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWrittenIsRead(t *testing.T) {
	sink := new(memory)
	w := begin(t, sink)
	for n := 1; n <= 2; n++ {
		if err := w.Trial(sampleTrial(n), sampleSeries(n)); err != nil {
			t.Fatal(err)
		}
	}
	if sink.writes != 3 || sink.syncs != 3 {
		t.Errorf("%d writes and %d syncs; want one of each for the header and for each trial", sink.writes, sink.syncs)
	}
	checkPrefixes(t, sink.String())
	if !strings.Contains(sink.String(), "&& a < b") {
		t.Error("a rule is not written as it is")
	}
	var series []Series
	f, err := Read("r.jsonl", bytes.NewReader(sink.Bytes()), func(s *Series) error {
		series = append(series, *s)
		return nil
	})
	if err != nil || f.Torn {
		t.Fatalf("got %v, torn %v", err, f.Torn)
	}
	want := sampleTrial(2)
	want.Type, want.Reasons = TypeTrial, []Reason{}
	if !reflect.DeepEqual(f.Trials[1], want) {
		t.Errorf("trial: got %+v, want %+v", f.Trials[1], want)
	}
	rtt := series[1].Columns["rtt"]
	if len(series) != 2 || !math.IsNaN(rtt[0]) || rtt[1] != 1.0/3 {
		t.Errorf("series: got %+v", series)
	}
}

func checkPrefixes(t *testing.T, text string) {
	t.Helper()
	want := []string{"header", "host", "series", "trial", "series", "trial"}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, `{"type":"`+want[i]+`",`) {
			t.Errorf("line %d starts %.20q, want type %s", i+1, line, want[i])
		}
	}
}

func TestLongLines(t *testing.T) {
	long := make(Column, 30_000)
	for i := range long {
		long[i] = float64(i) / 7
	}
	sink := new(memory)
	w := begin(t, sink)
	if err := w.Trial(sampleTrial(1), []Series{{Trial: 1, Columns: map[string]Column{"t": long}}}); err != nil {
		t.Fatal(err)
	}
	var got Column
	_, err := Read("r.jsonl", &sink.Buffer, func(s *Series) error {
		got = s.Columns["t"]
		return nil
	})
	if err != nil || !reflect.DeepEqual(got, long) {
		t.Errorf("%d of %d samples came back, error %v", len(got), len(long), err)
	}
}

func TestWriterRefusesRecords(t *testing.T) {
	for _, test := range []struct {
		name   string
		spoil  func(*Trial, []Series)
		reason string
	}{
		{"NaN metric", func(r *Trial, _ []Series) { r.Metrics["goodput"] = number(math.NaN()) }, "metric goodput is NaN"},
		{"infinite metric", func(r *Trial, _ []Series) { r.Metrics["goodput"] = number(math.Inf(-1)) }, "metric goodput is -Inf"},
		{"NaN elsewhere", func(r *Trial, _ []Series) { r.Window.Sender = number(math.NaN()) }, "NaN"},
		{"infinite sample", func(_ *Trial, s []Series) { s[0].Columns["rtt"][1] = math.Inf(1) }, "infinite"},
		{"uneven columns", func(_ *Trial, s []Series) { s[0].Columns["rtt"] = s[0].Columns["rtt"][:1] }, "samples"},
		{"series of another trial", func(_ *Trial, s []Series) { s[0].Trial = 7 }, "trial 7"},
		{"no verdict", func(r *Trial, _ []Series) { r.Verdict = "" }, `verdict ""`},
	} {
		t.Run(test.name, func(t *testing.T) {
			sink := new(memory)
			w := begin(t, sink)
			before := sink.String()
			trial, series := sampleTrial(3), sampleSeries(3)
			test.spoil(trial, series)
			err := w.Trial(trial, series)
			if err == nil || !strings.HasPrefix(err.Error(), "writing trial 3 to r.jsonl: ") || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("got error %v, want one about %s", err, test.reason)
			}
			if sink.String() != before {
				t.Errorf("written all the same: %s", sink.String()[len(before):])
			}
			if err := w.Trial(sampleTrial(3), sampleSeries(3)); err != nil {
				t.Errorf("after a refusal a good record is refused too: %v", err)
			}
		})
	}
}

func TestWriterKeepsOrder(t *testing.T) {
	w := NewWriter("r.jsonl", new(memory), Header{})
	if err := w.Trial(sampleTrial(1), nil); err == nil {
		t.Error("a trial before the header was taken")
	}
	w = begin(t, new(memory))
	if err := w.Begin(nil); err == nil {
		t.Error("a second header was taken")
	}
	if err := w.Trial(sampleTrial(1), nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Trial(sampleTrial(1), nil); err == nil {
		t.Error("a trial was taken twice")
	}
}

// After a failed write the end of the file is unknown; nothing may follow it.
func TestWriterStopsAfterFailure(t *testing.T) {
	full := errors.New("no space left on device")
	for _, test := range []struct {
		name string
		fail func(*memory)
	}{
		{"write", func(m *memory) { m.writeError = full }},
		{"sync", func(m *memory) { m.syncErr = full }},
	} {
		t.Run(test.name, func(t *testing.T) {
			sink := new(memory)
			w := begin(t, sink)
			test.fail(sink)
			err := w.Trial(sampleTrial(1), sampleSeries(1))
			if !errors.Is(err, full) || !strings.Contains(err.Error(), "trial 1 to r.jsonl (") || !strings.Contains(err.Error(), " bytes)") {
				t.Errorf("got %v; want trial, file, bytes and %v", err, full)
			}
			sink.writeError, sink.syncErr = nil, nil
			before := sink.String()
			if err := w.Trial(sampleTrial(2), nil); !errors.Is(err, full) {
				t.Errorf("the next trial: got %v, want %v", err, full)
			}
			if sink.String() != before {
				t.Error("something follows what may be torn")
			}
			if _, err := Read("r.jsonl", bytes.NewReader(sink.Bytes()), nil); err != nil {
				t.Errorf("what is there cannot be read: %v", err)
			}
		})
	}
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path, Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Begin(nil), w.Trial(sampleTrial(1), nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(path)
	if err != nil || len(f.Trials) != 1 || f.Header.Version != Version {
		t.Fatalf("got %+v, %v", f, err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, Header{}); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("creating it again: got %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed: %v", err)
	}
}

// What is in the way is named for what it is, and left alone.
func TestCreateOverWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "null")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:        dir + " is a directory; name a file in it",
		dir + "/":  dir + "/ is a directory; name a file in it",
		os.DevNull: os.DevNull + " is a device; results go to a regular file",
		link:       link + " is a device;",
	} {
		if _, err := Create(path, Header{}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "overwritten") {
			t.Errorf("creating %s: got %v, want %q", path, err, want)
		}
	}
	for mode, want := range map[fs.FileMode]string{
		fs.ModeNamedPipe | 0o644: "a pipe (FIFO)", fs.ModeSocket: "a socket", fs.ModeDevice | fs.ModeCharDevice: "a device", fs.ModeIrregular: "a special file",
	} {
		if got := kind(mode); got != want {
			t.Errorf("%v: got %s, want %s", mode, got, want)
		}
	}
	if _, err := Create(filepath.Join(dir, "none", "x"), Header{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a directory that is not there: got %v", err)
	}
}

func TestCloseRemovesEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := Create(path, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty file is left: %v", err)
	}
}

func TestReadFileMissing(t *testing.T) {
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
