package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ccbench/internal/experiment"
	"ccbench/internal/result"
)

var update = flag.Bool("update", false, "make the documents' blocks anew")

// The line before a block that a command makes reads
//
//	<!-- ccbench compare docs/results/loss1pct.jsonl -->
//
// with paths from the top of the repository.
const (
	madeBy  = "<!-- ccbench "
	madeEnd = " -->"
)

// reading are the commands that a document may be made by: those that print the
// same everywhere.
var reading = []string{"compare", "experiments"}

// Every block that a document says is made by a command is what that command
// prints; -update makes them so.
func TestDocumentsAreMadeByCommands(t *testing.T) {
	t.Chdir("../..")
	made := map[string]int{}
	for _, doc := range documents(t, ".") {
		old, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		text := remade(t, doc, string(old), made)
		switch {
		case text == string(old) || t.Failed():
		case *update:
			if err := os.WriteFile(doc, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not what its commands print, first in\n%s\nwhich should be\n%s\nrun make docs, and read the difference",
				doc, unlike(string(old), text), unlike(text, string(old)))
		}
	}
	for _, want := range []string{"compare docs/results/loss1pct.jsonl", "experiments"} {
		if made[want] == 0 {
			t.Errorf("no document has a block made by ccbench %s", want)
		}
	}
}

// unlike is the first line of a text that another does not have there.
func unlike(text, other string) string {
	lines, others := strings.Split(text, "\n"), strings.Split(other, "\n")
	for i, line := range lines {
		if i >= len(others) || line != others[i] {
			return line
		}
	}
	return "(no line)"
}

// remade is a document's text with each block as its command prints it.
func remade(t *testing.T, doc, text string, made map[string]int) string {
	t.Helper()
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, madeBy)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		command, rest, closed := strings.Cut(rest, madeEnd+"\n```\n")
		_, rest, ended := strings.Cut(rest, "```\n")
		if !closed || !ended || strings.Contains(command, "\n") {
			t.Errorf("%s: %s%.40s: no code block follows", doc, madeBy, command)
			return ""
		}
		made[command]++
		out.WriteString(madeBy + command + madeEnd + "\n```\n" + printed(t, doc, command) + "```\n")
		text = rest
	}
}

// printed is what a command prints.
func printed(t *testing.T, doc, command string) string {
	t.Helper()
	words := strings.Fields(command)
	if !slices.Contains(reading, words[0]) {
		t.Fatalf("%s: ccbench %s: a document can be made by %v alone", doc, command, reading)
	}
	var stdout, stderr bytes.Buffer
	if status := run(words, &stdout, &stderr); status != exitOK {
		t.Errorf("%s: ccbench %s: status %d: %s", doc, command, status, stderr.String())
	}
	return stdout.String()
}

// The results that documents show are those of the built-in experiment that they
// are named after, as it is now, words of its comments apart; without samples.
func TestResultsInDocumentsAreOfExperiments(t *testing.T) {
	files, err := filepath.Glob("../../docs/results/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("results %v, error %v", files, err)
	}
	for _, path := range files {
		name, now, err := builtin(strings.TrimSuffix(filepath.Base(path), ".jsonl"))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		file, err := result.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h := file.Header
		if got, want := meaning(t, name, []byte(h.Experiment)), meaning(t, name, now); !reflect.DeepEqual(got, want) || h.Overrides != nil {
			t.Errorf("%s is of another experiment: measure it again\ngot  %+v %v\nwant %+v", path, got, h.Overrides, want)
		}
		if h.Trials != len(file.Trials) || file.Torn {
			t.Errorf("%s has %d trials of %d", path, len(file.Trials), h.Trials)
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.Contains(text, []byte(`"type":"series"`)) {
			t.Errorf("%s has samples, or error %v: measure it with --series off", path, err)
		}
	}
}

// meaning is an experiment without its words.
func meaning(t *testing.T, name string, text []byte) experiment.Experiment {
	t.Helper()
	e, err := experiment.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	e.Text = nil
	return *e
}
