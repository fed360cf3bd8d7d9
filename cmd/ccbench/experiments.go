package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccbench/internal/plan"
)

func (a *app) experimentsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "experiments [NAME]",
		Short: "List the built-in experiments, or print one",
		Long: `experiments lists what is built in, and about how long each takes: run and plan
take these names wherever they take a file. With a name it prints that
experiment's text, to be kept in a file of one's own and changed there.`,
		Example: `  ccbench experiments
  ccbench experiments loss1pct
  ccbench experiments loss1pct >my.yaml`,
		Args:              atMostOne,
		ValidArgsFunction: completeBuiltin,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return writeExperiment(a.ui.out, args[0])
			}
			return a.listExperiments()
		},
	}
}

// listExperiments prints a line for each built-in experiment: its name, the time
// that a run is expected to take, and what the experiment says of itself.
func (a *app) listExperiments() error {
	names := builtinNames()
	widest := 0
	for _, name := range names {
		widest = max(widest, len(name))
	}
	var lines strings.Builder
	for _, name := range names {
		took, about, err := describeBuiltin(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%-*s  %6s  %s\n", widest, name, took, about)
	}
	if err := a.ui.Print(lines.String()); err != nil {
		return err
	}
	a.ui.Note("ccbench run NAME measures one, ccbench experiments NAME prints its text")
	return nil
}

func describeBuiltin(name string) (took time.Duration, about string, err error) {
	_, text, err := builtin(name)
	if err != nil {
		return 0, "", fmt.Errorf("reading the built-in experiment %s: %w", name, err)
	}
	e, err := parseBuiltin(name, text, nil)
	if err != nil {
		return 0, "", err
	}
	p, err := plan.New(e)
	if err != nil {
		return 0, "", err
	}
	return roundUp(newFollower(nil, p).total()), firstLine(text), nil
}
