package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccbench/internal/probe"
)

// diagnosis runs doctor --json and reads what it says, and its exit status.
func diagnosis(t *testing.T, cmd *exec.Cmd) (probe.Report, int) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var r probe.Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	for _, f := range r.Facts {
		if (f.Cure != "") != (f.Answer == probe.No) || (f.Why != "") != (f.Answer == probe.Unknown) || f.Detail == "" {
			t.Errorf("cure, why and detail do not fit the answer: %+v", f)
		}
	}
	return r, cmd.ProcessState.ExitCode()
}

// names are those of the facts, with their subjects, in order.
func names(r probe.Report) []string {
	var all []string
	for _, f := range r.Facts {
		all = append(all, strings.TrimSpace(f.Name+" "+f.Subject))
	}
	slices.Sort(all)
	return all
}

// touched is what doctor could have changed of the machine's network.
func touched(t *testing.T) string {
	t.Helper()
	devices, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(len(devices))
	for _, file := range []string{"tcp_rmem", "tcp_wmem", "tcp_no_metrics_save", "tcp_available_congestion_control"} {
		content, err := os.ReadFile("/proc/sys/net/ipv4/" + file)
		if err != nil {
			t.Fatal(err)
		}
		text += "\n" + file + ": " + string(content)
	}
	return text
}

// An ordinary user gets root's list, and the answers that a run would give;
// nothing of the machine changes.
func TestDoctorAsAnyUser(t *testing.T) {
	before := touched(t)
	defer func() {
		if after := touched(t); after != before {
			t.Errorf("before\n%s\nafter\n%s", before, after)
		}
	}()
	lists := map[string][]string{}
	everyUser(t, func(t *testing.T, start starter) {
		r, status := diagnosis(t, start(t, experimentIn(t, shortRun), "doctor", "--json"))
		if status != exitOK || !r.Able {
			t.Errorf("status %d, able %v: %+v", status, r.Able, r.Facts)
		}
		want := map[string]probe.Answer{"tun": probe.Yes, "network_namespace": probe.Yes, "iptables": probe.Yes, "veth": probe.Yes}
		if strings.HasSuffix(t.Name(), "/user") {
			want["foreign_rules"] = probe.Unknown
		}
		for _, f := range r.Facts {
			if w := want[f.Name]; w != "" && f.Answer != w {
				t.Errorf("want %s of %+v", w, f)
			}
		}
		lists[t.Name()] = names(r)
	})
	root, user := lists["TestDoctorAsAnyUser/root"], lists["TestDoctorAsAnyUser/user"]
	if !slices.Equal(root, user) {
		t.Errorf("root gets\n%q, a user\n%q", root, user)
	}
}

