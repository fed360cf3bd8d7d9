package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccbench/internal/link"
	"ccbench/internal/result"
)

// userID is the ordinary user that the tests make: a uid of no account.
const userID = 54321

// asRoot and asUser start the program with arguments in a folder of its own.
type starter func(t *testing.T, dir string, args ...string) *exec.Cmd

func asRoot(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program(t), args...)
	cmd.Args[0] = "ccbench"
	cmd.Dir = dir
	return cmd
}

// userScript gives an ordinary user the TUN device that udev gives everybody
// (mode 0666), in a mount namespace, and becomes that user for good.
const userScript = `mount -t tmpfs -o mode=755 tmpfs /dev/net && mknod -m 666 /dev/net/tun c 10 200 &&
exec setpriv --reuid %[1]d --regid %[1]d --clear-groups --no-new-privs -- "$@"`

func asUser(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	return without(t, dir, fmt.Sprintf(userScript, userID), args...)
}

func program(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// everyUser runs a test as root and as an ordinary user.
func everyUser(t *testing.T, test func(t *testing.T, start starter)) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to build paths and to make an ordinary user")
	}
	t.Run("root", func(t *testing.T) { test(t, asRoot) })
	t.Run("user", func(t *testing.T) { test(t, asUser) })
}

const shortRun = `version: 1
name: short
algorithms: [newreno, cubic]
repetitions: 2
warmup: 200ms
duration: 500ms
path: {engine: userspace, rate: 20mbit, rtt: 10ms, buffer: 1bdp}
drop: {mode: nth, every: 50}
`

// longRun has a first trial that is soon done and a second that is not.
const longRun = `version: 1
name: long
algorithms: [reno]
repetitions: 100
warmup: 100ms
duration: 600ms
path: {engine: userspace, rate: 20mbit, rtt: 10ms, buffer: 1bdp}
drop: {mode: nth, every: 50}
`

