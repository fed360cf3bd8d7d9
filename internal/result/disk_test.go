package result

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that is no longer what was written is not written to any more, and
// nobody takes what is in its place for it.
func TestFileChangedUnderWay(t *testing.T) {
	for name, test := range map[string]struct {
		change func(path string) error
		want   string
	}{
		"truncated": {func(path string) error { return os.Truncate(path, 0) }, "bytes, and has 0 now"},
		"removed":   {os.Remove, "it was moved away or removed"},
		"moved":     {func(path string) error { return os.Rename(path, path+".mine") }, "it was moved away or removed"},
		"replaced": {func(path string) error {
			return errors.Join(os.Rename(path, path+".mine"), os.WriteFile(path, []byte("x"), 0o644))
		}, "another file is in its place"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			w, err := Create(path, Header{Name: "x"})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Begin(nil), w.Trial(sampleTrial(1), nil), test.change(path)); err != nil {
				t.Fatal(err)
			}
			if err := w.Trial(sampleTrial(2), nil); !errors.Is(err, ErrReplaced) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the next trial: got %v, want %q", err, test.want)
			}
			if err := w.Close(); !errors.Is(err, ErrReplaced) {
				t.Errorf("closing: got %v", err)
			}
		})
	}
}

func TestTrialThatContradictsItself(t *testing.T) {
	reason := func(v Verdict) []Reason { return []Reason{{Verdict: v, Check: "window", Detail: "x"}} }
	for name, test := range map[string]struct {
		verdict Verdict
		reasons []Reason
		broke   string
		ok      bool
	}{
		"valid": {Valid, nil, "", true}, "suspect": {Suspect, reason(Suspect), "", true}, "invalid": {Invalid, reason(Invalid), "x", true},
		"valid for a suspect reason": {Valid, reason(Suspect), "", false}, "valid for an invalid reason": {Valid, reason(Invalid), "", false},
		"suspect for an invalid reason": {Suspect, reason(Invalid), "", false}, "valid, and broken": {Valid, nil, "boom", false},
		"suspect, and broken": {Suspect, reason(Suspect), "boom", false}, "invalid without a reason": {Invalid, nil, "", true},
	} {
		trial := sampleTrial(1)
		trial.Verdict, trial.Reasons, trial.Error = test.verdict, test.reasons, test.broke
		if err := trial.check(); (err == nil) != test.ok {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
