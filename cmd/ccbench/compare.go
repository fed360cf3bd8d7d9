package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ccbench/internal/result"
)

func (a *app) compareCommand() *cobra.Command {
	var flags tableFlags
	c := &cobra.Command{
		Use:   "compare FILE",
		Short: "Print the table of a results file",
		Long: `compare rebuilds a run's table from its results file alone, on any system.
Invalid trials are counted and never averaged. Of a matrix, each condition has
its own rows, and the baseline's are those that its other arms are held against.`,
		Example: `  ccbench compare results/loss1pct-20260102T030405Z.jsonl
  ccbench compare --baseline cubic --metric goodput,rtt_p95 loss.jsonl
  ccbench compare --format markdown loss.jsonl`,
		Args:              oneFile,
		ValidArgsFunction: completeResults,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			file, err := result.ReadFile(args[0])
			if err != nil {
				return err
			}
			if err := flags.print(a.ui, file); err != nil {
				return err
			}
			return tooFewValid(file)
		},
	}
	flags.register(c)
	return c
}

// oneFile says of several files what can be done with them yet.
func oneFile(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%d files: compare takes one results file at a time; a comparison is between the arms of one run", len(args))
	}
	return cobra.ExactArgs(1)(c, args)
}
