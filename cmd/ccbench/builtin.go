package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccbench/experiments"
	"ccbench/internal/experiment"
	"ccbench/internal/near"
)

const yamlExt = ".yaml"

// builtinNames are the names of the built-in experiments, in order.
func builtinNames() []string {
	files, _ := fs.Glob(experiments.Files, "*"+yamlExt) // fails only for a bad pattern
	for i, file := range files {
		files[i] = strings.TrimSuffix(file, yamlExt)
	}
	return files
}

// builtin is the text of a built-in experiment, named with its extension or
// without, and its name.
func builtin(written string) (name string, text []byte, err error) {
	name = strings.TrimSuffix(written, yamlExt)
	text, err = experiments.Files.ReadFile(name + yamlExt)
	return name, text, err
}

// firstLine is what an experiment file says of itself.
func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "#"))
}

// loadExperiment reads the experiment that an argument names: a file if there is
// one, else one of the built-in ones, which are called by their bare names: who
// writes NAME.yaml means a file, with perhaps other values in it. What is wrong
// with it is a usage error.
func loadExperiment(arg string, set []string) (*experiment.Experiment, error) {
	if !isFile(arg) && !strings.HasSuffix(arg, yamlExt) {
		if name, text, err := builtin(arg); err == nil {
			return parseBuiltin(name, text, set)
		}
	}
	if isFolder(arg) {
		return nil, usageError(noExperiment(arg, fmt.Errorf("opening the experiment: %s is a folder", arg)))
	}
	f, err := os.Open(arg)
	if err != nil {
		return nil, usageError(noExperiment(arg, fmt.Errorf("opening the experiment: %w", err)))
	}
	defer f.Close()
	e, err := experiment.Load(arg, f, set...)
	if err != nil {
		return nil, usageError(err)
	}
	return e, nil
}

// isFile says whether something can be read under this name; a folder cannot.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// parseBuiltin reads a built-in experiment, whose messages name it as such: a
// place in it is not one in a file of the user's.
func parseBuiltin(name string, text []byte, set []string) (*experiment.Experiment, error) {
	e, err := experiment.Parse(name+" (built in)", text, set...)
	if err == nil {
		return e, nil
	}
	var all experiment.Errors
	if errors.As(err, &all) && all[0].Set == 0 {
		err = hinted{err, fmt.Sprintf("ccbench experiments %s prints the text that this speaks of", name)}
	}
	return nil, usageError(err)
}

// noExperiment says of an argument that names neither a file nor a built-in
// experiment what it was taken for. One with a slash can only be a file.
func noExperiment(arg string, err error) error {
	name := strings.TrimSuffix(filepath.Base(arg), yamlExt)
	if name+yamlExt == arg && slices.Contains(builtinNames(), name) {
		return &takenForFile{err, name, ""}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if name == arg || name+yamlExt == arg {
		err = fmt.Errorf("%w, and no built-in experiment is called %s", err, name)
	}
	return hinted{err, builtinHint(name)}
}

// takenForFile is a file that is not there, called like a built-in experiment
// with the extension of a file.
type takenForFile struct {
	error
	name    string
	command string // that takes the name; "" if it is not known
}

func (e *takenForFile) Unwrap() error { return e.error }

func (e *takenForFile) Hint() string {
	hint := "the built-in one is called " + e.name
	if e.command != "" {
		hint += ": " + e.command + " " + e.name
	}
	return hint
}

// tell completes an error with the command that it came of, which whoever made
// the error did not know.
func tell(err error, c *cobra.Command) {
	var taken *takenForFile
	if !errors.As(err, &taken) {
		return
	}
	taken.command = c.CommandPath()
	if f := c.Flags().Lookup("resume"); f != nil && f.Changed {
		taken.command += " --resume " + shellWord(f.Value.String())
	}
}

// builtinHint says which built-in experiment may have been meant.
func builtinHint(name string) string {
	const list = "ccbench experiments lists the built-in ones"
	if meant := near.Name(name, builtinNames()); meant != "" {
		return fmt.Sprintf("did you mean %s? %s", meant, list)
	}
	return list
}

// writeExperiment writes the text of a built-in experiment.
func writeExperiment(w io.Writer, written string) error {
	name, text, err := builtin(written)
	if err != nil {
		return usageError(hinted{fmt.Errorf("no built-in experiment is called %s", name), builtinHint(name)})
	}
	_, err = w.Write(text)
	return err
}
