package droprule

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestInstallAndRemove(t *testing.T) {
	f := &fake{}
	i, err := Install(t.Context(), f, valid())
	if err != nil {
		t.Fatal(err)
	}
	if want := append(valid().ShellLines(), "iptables -w 5 -S"); !slices.Equal(f.ran, want) {
		t.Errorf("ran\n%s\nwant\n%s", strings.Join(f.ran, "\n"), strings.Join(want, "\n"))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := i.Remove(ended); err != nil || !f.clean() {
		t.Errorf("Remove: error %v, left %q %q", err, f.input, f.chain)
	}
}

func TestInstallUndoesWhateverFails(t *testing.T) {
	steps := len(valid().ShellLines()) + 1 // and the listing
	for _, killed := range []bool{false, true} {
		for at := 1; at <= steps; at++ {
			f := &fake{failAt: at, killed: killed}
			i, err := Install(t.Context(), f, valid())
			if err == nil || i != nil {
				t.Fatalf("command %d failed (killed %v), but Install did not", at, killed)
			}
			if !f.clean() {
				t.Errorf("command %d failed (killed %v); left %v %q %q", at, killed, f.exists, f.input, f.chain)
			}
			if killed && !errors.Is(err, errKilled) || strings.Contains(err.Error(), "undoing") {
				t.Errorf("command %d failed (killed %v): %v", at, killed, err)
			}
		}
	}
}

// A chain of that name which was there before is somebody's: it stays.
func TestInstallLeavesAChainThatWasThere(t *testing.T) {
	f := &fake{exists: true, failAt: 1}
	if _, err := Install(t.Context(), f, valid()); err == nil {
		t.Fatal("no error")
	}
	if !f.exists || len(f.ran) != 1 {
		t.Errorf("the chain is gone; ran %q", f.ran)
	}
}

func TestInstallReportsBothFailures(t *testing.T) {
	f := &fake{failAt: 5}
	failing := &alsoFailing{fake: f, word: "-F"}
	_, err := Install(t.Context(), failing, valid())
	if err == nil || !strings.Contains(err.Error(), "it failed") || !strings.Contains(err.Error(), "undoing it: iptables -w 5 -F") {
		t.Errorf("got %v, want both the failure and that of its undoing", err)
	}
	if last := f.ran[len(f.ran)-1]; !strings.Contains(last, "-X") {
		t.Errorf("the last command was %q: undoing stopped early", last)
	}
}

// alsoFailing fails every command with a word in it.
type alsoFailing struct {
	*fake
	word string
}

func (a *alsoFailing) Run(ctx context.Context, argv []string) (Output, error) {
	if slices.Contains(argv, a.word) {
		return Output{Status: 1, Stderr: "cannot"}, nil
	}
	return a.fake.Run(ctx, argv)
}

func TestInstallRefusesOtherRules(t *testing.T) {
	const save = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p tcp -j DROP\nCOMMIT\n"
	check := func(name string, f *fake, want string) {
		t.Helper()
		_, err := Install(t.Context(), f, valid())
		var foreign *ForeignError
		if !errors.As(err, &foreign) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want a ForeignError with %q", name, err, want)
		}
		if f.exists {
			t.Errorf("%s: a chain was made", name)
		}
	}
	check("nf_tables", &fake{nft: []string{"nf_tables inet fw in"}}, "nf_tables inet fw in")
	check("ip_tables", &fake{legacy: []string{"filter"}, saved: save}, "iptables-legacy -A INPUT -p tcp -j DROP")
	check("many", &fake{nft: []string{"a", "b", "c", "d", "e"}}, "a; b; c and 2 more;")

	empty := &fake{legacy: []string{"filter"}, saved: "*filter\n:INPUT ACCEPT [0:0]\nCOMMIT\n"}
	if _, err := Install(t.Context(), empty, valid()); err != nil {
		t.Errorf("a table without rules: %v", err)
	}
}

func TestInstallVerifies(t *testing.T) {
	check := func(name string, f *fake) {
		t.Helper()
		before := len(f.input)
		_, err := Install(t.Context(), f, valid())
		if err == nil || !strings.Contains(err.Error(), "lists back") {
			t.Errorf("%s: got %v, want a complaint about what is listed", name, err)
		}
		if len(f.input) != before || len(f.chain) > 0 {
			t.Errorf("%s: left %q %q", name, f.input, f.chain)
		}
	}
	check("a rule that came between", &fake{input: []string{"-A INPUT -j ACCEPT"}})
	check("a policy that drops", &fake{policy: "DROP"})
}

func TestInstallRefusesAnInvalidRule(t *testing.T) {
	f := &fake{}
	r := valid()
	r.Every = 1
	if _, err := Install(t.Context(), f, r); err == nil || len(f.ran) > 0 {
		t.Errorf("got %v after %q, want an error before anything ran", err, f.ran)
	}
}
