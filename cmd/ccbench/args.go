package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// oneExperiment takes what names an experiment, which may be left out where
// another place has it.
func oneExperiment(optional bool) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 && !optional {
			return hinted{fmt.Errorf("%s: FILE or NAME is missing", c.Name()), "ccbench experiments lists the built-in ones"}
		}
		return atMostOne(c, args)
	}
}

// atMostOne names the argument that is one too many.
func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%s: %q is one argument too many after %q", c.Name(), args[1], args[0])
	}
	return nil
}

// usageArgs makes wrong arguments, or an unknown command, a usage error, which
// says where to read on unless it knows better.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil {
			return nil
		}
		if set := setWithoutValue(c); set != nil {
			return usageError(set)
		}
		if _, knows := err.(hinted); knows {
			return usageError(err)
		}
		return usageError(fmt.Errorf("%w (see %q)", err, c.CommandPath()+" --help"))
	}
}

// setWithoutValue is the cause of an argument too many: in --set KEY VALUE the
// value is one.
func setWithoutValue(c *cobra.Command) error {
	if c.Flags().Lookup("set") == nil {
		return nil
	}
	given, err := c.Flags().GetStringArray("set")
	if err != nil {
		return err
	}
	lacks := func(set string) bool { return !strings.Contains(set, "=") }
	if i := slices.IndexFunc(given, lacks); i >= 0 {
		return fmt.Errorf("--set needs key=value, such as path.rtt=10ms: %q has no =", given[i])
	}
	return nil
}

// knownCommand refuses what is no command, with those that may have been meant.
func knownCommand(c *cobra.Command, args []string) error {
	err := cobra.NoArgs(c, args)
	if err == nil {
		return nil
	}
	c.SuggestionsMinimumDistance = mostEdits
	if meant := c.SuggestionsFor(args[0]); len(meant) > 0 && args[0] != "" { // which all begin with
		return hinted{err, fmt.Sprintf("did you mean %s?", strings.Join(meant, " or "))}
	}
	return err
}

// mostEdits is how many letters of a command may be wrong.
const mostEdits = 2