func experimentIn(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The same file gives the same table in kind, whoever runs it; and what
// compare makes of the results is the table that run printed.
func TestRunAsAnyUser(t *testing.T) {
	everyUser(t, func(t *testing.T, start starter) {
		dir := experimentIn(t, shortRun)
		cmd := start(t, dir, "run", "-o", "out.jsonl", "x.yaml")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil && !(cmd.ProcessState.ExitCode() == exitFewValid && busyMachine(stdout.String())) {
			t.Fatalf("%v\n%s%s", err, stdout.String(), stderr.String())
		}
		n := `[0-2]/2`
		sentence := `(?m)^cubic vs newreno `
		if !strings.Contains(stdout.String(), "INVALID") {
			n, sentence = `2/2`, `(?m)^cubic vs newreno [−+][0-9.]+% \(95% interval .*n=2\+2, paired\)`
		}
		for _, want := range []string{
			`(?m)^goodput, .*bit/s, higher is better$`, `(?m)^newreno +` + n + ` .* baseline`, `(?m)^cubic +` + n + ` `, sentence,
		} {
			if !regexp.MustCompile(want).MatchString(stdout.String()) {
				t.Errorf("the table lacks %s:\n%s", want, stdout.String())
			}
		}
		again, err := start(t, dir, "compare", "out.jsonl").Output()
		if status := cmd.ProcessState.ExitCode(); !bytes.Equal(again, stdout.Bytes()) || err != nil && status == exitOK {
			t.Errorf("run ended with status %d, compare with %v and\n%s", status, err, again)
		}
	})
}

// running is a run under way.
type running struct {
	*exec.Cmd
	lines  *bufio.Scanner // of its standard error
	stdout bytes.Buffer
	pids   []int
	nsids  []int // of its agents, in this process's namespace
	rule   string
}

// launch starts a run with -v and follows it until n trials are done and the
// next one's agents are there.
func launch(t *testing.T, start starter, dir string, n int) *running {
	t.Helper()
	r := &running{Cmd: start(t, dir, "run", "-v", "-o", "out.jsonl", "x.yaml")}
	r.Stdout = &r.stdout
	stderr, err := r.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	r.lines = bufio.NewScanner(stderr)
	agent := regexp.MustCompile(`^  (sender|receiver|path): pid ([0-9]+), nsid [0-9]+: (nsenter .*)$`)
	for done := 0; (done < n || len(r.pids) < 3) && r.lines.Scan(); {
		if strings.Contains(r.lines.Text(), "Mbit/s, ") {
			done, r.pids, r.nsids = done+1, nil, nil
		}
		if m := agent.FindStringSubmatch(r.lines.Text()); m != nil {
			r.found(t, m, done >= n)
		}
	}
	if len(r.pids) != 3 {
		t.Fatalf("%d agents of trial %d seen; %s", len(r.pids), n+1, r.stdout.String())
	}
	// The coordinator is another process than the one started, for a user.
	r.pids = append(r.pids, parentOf(t, r.pids[0]))
	return r
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^PPid:\t([0-9]+)$`).FindSubmatch(status)
	if match == nil {
		t.Fatalf("no parent in %s", status)
	}
	parent, err := strconv.Atoi(string(match[1]))
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

// found notes an agent; one of the trial to look at gets an id here as well.
func (r *running) found(t *testing.T, match []string, wanted bool) {
	t.Helper()
	pid, err := strconv.Atoi(match[2])
	if err != nil {
		t.Fatal(err)
	}
	r.pids = append(r.pids, pid)
	if match[1] == "receiver" {
		r.rule = match[3]
	}
	if !wanted {
		return
	}
	nsid, err := link.AssignNSID(pid)
	if err != nil {
		t.Fatal(err)
	}
	r.nsids = append(r.nsids, nsid)
}

// gone fails the test unless within 2 s no namespace and no process of the
// trial is left.
func (r *running) gone(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(time.Millisecond) {
		left := r.left(t)
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left after 2 s: %s", left)
		}
	}
}

func (r *running) left(t *testing.T) string {
	t.Helper()
	ids, err := link.ListNSIDs()
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, id := range r.nsids {
		if slices.Contains(ids, id) {
			left = append(left, fmt.Sprint("namespace ", id))
		}
	}
	for _, pid := range r.pids {
		// One that has ended but not been waited for has no program any more.
		if _, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil {
			left = append(left, fmt.Sprint("process ", pid))
		}
	}
	return strings.Join(left, ", ")
}

func readResults(t *testing.T, dir string) *result.File {
	t.Helper()
	file, err := result.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Killed in mid-run, whichever of its processes that is, a run leaves no agent
// and no namespace, and what it had measured can be read.
func TestKilledRunLeavesNothing(t *testing.T) {
	everyUser(t, func(t *testing.T, start starter) {
		dir := experimentIn(t, longRun)
		r := launch(t, start, dir, 2)
		if err := r.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		r.gone(t)
		io.Copy(io.Discard, r.stderrRest())
		r.Wait()
		if file := readResults(t, dir); len(file.Trials) < 2 {
			t.Errorf("%d trials in the file, want the 2 that were done", len(file.Trials))
		}
	})
}

// stderrRest is what the run still has to say.
func (r *running) stderrRest() io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		if !r.lines.Scan() {
			return 0, io.EOF
		}
		return copy(p, r.lines.Bytes()), nil
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Interrupted, a run undoes its trial, keeps the others, prints their table
// and says so with its status.
func TestInterruptedRunKeepsItsTrials(t *testing.T) {
	everyUser(t, func(t *testing.T, start starter) {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			dir := experimentIn(t, longRun)
			r := launch(t, start, dir, 2)
			if err := r.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(r.stderrRest()) // without its newlines
			err := r.Wait()
			if r.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(string(rest), "error: interrupted"+"hint: ccbench run --resume out.jsonl goes on with it") {
				t.Errorf("%v: got %v, want status %d; it said %s", signal, err, exitInterrupted, rest)
			}
			r.gone(t)
			if file := readResults(t, dir); len(file.Trials) != 2 || file.Torn {
				t.Errorf("%v: %d trials, torn %v; want 2 whole ones", signal, len(file.Trials), file.Torn)
			}
			if !regexp.MustCompile(`(?m)^reno +[0-2]/100 `).MatchString(r.stdout.String()) {
				t.Errorf("%v: no table of the 2 trials:\n%s", signal, r.stdout.String())
			}
		}
	})
}

// What -v prints leads a person to the rule at work.
// A results file that others put another one in the place of ends the run: the
// other one's table is not taken for its own.
func TestRunWhoseFileIsReplaced(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, as a path is built")
	}
	dir := experimentIn(t, longRun)
	r := launch(t, asRoot, dir, 1)
	path := filepath.Join(dir, "out.jsonl")
	if err := os.Rename(path, path+".mine"); err != nil {
		t.Fatal(err)
	}
	copyFile(t, "../../internal/result/testdata/results-v1-small.jsonl", path)
	rest, _ := io.ReadAll(r.stderrRest()) // without its newlines
	err := r.Wait()
	if r.ProcessState.ExitCode() != exitFailed || !strings.Contains(string(rest), "another file is in its place") || r.stdout.Len() > 0 {
		t.Errorf("got %v, want status %d; it said %s%s", err, exitFailed, rest, r.stdout.String())
	}
	r.gone(t)
	if file, err := result.ReadFile(path + ".mine"); err != nil || len(file.Trials) == 0 || file.Torn {
		t.Errorf("what was measured: %v, %v", file, err)
	}
}

func TestManualView(t *testing.T) {
	everyUser(t, func(t *testing.T, start starter) {
		dir := experimentIn(t, strings.Replace(longRun, "duration: 600ms", "duration: 4s", 1))
		r := launch(t, start, dir, 0)
		defer func() { r.Process.Kill(); io.Copy(io.Discard, r.stderrRest()); r.Wait(); r.gone(t) }()
		// The rule is installed a little after the agents are there.
		want := regexp.MustCompile(`DROP .*statistic mode nth every 50`)
		enter := r.rule
		if strings.Contains(enter, " -U ") { // it is the user who looks
			enter = fmt.Sprintf("setpriv --reuid %[1]d --regid %[1]d --clear-groups %[2]s", userID, enter)
		}
		var out []byte
		for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
			look := exec.Command("sh", "-c", enter+" iptables -L -v -x -n")
			look.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
			if out, _ = look.CombinedOutput(); want.Match(out) {
				return
			}
		}
		t.Errorf("%s shows no rule:\n%s", r.rule, out)
	})
}
