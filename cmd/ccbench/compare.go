package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ccbench/internal/compare"
	"ccbench/internal/report"
	"ccbench/internal/result"
)

func (a *app) compareCommand() *cobra.Command {
	var baseline string
	c := &cobra.Command{
		Use:   "compare FILE",
		Short: "Print the table of a results file",
		Long: `compare rebuilds a run's table from its results file alone, on any system.
Invalid trials are counted and never averaged.`,
		Example: `  ccbench compare results/loss1pct-20260102T030405Z.jsonl
  ccbench compare --baseline cubic loss.jsonl`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := result.ReadFile(args[0])
			if err != nil {
				return err
			}
			if err := a.printTable(file, baseline); err != nil {
				return err
			}
			return tooFewValid(file)
		},
	}
	c.Flags().StringVar(&baseline, "baseline", "", "arm that the others are compared with (default: the experiment's)")
	return c
}

// oneFile says of several files what can be done with them yet.
func oneFile(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%d files: compare takes one results file at a time; a comparison is between the arms of one run", len(args))
	}
	return cobra.ExactArgs(1)(c, args)
}

func (a *app) printTable(file *result.File, baseline string) error {
	table, err := compare.New(file, compare.Options{Baseline: baseline})
	if wrong := new(compare.UsageError); errors.As(err, &wrong) {
		return usageError(err)
	}
	if err != nil {
		return err
	}
	return report.Text(a.ui.out, table, report.Options{ASCII: a.ui.ascii})
}
