package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccbench/internal/plan"
	"ccbench/internal/result"
)

var killSeed = flag.Uint64("killseed", 0, "when TestKilledAndResumed kills; 0: at other moments each time")

// twelveTrials has trials of about half a second each, of some sixty round
// trips, so that they are alike, and of two arms that are not.
const twelveTrials = `version: 1
name: twelve
algorithms: [newreno, cubic]
repetitions: 6
warmup: 100ms
duration: 300ms
path: {engine: userspace, rate: 20mbit, rtt: 5ms, buffer: 1bdp}
drop: {mode: nth, every: 20}
`

// Killed at random moments and resumed, again and again, a run ends with the
// file of one that was left alone: each trial of the plan once, in its order.
func TestKilledAndResumed(t *testing.T) {
	everyUser(t, func(t *testing.T, start starter) {
		seed := *killSeed
		if seed == 0 {
			seed = uint64(time.Now().UnixNano())
		}
		t.Logf("-killseed %d", seed)
		random := rand.New(rand.NewPCG(seed, 0))
		dir := experimentIn(t, twelveTrials)
		const kills = 8
		parts := map[int]bool{} // numbers of trials after which it was killed
		for range kills {
			before := committed(t, dir)
			args := runOrResume(dir)
			killAt(t, start(t, dir, args...), time.Duration(random.Int64N(int64(1500*time.Millisecond))), random.IntN(2) == 0)
			idle(t, dir)
			after := committed(t, dir)
			if !bytes.HasPrefix(after, before) {
				t.Fatalf("%v: of the %d bytes that were there, not all are as they were", args, len(before))
			}
			parts[bytes.Count(after, []byte("\n{\"type\":\"trial\""))] = true
		}
		for n := range parts {
			t.Logf("killed after %d of 12 trials", n)
		}
		if delete(parts, 0); len(parts) == 0 {
			t.Error("no kill was in mid-run: nothing was shown")
		}
		finished(t, start(t, dir, runOrResume(dir)...))
		checkPlanned(t, dir)
		if t.Failed() {
			return
		}
		idle(t, dir)
		before := content(t, dir)
		said := finished(t, start(t, dir, "run", "--resume", "out.jsonl", "x.yaml"))
		if !strings.Contains(said, "nothing left to do") || !bytes.Equal(content(t, dir), before) {
			t.Errorf("resumed when it was whole, it said %s", said)
		}
		if strings.HasSuffix(t.Name(), "/root") { // once is enough
			compareWithUndisturbed(t, start, dir)
		}
	})
}

func runOrResume(dir string) []string {
	// A kill may come before the file is there.
	if data, err := os.ReadFile(filepath.Join(dir, "out.jsonl")); err == nil && len(data) > 0 {
		return []string{"run", "--resume", "out.jsonl"}
	}
	return []string{"run", "-o", "out.jsonl", "x.yaml"}
}

// killAt kills the run, or the process that it measures in where that is
// another one, when a time has passed.
func killAt(t *testing.T, cmd *exec.Cmd, after time.Duration, inner bool) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended: // all trials may be done by then
		if status := cmd.ProcessState.ExitCode(); status != exitOK && status != exitFewValid {
			t.Fatalf("%v\n%s", err, said.String())
		}
		return
	case <-time.After(after):
	}
	pid := cmd.Process.Pid
	if child := childOf(pid); inner && child > 0 {
		pid = child
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
	<-ended
}

// childOf is a child of a ccbench that has started itself in a user namespace; else 0.
func childOf(pid int) int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, word := range strings.Fields(string(text)) {
			line, _ := os.ReadFile("/proc/" + word + "/cmdline")
			if child, err := strconv.Atoi(word); err == nil && bytes.Contains(line, []byte("\x00--lifeline\x00")) {
				return child
			}
		}
	}
	return 0
}

// idle waits until no process has the results file or, for a user, the program any more.
func idle(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		err := errors.Join(unlocked(filepath.Join(dir, "out.jsonl")), notRunning(filepath.Join(dir, "ccbench")))
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("5 s after the kill: %v", err)
		}
	}
}

