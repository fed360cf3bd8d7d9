//go:build man

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// hiddenCommands are those that help does not list. A program built with the
// tag man has one more, which writes the manual; the one that is installed does not carry
// what that takes.
func (a *app) hiddenCommands() []*cobra.Command {
	return []*cobra.Command{a.agentCommand(), a.manCommand()}
}

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE:   func(c *cobra.Command, args []string) error { return writeManual(c.Root(), args[0]) },
	}
}

// writeManual writes a page for each command into a folder that exists.
func writeManual(root *cobra.Command, folder string) error {
	date, err := commitDate()
	if err != nil {
		return err
	}
	for _, c := range append(root.Commands(), root) {
		if !c.IsAvailableCommand() && c != root {
			continue
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		text, err := page(c, date)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o666)
		}
		if err != nil {
			return fmt.Errorf("writing the manual page %s: %w", name, err)
		}
	}
	return nil
}

// commitDate is the date of the pages. It is not that of the build, so that the
// same source gives the same pages: https://reproducible-builds.org/specs/source-date-epoch/
func commitDate() (time.Time, error) {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return time.Time{}, usageError(hinted{
			errors.New("SOURCE_DATE_EPOCH is not a number of seconds: the pages would have no date"),
			"make man sets it to the time of the last commit",
		})
	}
	return time.Unix(seconds, 0).UTC(), nil
}

var (
	option   = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*)\n\t(.*)$`)
	nothing  = regexp.MustCompile(`(?m)^(\\fB-.*\\fP)(?:\[=false\]|=\[\]|="")$`)
	monthIn  = regexp.MustCompile(`(?m)^(\.TH "[^"]*" "1" )"[^"]*"`)
	emptyRun = regexp.MustCompile(`\n{2,}`)
)

// page is the manual page of a command: cobra's, with its options as a list, no
// default where that is nothing, and the day.
func page(c *cobra.Command, date time.Time) ([]byte, error) {
	c.DisableAutoGenTag = true // it would say when the page was made
	c.InitDefaultHelpFlag()
	var text bytes.Buffer
	header := &doc.GenManHeader{Section: "1", Date: &date, Source: "ccbench " + version, Manual: "ccbench"}
	if err := doc.GenMan(c, header, &text); err != nil {
		return nil, err
	}
	tidy := option.ReplaceAll(text.Bytes(), []byte(".TP\n$1\n$2"))
	tidy = nothing.ReplaceAll(tidy, []byte("$1"))
	tidy = monthIn.ReplaceAll(tidy, []byte(`$1"`+date.Format(time.DateOnly)+`"`))
	return emptyRun.ReplaceAll(tidy, []byte("\n")), nil
}
