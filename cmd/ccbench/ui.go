package main

// How ccbench speaks:
//   - What was asked for (tables) goes to stdout, everything else to stderr.
//   - An error is one "error:" line, then at most one "hint:" line that says
//     what to do; several such pairs when several things are wrong.
//   - A run shows one progress line when stderr is a terminal, plain lines
//     when it is not or with -v, nothing with -q.
//   - Numbers carry their units.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"
)

type ui struct {
	out, err       io.Writer
	quiet, verbose bool
	ascii          bool
	bar            *pb.ProgressBar // nil: plain lines
}

func newUI(out, err io.Writer) *ui { return &ui{out: out, err: err} }

// Print writes a result.
func (u *ui) Print(text string) error {
	_, err := io.WriteString(u.out, text)
	return err
}

// PrintJSON writes a result for programs, in lines that people can read too.
func (u *ui) PrintJSON(v any) error {
	form := json.NewEncoder(u.out)
	form.SetEscapeHTML(false)
	form.SetIndent("", "  ")
	return form.Encode(v)
}

// hinter is an error that knows what would help.
type hinter interface{ Hint() string }

// hinted is an error with a cure.
type hinted struct {
	error
	hint string
}

func (h hinted) Hint() string  { return h.hint }
func (h hinted) Unwrap() error { return h.error }

// Error prints an error and its hint; of an error that is several, each.
func (u *ui) Error(err error) {
	var several interface{ Problems() []error }
	if errors.As(err, &several) {
		for _, problem := range several.Problems() {
			u.Error(problem)
		}
		return
	}
	u.clear()
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(u.err, "error:", plain(strings.TrimRight(line, "\n")))
	}
	var h hinter
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintln(u.err, "hint:", plain(h.Hint()))
	}
}

// Note prints a line of news, unless quiet.
func (u *ui) Note(format string, args ...any) {
	if u.quiet {
		return
	}
	u.clear()
	fmt.Fprintln(u.err, plain(fmt.Sprintf(format, args...)))
}

// plain shows what a terminal would obey: names of files and the words of
// others go into messages as they are.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) && r != '\t' || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, text)
}

// plainLines is plain for a text of lines.
func plainLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(plain(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}

// Detail prints a line that only -v asks for.
func (u *ui) Detail(format string, args ...any) {
	if u.verbose {
		u.Note(format, args...)
	}
}

// clear makes room for a line where the progress line is.
func (u *ui) clear() {
	if u.bar != nil {
		fmt.Fprint(u.err, "\r\033[K")
	}
}

// barTemplate is the progress line: what runs, how far, at what rate, until when.
const barTemplate = `{{string . "what"}} {{bar . "[" "=" ">" " " "]"}} {{percent . "%.0f%%" "?"}} {{string . "rate"}} {{rtime . "ETA %s" "done in %s" "ETA -"}}`

// StartProgress begins the progress line of a run that takes about total.
func (u *ui) StartProgress(total time.Duration) {
	if u.quiet || u.verbose || !isTerminal(u.err) {
		return
	}
	u.bar = pb.New64(total.Milliseconds()).SetTemplateString(barTemplate).SetWriter(u.err)
	u.bar.Set(pb.Terminal, true).Set(pb.CleanOnFinish, true).Set("what", "").Set("rate", "")
	u.bar.Start()
}

// Progress moves the progress line.
func (u *ui) Progress(done time.Duration, what, rate string) {
	if u.bar != nil {
		u.bar.Set("what", what).Set("rate", rate).SetCurrent(done.Milliseconds())
	}
}

// Step is a line about something finished; a progress line says as much.
func (u *ui) Step(format string, args ...any) {
	if u.bar == nil {
		u.Note(format, args...)
	}
}

// EndProgress removes the progress line.
func (u *ui) EndProgress() {
	if u.bar != nil {
		u.bar.Finish()
		u.bar = nil
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
