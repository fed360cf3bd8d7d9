package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ccbench/internal/experiment"
	"ccbench/internal/plan"
	"ccbench/internal/result"
)

// resumption is a results file that a run goes on with: what it has, and what
// is left of its plan. It holds the file against others until it is closed.
type resumption struct {
	path   string
	whole  *plan.Plan
	rest   *plan.Plan
	file   *result.File
	writer *result.Writer
}

// resume goes on with the results file that --resume names.
func (a *app) resume(args []string, flags runFlags) error {
	r, err := a.openResumption(args, flags)
	if err != nil {
		return err
	}
	// This was to refuse what can be refused before anything is begun. The
	// lock has to be free for the process that measures, which may be another.
	if err := r.writer.Close(); err != nil {
		return err
	}
	if len(r.rest.Trials) == 0 {
		a.ui.Note("%s: nothing left to do, all of its %s are there", r.path, count(len(r.file.Trials), "trial"))
		return a.show(r.path, flags.table)
	}
	if base := r.whole.Experiment.Baseline; base != r.file.Header.Baseline && !a.lifeline {
		a.ui.Note("the baseline stays %s, as in %s; --baseline %s shows the other", r.file.Header.Baseline, r.path, base)
	}
	if status, done, err := a.enterNamespace(); done || err != nil {
		return entered(status, err)
	}
	if r, err = a.openResumption(args, flags); err != nil {
		return err
	}
	return a.measure(r.rest, r.sink(flags), flags)
}

// openResumption refuses a file that cannot be gone on with, as far as that
// can be seen without looking at the machine.
func (a *app) openResumption(args []string, flags runFlags) (*resumption, error) {
	writer, file, err := a.openResults(flags.resume)
	if err != nil {
		return nil, err
	}
	r := &resumption{path: flags.resume, file: file, writer: writer}
	if err := a.settle(r, args, flags); err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	return r, nil
}

// openResults opens a file to be gone on with. What is none is a usage error;
// one that another run has is not.
func (a *app) openResults(path string) (*result.Writer, *result.File, error) {
	var locked error
	writer, file, err := result.Resume(path, func(f *os.File) error {
		locked = a.lock(f)
		return locked
	})
	if err != nil && locked == nil {
		err = usageError(err)
	}
	return writer, file, err
}

func (a *app) settle(r *resumption, args []string, flags runFlags) error {
	if err := flags.table.checkFor(r.path, *r.file.Header); err != nil {
		return err
	}
	if err := r.load(args, flags.set); err != nil {
		return err
	}
	if err := r.checkPlan(args); err != nil {
		return err
	}
	var err error
	if r.rest, err = r.whole.Rest(r.file.Trials); err != nil {
		return usageError(fmt.Errorf("resuming %s: %w", r.path, err))
	}
	return nil
}

// load makes the plan: of the experiment given, else of the one in the header.
func (r *resumption) load(args []string, set []string) (err error) {
	if len(args) > 0 {
		r.whole, err = loadPlan(args[0], set)
		return err
	}
	h := r.file.Header
	e, err := experiment.Parse(h.File, []byte(h.Experiment), h.Overrides...)
	if err != nil {
		// Its lines and columns are those of a text that the user may not have.
		return usageError(hinted{fmt.Errorf("reading the experiment in the header of %s, written by ccbench %s: %v", r.path, h.Ccbench, err),
			"resume it with that version"})
	}
	r.whole, err = plan.New(e)
	return err
}

// checkPlan holds the plan against the one that the file was begun with.
func (r *resumption) checkPlan(args []string) error {
	h := r.file.Header
	now := (&sink{plan: r.whole}).header()
	if r.whole.Hash == h.PlanHash {
		return r.checkHeader(&now)
	}
	what, cure := "the experiment in its header", "run the experiment anew"
	var reasons []string
	for _, d := range h.Differences(&now) {
		reasons = append(reasons, d.String())
	}
	if h.Ccbench != version {
		reasons = append(reasons, fmt.Sprintf("it was begun with ccbench %s, and this is %s", h.Ccbench, version))
		cure = "resume it with that version, or " + cure
	}
	if len(args) > 0 {
		what, cure = args[0], "without an experiment, the run goes on as it was begun"
	}
	if len(reasons) == 0 {
		reasons = append(reasons, "their hashes differ")
	}
	return usageError(hinted{fmt.Errorf("resuming %s: the plan of %s is not the one it was begun with:%s",
		r.path, what, below(reasons)), cure})
}

// checkHeader refuses a header that says something else of the plan than its
// hash: tables would be made by what it says.
func (r *resumption) checkHeader(now *result.Header) error {
	var wrong []string
	for _, d := range r.file.Header.Differences(now) {
		if slices.Contains(result.PlanDifferences, d.What) {
			wrong = append(wrong, d.String())
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return usageError(hinted{fmt.Errorf("resuming %s: its header contradicts the plan whose hash it has:%s", r.path, below(wrong)),
		"was the file edited? run the experiment anew"})
}

// below are lines that belong to the one before them.
func below(lines []string) string { return "\n  " + strings.Join(lines, "\n  ") }

// welcome says where the run goes on.
func (r *resumption) welcome() string {
	text := fmt.Sprintf("resuming %s: %d of %s done", r.path, len(r.file.Trials), count(len(r.whole.Trials), "trial"))
	if r.file.Torn {
		text += "; what is there of one more was not finished, and is done anew"
	}
	return text
}

func (r *resumption) sink(flags runFlags) *sink {
	s := &sink{path: r.path, plan: r.whole, file: r.writer, series: flags.series == "on", resumed: r, force: flags.force}
	if !flags.seriesGiven {
		s.series = r.keepsSeries()
	}
	return s
}

// keepsSeries says whether the run was begun with its series kept. A trial
// that broke has none either way.
func (r *resumption) keepsSeries() bool {
	sound := func(t *result.Trial) bool { return t.Error == "" }
	return r.file.HasSeries || !slices.ContainsFunc(r.file.Trials, sound)
}

// resumeCommand is how a run that was ended goes on.
func resumeCommand(path string) string { return "ccbench run --resume " + shellWord(path) }

// goOnHint adds to what ended a run how it goes on, where something is left to do.
func (s *sink) goOnHint(failure error) error {
	if failure == nil || s.trials >= len(s.plan.Trials) {
		return failure
	}
	hint := resumeCommand(s.path) + " goes on with it"
	var cure hinter
	if errors.As(failure, &cure) && cure.Hint() != "" {
		hint = cure.Hint() + "; then " + hint
	}
	return hinted{failure, hint}
}
