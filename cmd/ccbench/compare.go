package main

import (
	"errors"
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
			return a.compare(args[0], flags)
		},
	}
	flags.register(c)
	return c
}

// compare prints the table of a file. What is wrong with the file is a usage
// error: unlike a run's own, it is what the user chose.
func (a *app) compare(path string, flags tableFlags) error {
	file, err := result.ReadFile(path)
	if err != nil {
		return usageError(err)
	}
	table, err := flags.table(file)
	if err != nil {
		return usageError(err)
	}
	if err := flags.write(a.ui, table); err != nil {
		return err
	}
	a.noteMissing(path, file)
	return tooFewValid(file)
}

// noteMissing says how trials that were planned and are not there are had.
func (a *app) noteMissing(path string, file *result.File) {
	if missing := file.Header.Trials - len(file.Trials); missing > 0 {
		a.ui.Note("%d of %s planned are missing: %s does them", missing, count(file.Header.Trials, "trial"), resumeCommand(path))
	}
}

// oneFile says of several files what can be done with them yet.
func oneFile(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return hinted{errors.New("compare: FILE is missing"), "name the results file of a run; without -o it is in results/"}
	case 1:
		return nil
	}
	return hinted{fmt.Errorf("%d files: compare takes one results file at a time; a comparison is between the arms of one run", len(args)),
		"compare each by itself: ccbench compare " + shellWord(args[0])}
}