func unlocked(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// notRunning asks the kernel, which lets nobody write to a program that runs.
func notRunning(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func content(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "out.jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

// committed is the part of the results file that no later run may change.
func committed(t *testing.T, dir string) []byte {
	t.Helper()
	data, end, at := content(t, dir), 0, 0
	for line := range bytes.Lines(data) {
		at += len(line)
		whole := bytes.HasSuffix(line, []byte("\n"))
		if whole && (bytes.HasPrefix(line, []byte(`{"type":"trial"`)) || bytes.HasPrefix(line, []byte(`{"type":"header"`))) {
			end = at
		}
	}
	return data[:end]
}

// finished lets a run end, and returns what it said.
func finished(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	said, err := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); err != nil && !(status == exitFewValid && busyMachine(string(said))) {
		t.Fatalf("%v\n%s", err, said)
	}
	return string(said)
}

// checkPlanned fails the test unless the file has exactly the trials of its plan, in order.
func checkPlanned(t *testing.T, dir string) {
	t.Helper()
	p, err := loadPlan(filepath.Join(dir, "x.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	file := readResults(t, dir)
	if file.Torn || len(file.Trials) != len(p.Trials) || len(file.Hosts) != 1 {
		t.Fatalf("torn %v, %d trials, %d hosts; want a whole file of %d trials on one host",
			file.Torn, len(file.Trials), len(file.Hosts), len(p.Trials))
	}
	for i, trial := range file.Trials {
		if want := p.Trials[i]; !isTrial(trial, want) {
			t.Errorf("trial %d of block %d, %v, is where %d of block %d, %v is planned",
				trial.Trial, trial.Block, trial.Labels, want.Index, want.Block, want.Labels)
		}
	}
}

func isTrial(got *result.Trial, want plan.Trial) bool {
	phase := got.Drop == nil || got.Drop.First == want.Drop.First
	return got.Trial == want.Index && got.Block == want.Block && maps.Equal(got.Labels, want.Labels) && phase
}

// compareWithUndisturbed holds the arms' means against those of a run that was
// left alone: they differ by at most 5 standard errors and 5 %, the former
// being what chance leaves and the latter what the machine may drift.
func compareWithUndisturbed(t *testing.T, start starter, dir string) {
	t.Helper()
	whole := experimentIn(t, twelveTrials)
	finished(t, start(t, whole, "run", "-o", "out.jsonl", "x.yaml"))
	was, is := readResults(t, whole), readResults(t, dir)
	for _, arm := range was.Header.Arms {
		a, aErr := meanOf(was, arm.Name)
		b, bErr := meanOf(is, arm.Name)
		if bound := 5*math.Hypot(aErr, bErr) + 0.05*a; !(math.Abs(a-b) <= bound) {
			t.Errorf("%s: %.3g bit/s undisturbed, %.3g after kills; want them within %.2g", arm.Name, a, b, bound)
		} else {
			t.Logf("%s: %.4g bit/s undisturbed, %.4g after kills, bound %.2g", arm.Name, a, b, bound)
		}
	}
}

// meanOf is an arm's mean goodput and its standard error, over all trials that
// have one: on a busy machine few may be valid.
func meanOf(file *result.File, arm string) (mean, stderr float64) {
	var n, sum, squares float64
	for _, trial := range file.Trials {
		if g := trial.Metrics["goodput"]; g != nil && trial.Labels["arm"] == arm {
			n, sum, squares = n+1, sum+*g, squares+*g**g
		}
	}
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean) / (n - 1))
}

// A run under way has its file to itself. Interrupted, it goes on with
// --resume; interrupted there before anything new is measured, the file is as it was.
func TestResumeAndTheRunUnderWay(t *testing.T) {
	everyUser(t, func(t *testing.T, start starter) {
		dir := experimentIn(t, longRun)
		r := launch(t, start, dir, 1)
		// The program of a user is copied beside the file; this one is not.
		busy := asRoot(t, dir, "run", "--resume", "out.jsonl")
		said, _ := busy.CombinedOutput()
		if busy.ProcessState.ExitCode() != exitFailed {
			t.Errorf("resumed under way: status %d", busy.ProcessState.ExitCode())
		}
		oneErrorOneHint(t, string(said), "out.jsonl: it is being written by another ccbench", "wait for its end")
		interrupt(t, r.Cmd)
		rest := new(bytes.Buffer)
		rest.ReadFrom(r.stderrRest())
		if r.Wait(); r.ProcessState.ExitCode() != exitInterrupted {
			t.Errorf("the run under way ended with status %d: %s", r.ProcessState.ExitCode(), rest)
		}
		idle(t, dir)
		before, trials := content(t, dir), len(readResults(t, dir).Trials)

		again := start(t, dir, "run", "--resume", "out.jsonl")
		stderr, err := again.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		again.Stdout = &table
		if err := again.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stderr)
		welcome := fmt.Sprintf("resuming out.jsonl: %d of 100 trials done", trials)
		for lines.Scan() && lines.Text() != welcome {
			t.Logf("it said %s", lines.Text())
		}
		interrupt(t, again)
		for lines.Scan() {
			t.Logf("it said %s", lines.Text())
		}
		if again.Wait(); again.ProcessState.ExitCode() != exitInterrupted {
			t.Errorf("the resumed run ended with status %d", again.ProcessState.ExitCode())
		}
		if !bytes.Equal(content(t, dir), before) {
			t.Error("it was interrupted in its first trial, and yet the file has changed")
		}
		if !regexp.MustCompile(`(?m)^reno +[0-9]/100 `).MatchString(table.String()) {
			t.Errorf("no table of what the file has:\n%s", table.String())
		}
	})
}

func interrupt(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}
