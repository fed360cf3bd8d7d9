package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
// one, else one of the built-in ones. What is wrong with it is a usage error.
func loadExperiment(arg string, set []string) (*experiment.Experiment, error) {
	if !isFile(arg) {
		if name, text, err := builtin(arg); err == nil {
			return parseBuiltin(name, text, set)
		}
	}
	f, err := os.Open(arg)
	if err != nil {
		return nil, usageError(noExperiment(arg, err))
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
	err = fmt.Errorf("opening the experiment: %w", err)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(arg), yamlExt)
	if name == arg || name+yamlExt == arg {
		err = fmt.Errorf("%w, and no built-in experiment is called %s", err, name)
	}
	return hinted{err, builtinHint(name)}
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