// Doctor says no to what a run refuses, and to nothing else.
func TestDoctorIsNoSecondOpinion(t *testing.T) {
	const noIptables = `mount -t tmpfs tmpfs /usr/sbin && { [ -L /sbin ] || mount -t tmpfs tmpfs /sbin; } && PATH=/usr/bin:/bin exec "$@"`
	brief := strings.NewReplacer("repetitions: 2", "repetitions: 1", "duration: 500ms", "duration: 100ms", "warmup: 200ms", "warmup: 100ms").Replace(shortRun)
	for name, test := range map[string]struct {
		script string // "": as it is
		set    []string
		refuse string // the name of the fact; "": none
	}{
		"good":                {},
		"good, over a veth":   {set: []string{"path={engine: direct}"}},
		"unknown algorithm":   {set: []string{"algorithms=[newreno, cubik]"}, refuse: "congestion_control"},
		"unknown sysctl":      {set: []string{"sysctl.net.ipv4.tcp_ecm=1"}, refuse: "sysctl"},
		"a value refused":     {set: []string{"sysctl.net.ipv4.tcp_ecn=77"}, refuse: "sysctl"},
		"no iptables":         {script: noIptables, refuse: "iptables"},
		"no TUN":              {script: `mount -t tmpfs tmpfs /dev/net && exec "$@"`, refuse: "tun"},
		"no room for results": {script: `mkdir results && mount -t tmpfs -o ro tmpfs results && exec "$@"`, refuse: "results_folder"},
		"a full disk":         {script: `mkdir results && mount -t tmpfs -o mode=777,size=64k tmpfs results && { cat /dev/zero >results/full 2>/dev/null; exec "$@"; }`, refuse: "disk"},
	} {
		t.Run(name, func(t *testing.T) {
			everyUser(t, func(t *testing.T, start starter) {
				with := func(command ...string) *exec.Cmd {
					dir := experimentIn(t, brief)
					args := append(command, "x.yaml")
					for _, set := range test.set {
						args = append(args, "--set", set)
					}
					return startWithout(t, start, dir, test.script, args)
				}
				r, status := diagnosis(t, with("doctor", "--json"))
				var against []string
				for _, f := range r.Facts {
					if f.Need == probe.Required && f.Answer != probe.Yes {
						against = append(against, f.Name)
					}
				}
				if want := strings.Fields(test.refuse); !slices.Equal(against, want) || (status == exitOK) != r.Able || r.Able != (test.refuse == "") {
					t.Errorf("doctor: status %d, able %v, against it %q; want %q", status, r.Able, against, want)
				}
				run := with("run", "-q")
				said, _ := run.CombinedOutput()
				refused := run.ProcessState.ExitCode() == exitFailed
				if refused != (test.refuse != "") {
					t.Errorf("run ended with status %d:\n%s", run.ProcessState.ExitCode(), said)
				}
				for _, f := range r.Facts { // how much is left on a disk, run does not say
					if refused && f.Name == test.refuse && f.Answer == probe.No && f.Name != "disk" && !strings.Contains(string(said), f.Detail) {
						t.Errorf("doctor says %q, run\n%s", f.Detail, said)
					}
				}
			})
		})
	}
}

// startWithout starts the program as start does, in a mount namespace that a
// script has changed before.
func startWithout(t *testing.T, start starter, dir, script string, args []string) *exec.Cmd {
	t.Helper()
	cmd := start(t, dir, args...)
	if script == "" {
		return cmd
	}
	binary := filepath.Join(dir, "ccbench")
	if _, err := os.Stat(binary); err != nil {
		return without(t, dir, script, args...)
	}
	// A user's: the script comes before the user is made, and after the TUN device is.
	become := strings.Replace(script, `exec "$@"`, fmt.Sprintf(`exec setpriv --reuid %[1]d --regid %[1]d --clear-groups -- "$@"`, userID), 1)
	device := `mount -t tmpfs -o mode=755 tmpfs /dev/net && mknod -m 666 /dev/net/tun c 10 200 && `
	return without(t, dir, device+become, args...)
}

// Where there can be no user namespace an ordinary user still gets the list.
func TestDoctorWithoutUserNamespaces(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to take things away from the program")
	}
	// Root of a user namespace over a network namespace that is not its own is
	// a user that may not make one more.
	dir := experimentIn(t, shortRun)
	cmd := without(t, dir, `echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"`, "doctor", "--json")
	inUserNamespace(cmd)
	r, status := diagnosis(t, cmd)
	if status != exitFailed || r.Able || len(r.Facts) < 20 {
		t.Errorf("status %d, able %v, %d facts", status, r.Able, len(r.Facts))
	}
	for _, f := range r.Facts {
		switch f.Name {
		case "user_namespaces", "privilege":
			if f.Answer != probe.No || !strings.Contains(f.Cure, "user.max_user_namespaces") {
				t.Errorf("want no, and which knob: %+v", f)
			}
		case "tun", "iptables", "network_namespace":
			if f.Answer != probe.Unknown {
				t.Errorf("nothing could be tried: %+v", f)
			}
		}
	}
}
