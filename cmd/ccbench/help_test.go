package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ccbench/experiments"
)

// allCommands are the commands that help shows, the root among them.
func allCommands() []*cobra.Command {
	root := (&app{ui: newUI(io.Discard, io.Discard)}).command(nil)
	shown := []*cobra.Command{root}
	for i := 0; i < len(shown); i++ {
		for _, c := range shown[i].Commands() {
			if c.IsAvailableCommand() {
				shown = append(shown, c)
			}
		}
	}
	return shown
}

// sample is a line that a person is told to type, and where.
type sample struct{ where, line string }

// samplesOfHelp are the examples of all commands; one without any fails the test.
func samplesOfHelp(t *testing.T) []sample {
	t.Helper()
	var found []sample
	for _, c := range allCommands() {
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			found = append(found, sample{c.CommandPath() + " --help", strings.TrimSpace(line)})
		}
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("no example of %s is about it", c.CommandPath())
		}
	}
	return found
}

// documents are the texts for people; top is the top of the repository.
func documents(t *testing.T, top string) []string {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(top, "docs/*.md"))
	if err != nil || len(docs) == 0 {
		t.Fatalf("documents %v, error %v", docs, err)
	}
	return append(docs, filepath.Join(top, "README.md"))
}

// blocks are the code blocks of a kind in a document: sh, yaml.
func blocks(t *testing.T, doc, kind string) []string {
	t.Helper()
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile("(?ms)^```"+kind+"\n(.*?)^```$").FindAllSubmatch(text, -1) {
		found = append(found, string(m[1]))
	}
	return found
}

// samplesOfDocuments are the lines of shell blocks that begin with bin/ccbench.
func samplesOfDocuments(t *testing.T) []sample {
	t.Helper()
	var found []sample
	for _, doc := range documents(t, "../..") {
		for line := range strings.Lines(strings.Join(blocks(t, doc, "sh"), "")) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "bin/"); ok {
				found = append(found, sample{filepath.Base(doc), rest})
			}
		}
	}
	if len(found) == 0 {
		t.Error("no document has a line that begins with bin/ccbench")
	}
	return found
}

// Every example of every command's help, and every command of the documents,
// does what it is there for. Runs are shortened; a short trial may be too short
// to be valid.
func TestExamples(t *testing.T) {
	for _, s := range slices.Concat(samplesOfHelp(t), samplesOfDocuments(t)) {
		t.Run(s.where+": "+s.line, func(t *testing.T) {
			words := strings.Fields(strings.Split(s.line, " #")[0])
			if len(words) == 0 || words[0] != "ccbench" {
				t.Fatal("it does not begin with ccbench")
			}
			command := slices.Concat(words[1:], []string{"help"})[0]
			if os.Geteuid() != 0 && (command == "run" || command == "plan") {
				t.Skip("needs root, as a path is built")
			}
			cmd := exec.Command("sh", "-c", shortened(s.line))
			cmd.Dir = preparedFolder(t, words)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			if command == "run" && cmd.ProcessState.ExitCode() == exitFewValid {
				err = nil
			}
			if err == nil && stdout.Len() == 0 && !strings.Contains(s.line, " >") {
				err = errors.New("it printed nothing")
			}
			if err != nil {
				t.Errorf("%v\n%s%s", err, stdout.String(), stderr.String())
			}
		})
	}
}

// shortened makes a run as short as can be, where the line does not itself say
// how long it is.
func shortened(line string) string {
	rest, isRun := strings.CutPrefix(line, "ccbench run ")
	if !isRun || strings.Contains(line, "--resume") { // whose file is whole: nothing is left to do
		return line
	}
	for _, set := range []string{"duration=200ms", "warmup=100ms", "repetitions=1"} {
		if key, _, _ := strings.Cut(set, "="); !strings.Contains(rest, "--set "+key+"=") {
			rest = "--set " + set + " " + rest
		}
	}
	return "ccbench run " + rest
}

// preparedFolder is a folder with what a line takes for granted: the experiments,
// README's own as the user's, and results by every name that it reads.
func preparedFolder(t *testing.T, words []string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "experiments"), experiments.Files); err != nil {
		t.Fatal(err)
	}
	for i, word := range words {
		path := filepath.Join(dir, word)
		text := contents(t, word, slices.Contains(words, "--resume"))
		if text == nil || words[max(i-1, 0)] == "-o" || exists(path) {
			continue
		}
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// contents is what a file of this name would have; nil if it is none. An
// experiment whose run is resumed is that of the results.
func contents(t *testing.T, name string, resumed bool) []byte {
	t.Helper()
	switch filepath.Ext(name) {
	case ".yaml":
		if resumed {
			text, err := experiments.Files.ReadFile("loss1pct.yaml")
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		return []byte(blocks(t, "../../README.md", "yaml")[0])
	case ".jsonl":
		text, err := os.ReadFile("../../docs/results/loss1pct.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	return nil
}
