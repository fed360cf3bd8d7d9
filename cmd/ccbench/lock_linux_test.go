package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccbench/internal/hostlock"
	"ccbench/internal/result"
	"ccbench/internal/validity"
)

// fullRun fills its path, as bbr bears the losses. What waits behind a hole at
// the window's open, at most what is in flight, is little beside 2 s of bytes.
const fullRun = `version: 1
name: full
algorithms: [bbr]
repetitions: 1
warmup: 400ms
duration: 2s
path: {engine: userspace, rate: 10mbit, rtt: 20ms, buffer: 1bdp}
drop: {mode: nth, every: 50}
`

// turnRun has trials to take turns with.
const turnRun = `version: 1
name: turn
algorithms: [reno]
repetitions: 2
warmup: 200ms
duration: 600ms
path: {engine: userspace, rate: 10mbit, rtt: 20ms, buffer: 1bdp}
drop: {mode: nth, every: 50}
`

// twins starts two runs of an experiment at once, and returns their results
// and what they said.
func twins(t *testing.T, experiment string, start [2]starter, args ...string) (files [2]*result.File, said string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to build paths and to make an ordinary user")
	}
	var dirs [2]string
	var runs [2]*exec.Cmd
	var stdout, stderr [2]bytes.Buffer
	for i := range runs {
		dirs[i] = experimentIn(t, experiment)
		runs[i] = start[i](t, dirs[i], append([]string{"run", "-o", "out.jsonl", "x.yaml"}, args...)...)
		runs[i].Stdout, runs[i].Stderr = &stdout[i], &stderr[i]
		if err := runs[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range runs {
		if err := r.Wait(); err != nil && !(r.ProcessState.ExitCode() == exitFewValid && busyMachine(stdout[i].String())) {
			t.Fatalf("%v\n%s%s", err, &stdout[i], &stderr[i])
		}
		files[i] = readResults(t, dirs[i])
		said += stderr[i].String()
	}
	return files, said
}

// overlaps counts the pairs of trials, one of each file, that were at work at
// one time. A trial's start is written in whole milliseconds.
func overlaps(files [2]*result.File) int {
	n := 0
	end := func(t *result.Trial) time.Time { return t.Started.Add(time.Duration(t.Took * float64(time.Second))) }
	for _, a := range files[0].Trials {
		for _, b := range files[1].Trials {
			if a.Started.Add(time.Millisecond).Before(end(b)) && b.Started.Add(time.Millisecond).Before(end(a)) {
				n++
			}
		}
	}
	return n
}

// ownPath fails the test unless a trial had its path, and its rule, to itself.
func ownPath(t *testing.T, trial *result.Trial) {
	t.Helper()
	for _, r := range trial.Reasons {
		if r.Verdict == result.Invalid && !validity.OfMachine(r.Check) {
			t.Errorf("trial %d: %s: %s", trial.Trial, r.Check, r.Detail)
		}
	}
	d, path := trial.Drop, trial.Path.Data
	if want := (d.Final.Matched + int64(d.Every-d.First)) / int64(d.Every); d.Final.Hits != want || want == 0 {
		t.Errorf("trial %d: %d of %d dropped, want %d", trial.Trial, d.Final.Hits, d.Final.Matched, want)
	}
	// Every data packet is full, but for the one that the end cut short; beside
	// them there are the handshake, and the resets after the end.
	mss, received := *trial.Flows[0].MSS, *trial.Flows[0].Received
	const others = 200 * 40 // bytes
	data := d.Final.Matched * (mss + 52)
	if path.BytesOut < data-mss || path.BytesOut > data+others {
		t.Errorf("trial %d: %d bytes came out of the path, want the %d of its data packets", trial.Trial, path.BytesOut, data)
	}
	if most := (d.Final.Matched - d.Final.Hits) * mss; received > most || received < most*9/10 {
		t.Errorf("trial %d: %d bytes received, want nearly the %d that passed the rule", trial.Trial, received, most)
	}
	t.Logf("trial %d: %d of %d dropped; %d bytes through the path, %d received; %v",
		trial.Trial, d.Final.Hits, d.Final.Matched, path.BytesOut, received, trial.Reasons)
}

// nearCeiling fails the test unless a trial had all of its 10 Mbit/s, of which
// the rule took one packet in 50.
func nearCeiling(t *testing.T, trial *result.Trial) {
	t.Helper()
	goodput, ceiling := *trial.Metrics["goodput"], 10e6*1448/1514
	t.Logf("trial %d: goodput %.4g of %.4g bit/s", trial.Trial, goodput, ceiling)
	disturbed := slices.ContainsFunc(trial.Reasons, func(r result.Reason) bool { return validity.OfMachine(r.Check) })
	if goodput > ceiling || goodput < ceiling*0.85 && !disturbed {
		t.Errorf("trial %d: goodput %.4g bit/s, want nearly the path's %.4g", trial.Trial, goodput, ceiling)
	}
}

// Two runs at once without the lock do not meet, but on the processors.
func TestTwoRunsAtOnce(t *testing.T) {
	files, said := twins(t, fullRun, [2]starter{asRoot, asRoot}, "--no-lock")
	for _, f := range files {
		for _, trial := range f.Trials {
			ownPath(t, trial)
			nearCeiling(t, trial)
		}
	}
	if overlaps(files) == 0 {
		t.Error("no two trials were at work at one time: nothing is shown")
	}
	if strings.Contains(said, "another ccbench") {
		t.Errorf("they waited for each other:\n%s", said)
	}
}

// With the lock they take turns, also when their users are not the same.
func TestTwoRunsTakeTurns(t *testing.T) {
	files, said := twins(t, turnRun, [2]starter{asRoot, asUser})
	for _, f := range files {
		for _, trial := range f.Trials {
			ownPath(t, trial)
		}
	}
	if n := overlaps(files); n > 0 {
		t.Errorf("%d pairs of trials were at work at one time", n)
	}
	if n := strings.Count(said, "another ccbench"); n < 1 || n > 2 {
		t.Errorf("%d notes of waiting, want one of each run that waited:\n%s", n, said)
	}
}

// takeHostLock takes the lock within some seconds.
func takeHostLock(t *testing.T) *hostlock.Lock {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, errors.New("the lock is not free"))
	defer cancel()
	l, err := hostlock.Take(ctx, func(pid int) { t.Logf("waiting for %d", pid) })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A run that waits says for whom, once, and can be interrupted.
func TestWaitingRunIsInterrupted(t *testing.T) {
	everyUser(t, func(t *testing.T, start starter) {
		lock := takeHostLock(t)
		defer lock.Release()
		dir := experimentIn(t, turnRun)
		run := start(t, dir, "run", "-o", "out.jsonl", "x.yaml")
		stderr, err := run.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		defer time.AfterFunc(20*time.Second, func() { _ = run.Process.Kill() }).Stop() // it would wait for ever
		lines := bufio.NewScanner(stderr)
		want := fmt.Sprintf("another ccbench (pid %d) is measuring on this machine; waiting", os.Getpid())
		for lines.Scan() && !strings.HasPrefix(lines.Text(), want) {
		}
		interrupted := time.Now()
		if err := run.Process.Signal(os.Interrupt); err != nil {
			t.Fatalf("%v; it ended before it said %q", err, want)
		}
		for lines.Scan() {
		}
		err = run.Wait()
		if took := time.Since(interrupted); run.ProcessState.ExitCode() != exitInterrupted || took > 2*time.Second {
			t.Errorf("ended after %v with %v, want status %d at once", took, err, exitInterrupted)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")); left != nil {
			t.Errorf("it left %v", left)
		}
	})
}

// The lock is the coordinator's alone, and ends with it.
func TestKilledRunReleasesTheLock(t *testing.T) {
	everyUser(t, func(t *testing.T, start starter) {
		r := launch(t, start, experimentIn(t, longRun), 0)
		agents, coordinator := r.pids[:3], r.pids[3]
		if !slices.Contains(openFiles(t, coordinator), "/") {
			t.Error("the coordinator does not have the lock")
		}
		for _, pid := range agents {
			if open := openFiles(t, pid); slices.Contains(open, "/") {
				t.Errorf("an agent has the lock's descriptor: %v", open)
			}
		}
		if err := r.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := takeHostLock(t).Release(); err != nil {
			t.Error(err)
		}
		for r.lines.Scan() {
		}
		r.Wait()
		r.gone(t)
	})
}

// openFiles are the paths of a process's descriptors.
func openFiles(t *testing.T, pid int) []string {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(links) == 0 {
		t.Fatalf("process %d has no descriptors: %v", pid, err)
	}
	var open []string
	for _, l := range links {
		if path, err := os.Readlink(l); err == nil { // it may have been closed
			open = append(open, path)
		}
	}
	return open
}
