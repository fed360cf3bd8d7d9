//go:build !linux

package main

import (
	"context"
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"ccbench/internal/plan"
	"ccbench/internal/probe"
	"ccbench/internal/runner"
)

// errLinuxOnly is why there are no runs here.
var errLinuxOnly = errors.New("measuring needs Linux, and this is " + runtime.GOOS +
	"; compare works everywhere: ccbench compare FILE")

func (a *app) agentCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "agent",
		Hidden: true,
		Args:   cobra.ArbitraryArgs,
		RunE:   func(*cobra.Command, []string) error { return errLinuxOnly },
	}
}

func writable(string) error { return nil } // enterNamespace refuses anyway

func endWithParent(context.CancelCauseFunc) {} // there is no other process to end with

func (a *app) enterNamespace() (status int, done bool, err error) { return 0, true, errLinuxOnly }

func (a *app) examine(*plan.Plan) ([]probe.Fact, error) { return nil, errLinuxOnly }

func (a *app) surveyInside(*plan.Plan) error { return errLinuxOnly }

func (a *app) newLab() runner.Lab { return nil } // enterNamespace has refused before

func (a *app) alone(runner.Lab) runner.Lab { return nil } // likewise
