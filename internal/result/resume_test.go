package result

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func free(*os.File) error { return nil }

// wholeFile is a file of a header, a host and n trials with a series each, and
// where in it each trial ends; at 0 is where the header does.
func wholeFile(t *testing.T, n int) (data []byte, ends []int) {
	t.Helper()
	sink := new(memory)
	w := NewWriter("whole", sink, Header{Name: "x"})
	if err := w.Begin([]Host{{Hostname: "h", Kernel: "6.1"}}); err != nil {
		t.Fatal(err)
	}
	ends = append(ends, bytes.IndexByte(sink.Bytes(), '\n')+1)
	for i := range n {
		if err := w.Trial(sampleTrial(i+1), sampleSeries(i+1)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, sink.Len())
	}
	return sink.Bytes(), ends
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// finish resumes path and writes what is missing of n trials.
func finish(t *testing.T, path string, n int) *File {
	t.Helper()
	w, before, err := Resume(path, free)
	if err != nil {
		t.Fatal(err)
	}
	have := map[int]bool{}
	for _, trial := range before.Trials {
		have[trial.Trial] = true
	}
	if len(before.Hosts) == 0 {
		w.Hosts([]Host{{Hostname: "h", Kernel: "6.1"}})
	}
	for i := 1; i <= n; i++ {
		if !have[i] {
			err = errors.Join(err, w.Trial(sampleTrial(i), sampleSeries(i)))
		}
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return before
}

// Torn at any byte after the header, a file is resumed to what it would have
// been: to the byte, for what is written is the same.
func TestResumeTornAnywhere(t *testing.T) {
	whole, ends := wholeFile(t, 2)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	for cut := ends[0]; cut <= len(whole); cut++ {
		write(t, path, whole[:cut])
		before := finish(t, path, 2)
		want := 0
		for _, end := range ends[1:] {
			if cut >= end {
				want++
			}
		}
		if len(before.Trials) != want {
			t.Fatalf("cut at %d: %d trials were found, want %d", cut, len(before.Trials), want)
		}
		if got := content(t, path); !bytes.Equal(got, whole) {
			t.Fatalf("cut at %d: resumed to\n%s\nwant\n%s", cut, got, whole)
		}
	}
}

// Blocks that a crash left as zeros, and lines that broke, are a tail as well.
func TestResumeCutsOffWhatIsNoLine(t *testing.T) {
	whole, ends := wholeFile(t, 2)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	for _, tail := range []string{
		strings.Repeat("\x00", 5000), strings.Repeat("\x00", 10) + "\n", "{\n", `{"type":"trial","trial":2,"verdict":"VALID"}`,
		`{"type":"host"}` + "\n", `{"type":"host"}` + "\n" + `{"type":"series","trial":2}` + "\n", `{"type":"weather"}` + "\n",
	} {
		write(t, path, append(bytes.Clone(whole[:ends[1]]), tail...))
		finish(t, path, 2)
		if got := content(t, path); !bytes.Equal(got, whole) {
			t.Errorf("with the tail %.20q: resumed to\n%s\nwant\n%s", tail, got, whole)
		}
	}
}

// What is torn inside its header, damaged elsewhere, or no results file at
// all, is refused and left as it is.
func TestResumeRefuses(t *testing.T) {
	whole, ends := wholeFile(t, 2)
	damaged := bytes.Clone(whole)
	damaged[ends[1]-3] = '\n'
	path := filepath.Join(t.TempDir(), "r.jsonl")
	for _, test := range []struct {
		name       string
		data       []byte
		want, hint string
	}{
		{"nothing", nil, "r.jsonl is empty", nothingMeasured},
		{"one byte", whole[:1], "its header is incomplete", nothingMeasured},
		{"half a header", whole[:ends[0]/2], "its header is incomplete", nothingMeasured},
		{"a header without its newline", whole[:ends[0]-1], "its header is incomplete", nothingMeasured},
		{"zeros", make([]byte, 100), "not a results file: it has no complete header", ""},
		{"damage", damaged, "broken line", ""},
		{"an experiment", []byte("version: 1\n"), "it starts like YAML", errYAML.hint},
		{"gzip", []byte("\x1f\x8b\x08\x00\n\x00\n"), "compressed with gzip", errGzip.hint},
		{"gzip without a newline", []byte("\x1f\x8b\x08\x00"), "compressed with gzip", errGzip.hint},
	} {
		t.Run(test.name, func(t *testing.T) {
			write(t, path, test.data)
			_, _, err := Resume(path, free)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want %q about %s", err, test.want, path)
			}
			var h interface{ Hint() string }
			if got := errors.As(err, &h); got != (test.hint != "") || got && h.Hint() != test.hint {
				t.Errorf("got %v with a hint: %v; want the hint %q", err, got, test.hint)
			}
			if got := content(t, path); !bytes.Equal(got, test.data) {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

// Opening and closing a file changes nothing: it is written to only when there is a trial.
func TestResumeTouchesNothingBeforeATrial(t *testing.T) {
	whole, ends := wholeFile(t, 2)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	for _, torn := range [][]byte{whole[:ends[0]+5], whole[:ends[1]+5], whole[:len(whole)-1]} {
		write(t, path, torn)
		w, _, err := Resume(path, free)
		if err != nil {
			t.Fatal(err)
		}
		w.Hosts([]Host{{Hostname: "new"}})
		spoiled := sampleTrial(2)
		spoiled.Verdict = ""
		if err := w.Trial(spoiled, nil); err == nil {
			t.Error("a trial without a verdict was taken")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); !bytes.Equal(got, torn) {
			t.Errorf("of %d bytes there are %d", len(torn), len(got))
		}
	}
}

func TestResumeAsksForTheLock(t *testing.T) {
	whole, _ := wholeFile(t, 1)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	write(t, path, whole)
	busy := errors.New("busy")
	if _, _, err := Resume(path, func(*os.File) error { return busy }); !errors.Is(err, busy) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want %v and the file's name", err, busy)
	}
	w, err := Create(filepath.Join(t.TempDir(), "new"), Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Lock(func(*os.File) error { return busy }); !errors.Is(err, busy) {
		t.Errorf("a new file: got %v, want %v", err, busy)
	}
}

// A file that grew since it was read has another writer, which knows no lock.
func TestResumeLeavesAFileThatGrew(t *testing.T) {
	whole, ends := wholeFile(t, 2)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	write(t, path, whole[:ends[1]])
	w, _, err := Resume(path, free)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	write(t, path, whole)
	if err := w.Trial(sampleTrial(2), nil); !errors.Is(err, ErrReplaced) {
		t.Errorf("got %v", err)
	}
	if got := content(t, path); !bytes.Equal(got, whole) {
		t.Error("the file was changed")
	}
}

func TestResumedWriterKnowsItsTrials(t *testing.T) {
	whole, ends := wholeFile(t, 2)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	write(t, path, whole[:ends[1]])
	w, _, err := Resume(path, free)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Trial(sampleTrial(1), nil); err == nil || !strings.Contains(err.Error(), "it was written before") {
		t.Errorf("trial 1 again: got %v", err)
	}
	if err := w.Begin(nil); err == nil {
		t.Error("a second header was taken")
	}
}

// The line of another host comes before the first trial measured there, once,
// and counts when that trial does.
func TestResumeOnAnotherHost(t *testing.T) {
	whole, ends := wholeFile(t, 3)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	write(t, path, whole[:ends[1]])
	w, _, err := Resume(path, free)
	if err != nil {
		t.Fatal(err)
	}
	w.Hosts([]Host{{Hostname: "h", Kernel: "6.2", From: 2, Ccbench: "2.0"}})
	if err := errors.Join(w.Trial(sampleTrial(2), nil), w.Trial(sampleTrial(3), nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Hosts) != 2 || f.Hosts[1].From != 2 || f.Hosts[1].Ccbench != "2.0" || f.Torn {
		t.Errorf("got %d hosts, the last %+v, torn %v", len(f.Hosts), f.Hosts[len(f.Hosts)-1], f.Torn)
	}
	data := content(t, path)
	at := bytes.Index(data, []byte(`{"type":"host","from":2,"ccbench":"2.0",`))
	if at != ends[1] {
		t.Fatalf("the host's line is at %d, want %d", at, ends[1])
	}
	end := at + bytes.IndexByte(data[at:], '\n') + 1
	write(t, path, data[:end])
	if f, err := ReadFile(path); err != nil || len(f.Hosts) != 1 || !f.Torn {
		t.Errorf("without its trial: %d hosts, torn %v, error %v; want the first alone, torn", len(f.Hosts), f.Torn, err)
	}
}

func TestFileSaysWhetherItHasSeries(t *testing.T) {
	for in, want := range map[string]bool{
		headerLine:             false,
		headerLine + trialLine: false,
		headerLine + `{"type":"series","trial":1}` + "\n":             true,
		headerLine + `{"type":"series","trial":1}` + "\n" + trialLine: true,
	} {
		f, err := Read("f", strings.NewReader(in), nil)
		if err != nil || f.HasSeries != want {
			t.Errorf("%q: got %v, %v; want %v", in, f.HasSeries, err, want)
		}
	}
}
