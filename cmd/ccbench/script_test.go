package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ccbench/internal/validity"
)

// TestMain makes this binary the program itself when it is called ccbench, as
// the scripts call it, and as it calls itself.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ccbench": main})
}

// TestScripts runs the scripts of testdata, one topic a file.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "measure": measure,
		},
		Condition: condition,
		Setup: func(e *testscript.Env) error {
			samples, err := filepath.Abs("../../internal/result/testdata")
			e.Setenv("RESULTS", filepath.Join(samples, "results-v1-small.jsonl"))
			e.Setenv("MATRIX", filepath.Join(samples, "results-v1-matrix.jsonl"))
			return err
		},
	})
}

// status runs a command and checks its exit status: status 2 ccbench run.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status number command [argument ...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var exit *exec.ExitError
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// measure runs ccbench, which must end well: measure run x.yaml. On a machine that is kept
// busy it may find too few of its trials valid, if that is the only reason.
func measure(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! measure")
	}
	err := ts.Exec("ccbench", args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitFewValid && busyMachine(ts.ReadFile("stdout")) {
		return
	}
	ts.Check(err)
}

// busyMachine says whether all reasons against trials that a table's notes
// give are the machine's.
func busyMachine(table string) bool {
	reasons := regexp.MustCompile(`(?m)(?:not averaged:|;)\s+([a-z_]+)\s+in\s+[0-9]+\s+\(`).FindAllStringSubmatch(table, -1)
	for _, r := range reasons {
		if !validity.OfMachine(r[1]) {
			return false
		}
	}
	return len(reasons) > 0
}

// condition knows [root]: the process may build paths as it is.
func condition(name string) (bool, error) {
	if name == "root" {
		return os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("no such condition: %s", name)
}
