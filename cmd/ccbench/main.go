// Ccbench compares TCP congestion control algorithms: it runs an experiment
// file over an emulated path with known losses and says by how much B differs
// from A, and whether the number can be trusted.
//
// This package is the doorway: it alone reads flags and the environment,
// prints and exits. One file holds one subcommand; ui.go alone writes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// version of the program; set by the Makefile from git.
var version = "devel"

// The exit statuses. When several apply: usage, failed, interrupted, few valid.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitFewValid    = 5
	exitInterrupted = 130
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings given. Package tests call it too.
func run(args []string, stdout, stderr io.Writer) int {
	out := &output{Writer: stdout}
	a := &app{ui: newUI(out, stderr)}
	called, err := a.command(args).ExecuteC()
	tell(err, called)
	if err == nil && out.failed != nil {
		err = fmt.Errorf("printing: %w", out.failed)
	}
	if said := (exitError{}); err != nil && !(errors.As(err, &said) && said.error == nil) {
		a.ui.Error(err)
	}
	return statusOf(err)
}

// sameSignal is how close together signals are one: a terminal, make(1) and
// timeout(1) may each pass the same one on.
const sameSignal = 300 * time.Millisecond

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

// interruptible ends its context at the first signal, so that what was begun
// is undone and what was measured is kept; the second ends the program at
// once, and the agents with it. Commands that have nothing to undo do without.
// In the user namespace the end of the process outside ends it as well.
func (a *app) interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	if a.lifeline {
		go endWithParent(cancel)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A reader of the progress that is gone (2>&1 | head) ends nothing: the write
	// fails then, where it would kill. Agents start without this.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-signals
		cancel(errInterrupted)
		for first := time.Now(); ; {
			if s := <-signals; time.Since(first) > sameSignal {
				fmt.Fprintf(a.ui.err, "error: %v again: ended at once\n", s)
				os.Exit(exitInterrupted)
			}
		}
	}()
	return ctx, func() { signal.Stop(signals) }
}

// exitError gives an error its exit status. Without an error in it, all there
// is to say has been said.
type exitError struct {
	status int
	error
}

func (e exitError) Unwrap() error { return e.error }

// usageError marks what the user wrote wrongly.
func usageError(err error) error { return exitError{exitUsage, err} }

func statusOf(err error) int {
	var exit exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.status
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	}
	return exitFailed
}
