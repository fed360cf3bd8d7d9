package main

import "github.com/spf13/cobra"

// app is what the subcommands share.
type app struct {
	ui       *ui
	lifeline bool // started by enterNamespace
}

func (a *app) command(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "ccbench",
		Short: "Compare TCP congestion control algorithms over a path with known losses",
		Long: `ccbench runs an experiment (algorithms, path, losses, repetitions) and ends with
a table: mean, stddev, valid trials, and the percent delta to the baseline with
its interval. Every trial carries a verdict; invalid ones are never averaged.

New here? Go through the examples in their order: see what is built in, see what
one would do, measure it, and take its text for an experiment of your own. Each
command has its --help.

Exit status: 0 done; 1 failed; 2 usage or bad file; 5 too few valid trials;
130 interrupted (what was measured is kept).`,
		Example: `  ccbench experiments                     # what is built in, and how long it takes
  ccbench plan loss1pct                   # what a run would do, and whether this machine can
  ccbench run -o loss.jsonl loss1pct      # measure: ends with the table
  ccbench compare loss.jsonl              # the same table again, on any system
  ccbench experiments loss1pct >my.yaml   # begin an experiment of your own`,
		SilenceErrors: true, // the ui prints them
		SilenceUsage:  true,
		Version:       version,
		Args:          knownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetArgs(args)
	root.SetOut(a.ui.out)
	root.SetErr(a.ui.err)
	root.SetFlagErrorFunc(flagError)
	flags := root.PersistentFlags()
	flags.BoolVarP(&a.ui.quiet, "quiet", "q", false, "print results and errors only")
	flags.BoolVar(&a.ui.ascii, "ascii", false, "print ASCII only (a plain - for the minus sign)")
	flags.BoolVar(&a.lifeline, "lifeline", false, "")
	_ = flags.MarkHidden("lifeline") // fails only for a flag that is not there
	shown := []*cobra.Command{
		a.runCommand(), a.planCommand(), a.compareCommand(), a.experimentsCommand(), a.doctorCommand(),
		a.completionCommand(), a.versionCommand(),
	}
	root.AddCommand(topics()...)
	for _, c := range append(shown, a.hiddenCommands()...) {
		c.Args = usageArgs(c.Args)
		root.AddCommand(c)
	}
	root.Args = usageArgs(root.Args)
	return root
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ccbench version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.ui.Print("ccbench " + version + "\n")
		},
	}
}
