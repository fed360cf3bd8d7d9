package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccbench/internal/metric"
)

// shells are those that a completion script can be written for.
var shells = []string{"bash", "zsh", "fish"}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print a completion script for a shell",
		Long: `completion prints a script with which a shell completes ccbench's commands,
flags, metrics, formats and built-in experiments. "make install" puts all three
where their shells look; the examples serve one user. bash needs its package
bash-completion for it.`,
		Example: `  ccbench completion bash >ccbench.bash   # then: source ccbench.bash
  ccbench completion zsh >_ccbench        # into a folder of $fpath
  ccbench completion fish >ccbench.fish   # into ~/.config/fish/completions`,
		ValidArgs: shells,
		Args:      oneShell,
		RunE: func(c *cobra.Command, args []string) error {
			switch root := c.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.ui.out, true)
			case "zsh":
				return root.GenZshCompletion(a.ui.out)
			default:
				return root.GenFishCompletion(a.ui.out, true)
			}
		},
	}
}

// oneShell takes the name of a shell that there is a script for.
func oneShell(c *cobra.Command, args []string) error {
	there := hinted{errors.New("completion: the shell is missing"), "there are scripts for " + strings.Join(shells, ", ")}
	if len(args) == 0 {
		return there
	}
	if !slices.Contains(shells, args[0]) {
		there.error = fmt.Errorf("completion: %q is no shell that there is a script for", args[0])
		return there
	}
	return atMostOne(c, args)
}

// completeFlag says how the values of a flag are completed.
func completeFlag(c *cobra.Command, flag string, values cobra.CompletionFunc) {
	_ = c.RegisterFlagCompletionFunc(flag, values) // fails only for a flag that is not there
}

// completeWords completes to fixed values, never to files.
func completeWords(values ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// completeBuiltin completes the names of built-in experiments, with what they ask.
func completeBuiltin(_ *cobra.Command, args []string, written string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, name := range builtinNames() {
		if !strings.HasPrefix(name, written) {
			continue
		}
		if _, text, err := builtin(name); err == nil {
			names = append(names, cobra.CompletionWithDesc(name, firstLine(text)))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeExperiment completes to a built-in experiment or a YAML file. A shell
// looks for files itself only where it is given no words, so those of this
// folder stand among the names.
func completeExperiment(c *cobra.Command, args []string, written string) ([]string, cobra.ShellCompDirective) {
	names, directive := completeBuiltin(c, args, written)
	if len(args) > 0 {
		return nil, directive
	}
	if len(names) == 0 {
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	for _, ext := range []string{".yaml", ".yml"} {
		files, _ := filepath.Glob(written + "*" + ext) // fails only for a bad pattern, which no file matches
		names = append(names, files...)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeResults completes to one results file.
func completeResults(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeMetrics completes the last name of a list with commas. Behind a comma
// there are no descriptions: cobra's script for bash quotes the commas of words
// that have one, and then finds that they are not what was typed.
func completeMetrics(_ *cobra.Command, _ []string, written string) ([]string, cobra.ShellCompDirective) {
	before := written[:strings.LastIndex(written, ",")+1]
	var lists []string
	for _, m := range metric.Definitions() {
		list := before + m.Name
		switch {
		case !strings.HasPrefix(list, written):
		case before == "":
			lists = append(lists, cobra.CompletionWithDesc(list, m.Definition))
		default:
			lists = append(lists, list)
		}
	}
	return lists, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
