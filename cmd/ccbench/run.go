package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ccbench/internal/plan"
	"ccbench/internal/result"
	"ccbench/internal/runner"
)

// runFlags are the flags of run.
type runFlags struct {
	output string
	series string
	noLock bool
	set    []string
	resume string
	force  bool
	table  tableFlags

	seriesGiven bool
}

// check refuses flags that do not go together.
func (f *runFlags) check(args []string) error {
	if err := oneOf("series", f.series, "on", "off"); err != nil {
		return err
	}
	switch {
	case f.resume == "" && f.force:
		return usageError(errors.New("--force is for --resume: a new run has nothing to differ from"))
	case f.resume != "" && f.output != "":
		return usageError(errors.New("--resume names the results file; there is no other for -o"))
	case f.resume != "" && len(args) == 0 && len(f.set) > 0:
		return usageError(errors.New("--set is for an EXPERIMENT; without one, --resume takes experiment and overrides from the file"))
	}
	return nil
}

// runArgs takes an experiment, which a file to be resumed has in it.
func runArgs(c *cobra.Command, args []string) error {
	return oneExperiment(c.Flags().Changed("resume"))(c, args)
}

func (a *app) runCommand() *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use:   "run FILE|NAME | run --resume RESULTS [FILE|NAME]",
		Short: "Carry out an experiment file and print its table",
		Long: `run carries out every trial of an experiment, a file or a built-in one (see
"ccbench experiments"), over a path of its own making, writes each to the
results file as soon as it is done, and ends with the table that "ccbench
compare" makes of that file.

A run that was ended, even by a kill, goes on with --resume and its results file:
the trials in it are not done again, the others are, in the order of the plan.
The plan must be the same, and so must kernel, processors and ccbench; --force
goes on with other ones all the same.

Root is not needed: started by an ordinary user, ccbench works in a user
namespace. Nothing outside ccbench's own network namespaces is touched.

Runs that are started together measure in turn, a trial each; --no-lock measures
at the same time as others.`,
		Example: `  ccbench run loss1pct
  ccbench run -v -o loss.jsonl experiments/loss1pct.yaml
  ccbench run --set path.rtt=10ms --set 'algorithms=[newreno, bbr]' loss1pct
  ccbench run --resume loss.jsonl`,
		Args:              runArgs,
		ValidArgsFunction: completeExperiment,
		RunE: func(c *cobra.Command, args []string) error {
			flags.seriesGiven = c.Flags().Changed("series")
			if err := flags.check(args); err != nil {
				return err
			}
			if c.Flags().Changed("resume") {
				return a.resume(args, flags)
			}
			return a.run(args[0], flags)
		},
	}
	c.Flags().StringVarP(&flags.output, "output", "o", "", "results file, which must not exist yet, in a folder that does (default results/NAME-TIME.jsonl, whose folder is made)")
	c.Flags().StringVar(&flags.series, "series", "on", "keep the samples of each flow in the results file: on or off; a resumed one goes on as it was begun")
	c.Flags().BoolVar(&flags.noLock, "no-lock", false, "do not wait for another ccbench that measures on this machine")
	c.Flags().StringVar(&flags.resume, "resume", "", "go on with this results `file` of a run that was ended")
	c.Flags().BoolVar(&flags.force, "force", false, "with --resume: go on although kernel, processors or ccbench are other ones")
	flags.table.register(c)
	registerSet(c, &flags.set)
	completeFlag(c, "series", completeWords("on", "off"))
	c.Flags().BoolVarP(&a.ui.verbose, "verbose", "v", false, "print each agent's pid and how to look into its namespace")
	return c
}

func (a *app) run(file string, flags runFlags) error {
	p, err := loadPlan(file, flags.set)
	if err != nil {
		return err
	}
	out := &sink{path: flags.output, plan: p, series: flags.series == "on", lock: a.lock}
	if err := flags.table.checkFor(out.path, out.header()); err != nil {
		return err
	}
	if err := out.check(); err != nil {
		return err
	}
	if status, done, err := a.enterNamespace(); done || err != nil {
		return entered(status, err)
	}
	return a.measure(p, out, flags)
}

// measure does the trials of p, which can be stopped, and prints the table.
func (a *app) measure(p *plan.Plan, out *sink, flags runFlags) error {
	ctx, stop := a.interruptible()
	defer stop()
	lab := a.newLab()
	if !flags.noLock {
		lab = a.alone(lab)
	}
	return a.conclude(out, flags.table, a.carryOut(ctx, p, lab, out))
}

// registerSet registers the flag --set. A comma is part of a value.
func registerSet(c *cobra.Command, set *[]string) {
	c.Flags().StringArrayVar(set, "set", nil, "set a key of the experiment, `key=value`: path.rtt=10ms (may be repeated)")
	completeFlag(c, "set", completeWords())
}

// loadPlan reads an experiment, a file or a built-in one, with overrides set over
// it; what is wrong with them is a usage error.
func loadPlan(name string, set []string) (*plan.Plan, error) {
	e, err := loadExperiment(name, set)
	if err != nil {
		return nil, err
	}
	return plan.New(e)
}

// entered is the outcome of a run that was done by this program run again.
func entered(status int, err error) error {
	if err != nil || status == exitOK {
		return err
	}
	return exitError{status, nil}
}

// carryOut does the trials, telling the user how it goes.
func (a *app) carryOut(ctx context.Context, p *plan.Plan, lab runner.Lab, out *sink) error {
	follow := newFollower(a.ui, p)
	if r := out.resumed; r != nil {
		follow.resumed, lab = r, wholeLab{lab, r.whole}
	}
	out.begun = follow.begin
	defer a.ui.EndProgress()
	err := runner.Run(ctx, p, lab, out, follow.events())
	return errors.Join(err, out.Close())
}

// conclude prints the table of whatever was measured and turns the run's end
// into its status.
func (a *app) conclude(out *sink, table tableFlags, failure error) error {
	if out.trials == 0 || errors.Is(failure, result.ErrReplaced) { // what is there is another table
		return failure
	}
	failure = out.goOnHint(failure)
	a.ui.Note("results: %s", out.path)
	err := a.show(out.path, table)
	if few := (exitError{}); failure != nil && errors.As(err, &few) && few.status == exitFewValid {
		return failure // its cause
	}
	return errors.Join(failure, err)
}

// show prints the table of a results file; too few valid trials in it are an error.
func (a *app) show(path string, table tableFlags) error {
	file, err := result.ReadFile(path)
	if err != nil {
		return err
	}
	if err := table.print(a.ui, file); err != nil {
		return err
	}
	return tooFewValid(file)
}
