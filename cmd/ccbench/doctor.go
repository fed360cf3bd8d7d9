package main

import (
	"errors"

	"github.com/spf13/cobra"

	"ccbench/internal/plan"
	"ccbench/internal/probe"
)

// doctorFlags are the flags of doctor.
type doctorFlags struct {
	json bool
	set  []string
}

func (a *app) doctorCommand() *cobra.Command {
	var flags doctorFlags
	c := &cobra.Command{
		Use:   "doctor [FILE]",
		Short: "Say what this machine can measure, and what would help where it cannot",
		Long: `doctor says of everything that a run may need whether this machine has it: yes,
no with the cure, or ? where it could not be found out. With FILE it answers for
that experiment alone, and says no to what a run would refuse.

What only trying tells is tried in a scratch network namespace, for an ordinary
user in a user namespace, as a run does it; doctor changes nothing outside. The
kernel may load what every run uses (TUN, veth, the modules of one iptables
rule), and with FILE its algorithms, as for a run. What else is a module on disk
is not tried.

Exit status: 0 when all that is required is there, 1 when some of it is not or
could not be found out, 2 for usage or a bad file.`,
		Example: `  ccbench doctor
  ccbench doctor --json
  ccbench doctor --set path.rate=1gbit experiments/loss1pct.yaml`,
		Args: atMostOne,
		RunE: func(_ *cobra.Command, args []string) error { return a.doctor(args, flags) },
	}
	c.Flags().BoolVar(&flags.json, "json", false, "print JSON, as docs/doctor.md describes it")
	registerSet(c, &flags.set)
	return c
}

func (a *app) doctor(args []string, flags doctorFlags) error {
	p, err := doctorPlan(args, flags.set)
	if err != nil {
		return err
	}
	if a.lifeline {
		return a.surveyInside(p)
	}
	facts, err := a.examine(p)
	if err != nil {
		return err
	}
	name := ""
	if p != nil {
		name = p.Experiment.Name
	}
	report := probe.NewReport(version, name, facts)
	if err := a.printReport(report, flags.json); err != nil {
		return err
	}
	if !report.Able {
		return exitError{exitFailed, nil}
	}
	return nil
}

// doctorPlan is nil when no experiment was named.
func doctorPlan(args, set []string) (*plan.Plan, error) {
	if len(args) == 1 {
		return loadPlan(args[0], set)
	}
	if len(set) > 0 {
		return nil, usageError(errors.New("--set changes an experiment: name its file"))
	}
	return nil, nil
}

func (a *app) printReport(r probe.Report, asJSON bool) error {
	if !asJSON {
		return a.ui.Print(plainLines(r.Text()))
	}
	return a.ui.PrintJSON(r)
}
