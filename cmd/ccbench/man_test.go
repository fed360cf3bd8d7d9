package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// manual makes the manual as make man does, in a folder of its own.
func manual(t *testing.T, epoch string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	cmd := exec.Command("go", "run", "-tags", "man", ".", "man", folder)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+epoch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// Each command that help shows has a page, with its date, options and examples,
// and nothing else has; the pages are well formed.
func TestManual(t *testing.T) {
	folder := manual(t, "1700000000")
	var want []string
	for _, c := range allCommands() {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		want = append(want, name)
		page, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, line := range []string{
			`^\.TH "` + strings.ToUpper(strings.TrimSuffix(name, ".1")) + `" "1" "2023-11-14" "ccbench [^"]+" "ccbench"$`,
			`^\.SH NAME$`, `^\.SH DESCRIPTION$`, `^\.TP\n\\fB-h\\fP, \\fB--help\\fP\n`, `^\.SH EXAMPLE$`, `^  ccbench `,
		} {
			if !regexp.MustCompile(`(?m)` + line).Match(page) {
				t.Errorf("%s has no line %s", name, line)
			}
		}
	}
	slices.Sort(want)
	pages, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range pages {
		pages[i] = filepath.Base(pages[i])
	}
	if !slices.Equal(pages, want) {
		t.Errorf("there are %v, want %v", pages, want)
	}
	lintManual(t, folder, want)
}

// lintManual asks a program that reads such pages. make test installs mandoc.
func lintManual(t *testing.T, folder string, pages []string) {
	t.Helper()
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Logf("not linted: %v", err)
		return
	}
	cmd := exec.Command("mandoc", slices.Concat([]string{"-T", "lint", "-W", "warning"}, pages)...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("mandoc: %v\n%s", err, out)
	}
}

// Without a date there is no manual: the time of the build would be another
// one each time.
func TestManualNeedsDate(t *testing.T) {
	cmd := exec.Command("go", "run", "-tags", "man", ".", "man", t.TempDir())
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=")
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("error: SOURCE_DATE_EPOCH is not a number of seconds")) {
		t.Errorf("got %v and %s", err, out)
	}
}

// The program itself carries nothing of what the manual is made with.
func TestManualIsNotInTheProgram(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "md2man") || strings.Contains(line, "cobra/doc") {
			t.Errorf("the program links %s", line)
		}
	}
}
