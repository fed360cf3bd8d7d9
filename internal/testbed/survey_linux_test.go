package testbed

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ccbench/internal/probe"
)

// A survey tries everything, leaves nothing, and finds what a kernel always has.
func TestSurvey(t *testing.T) {
	needRoot(t)
	s := New(Options{Version: testVersion}).Survey(t.Context(), nil)
	if s.Failed != nil || s.Unprivileged {
		t.Fatalf("nothing was tried: %+v", s)
	}
	facts := s.Facts(false)
	for _, name := range []string{"network_namespace", "tun", "sysctl", "veth", "offloads", "iptables"} {
		if f := find(t, facts, name, ""); f.Answer != probe.Yes {
			t.Errorf("tests of paths need it: %+v", f)
		}
	}
	if f := find(t, facts, probe.AlgorithmName, "reno"); f.Answer != probe.Yes {
		t.Errorf("%+v", f)
	}
	if f := find(t, facts, probe.QdiscName, "pfifo"); f.Answer != probe.Yes {
		t.Errorf("%+v", f)
	}
	for _, kind := range probe.QdiscKinds {
		want := probe.Qdisc(kind)
		find(t, facts, want.Name, want.Subject)
	}
}

// With a plan it says of it what Check does.
func TestSurveyIsCheck(t *testing.T) {
	needRoot(t)
	bed := New(Options{Version: testVersion})
	for _, algorithm := range []string{"reno", "cubik"} {
		p := planFor(algorithm, every100(1))
		_, err := bed.Check(t.Context(), p)
		facts := bed.Survey(t.Context(), p).Facts(true)
		able := !slices.ContainsFunc(facts, func(f probe.Fact) bool { return f.Answer != probe.Yes })
		if able != (err == nil) {
			t.Errorf("%s: check says %v, the survey %+v", algorithm, err, facts)
		}
	}
}

// The rules of a namespace are counted whichever backend made them, and none is
// added by counting.
func TestForeignRules(t *testing.T) {
	needRoot(t)
	runtime.LockOSThread() // never unlocked: the thread dies with its namespace
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Fatal(err)
	}
	count := func(allowed ...string) {
		t.Helper()
		f := ForeignRules(t.Context(), "/")
		counted := slices.ContainsFunc(allowed, func(text string) bool { return strings.HasPrefix(f.Detail, text) })
		if f.Need != probe.Info || !(f.Answer == probe.Yes && counted || f.Answer == probe.Unknown && f.Why == errNFTables.Error()) {
			t.Errorf("want %q, got %+v", allowed, f)
		}
	}
	count("0 of nf_tables, 0 of ip_tables")
	rule := exec.Command("sh", "-c", "PATH=$PATH:/usr/sbin:/sbin iptables -A INPUT -p tcp --dport 9 -j ACCEPT")
	if said, err := rule.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for range 2 {
		count("1 of nf_tables, 0 of ip_tables", "0 of nf_tables, 1 of ip_tables")
	}
}
