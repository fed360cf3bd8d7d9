package main

import (
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"ccbench/internal/plan"
	"ccbench/internal/testbed"
)

// planFlags are the flags of plan.
type planFlags struct {
	format string
	set    []string
}

func (a *app) planCommand() *cobra.Command {
	var flags planFlags
	c := &cobra.Command{
		Use:   "plan FILE|NAME",
		Short: "Show what a run would do, and whether this machine can",
		Long: `plan resolves an experiment, a file or a built-in one, and measures nothing: it
prints arms and path, the trials in their order, each device, queue, setting and
rule as the shell line it amounts to, and what time, traffic and disk to expect.
Then all that the run needs is tried in a scratch namespace, as run does it
before its first trial; what this machine cannot do is an error with what would
help.

The plan is the same on every machine, and is printed on any system; the check
needs Linux.`,
		Example: `  ccbench plan loss1pct
  ccbench plan --set path.rtt=10ms --set drop.every=50 experiments/loss1pct.yaml
  ccbench plan --format json experiments/loss1pct.yaml`,
		Args:              oneExperiment(false),
		ValidArgsFunction: completeExperiment,
		RunE:              func(_ *cobra.Command, args []string) error { return a.plan(args[0], flags) },
	}
	registerSet(c, &flags.set)
	c.Flags().StringVar(&flags.format, "format", "text", "form of the plan: text or json")
	completeFlag(c, "format", completeWords("text", "json"))
	return c
}

func (a *app) plan(file string, flags planFlags) error {
	if err := oneOf("format", flags.format, "text", "json"); err != nil {
		return err
	}
	p, err := loadPlan(file, flags.set)
	if err != nil {
		return err
	}
	// In the user namespace the plan has been printed already, outside.
	if !a.lifeline {
		if err := a.printPlan(p, flags.format); err != nil {
			return err
		}
	}
	if runtime.GOOS != "linux" {
		a.ui.Note("whether a machine can carry it out is not checked: that needs Linux, and this is %s", runtime.GOOS)
		return nil
	}
	return a.checkPlan(p)
}

func (a *app) printPlan(p *plan.Plan, format string) error {
	s := plan.Summarize(p, testbed.Describe(p), roundUp(newFollower(a.ui, p).total()))
	if format == "text" {
		text := s.Text()
		if a.ui.ascii {
			text = strings.ReplaceAll(text, "µ", "u")
		}
		return a.ui.Print(text)
	}
	return a.ui.PrintJSON(s)
}

// checkPlan tries on this machine what the trials need.
func (a *app) checkPlan(p *plan.Plan) error {
	if status, done, err := a.enterNamespace(); done || err != nil {
		return entered(status, err)
	}
	ctx, stop := a.interruptible()
	defer stop()
	if _, err := a.newLab().Check(ctx, p); err != nil {
		return err
	}
	a.ui.Note("this machine can carry it out")
	return nil
}
