package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccbench/internal/near"
)

// flagError makes what is wrong with a flag a usage error. One that the command
// lacks gets what may have been meant.
func flagError(c *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return usageError(err)
	}
	err = fmt.Errorf("%w (see %q)", err, c.CommandPath()+" --help")
	if hint := flagHint(c, name); hint != "" {
		err = hinted{err, hint}
	}
	return usageError(err)
}

// flagHint is what may have been meant by a flag that a command lacks: one of
// its formats, one of its flags, or that of another command.
func flagHint(c *cobra.Command, name string) string {
	if slices.Contains(formatNames(c), name) {
		return fmt.Sprintf("did you mean --format %s?", name)
	}
	if meant := near.Name(name, flagNames(c)); meant != "" {
		return fmt.Sprintf("did you mean --%s?", meant)
	}
	var having []string
	for _, other := range c.Root().Commands() {
		if other.IsAvailableCommand() && slices.Contains(flagNames(other), name) {
			having = append(having, other.CommandPath())
		}
	}
	if len(having) == 0 {
		return ""
	}
	return fmt.Sprintf("--%s is a flag of %s", name, strings.Join(having, ", "))
}

// formatNames are the values of a command's --format, as shells complete them.
func formatNames(c *cobra.Command) []string {
	complete, found := c.GetFlagCompletionFunc("format")
	if !found {
		return nil
	}
	names, _ := complete(c, nil, "")
	return names
}

// flagNames are the flags of a command that its help shows.
func flagNames(c *cobra.Command) []string {
	var names []string
	for _, m := range flagLine.FindAllStringSubmatch(c.Flags().FlagUsages(), -1) {
		names = append(names, m[1])
	}
	return names
}

// flagLine is where help begins with a flag, behind its short form if it has one.
var flagLine = regexp.MustCompile(`(?m)^ *(?:-[a-zA-Z], )?--([a-z-]+)`)
