package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ccbench/internal/metric"
	"ccbench/internal/plan"
	"ccbench/internal/result"
)

// sink puts a run's records into its results file.
type sink struct {
	path   string
	chosen bool // by ccbench, not by the user
	plan   *plan.Plan
	series bool   // keep the samples
	begun  func() // called when the file is there
	file   *result.Writer
	trials int // in the file
	lock   result.Lock

	resumed *resumption // nil: a new file
	force   bool        // go on where the file was not begun
}

// check refuses a path that cannot become the results file, before anything
// is done for it. Without a path it chooses one, after experiment and time.
func (s *sink) check() error {
	if s.path == "" {
		s.choose(time.Now())
	}
	if strings.HasSuffix(s.path, "/") {
		return usageError(fmt.Errorf("results file %s: it is a folder; name a file in it", s.path))
	}
	if _, err := os.Lstat(s.path); err == nil {
		// Create knows what it is, and says why it will not do.
		_, err := result.Create(s.path, s.header())
		return err
	}
	dir := filepath.Dir(s.path)
	if !s.chosen {
		if err := folderIsThere(dir); err != nil {
			return usageError(fmt.Errorf("results file: %w", err))
		}
	}
	return writable(dir)
}

// folderIsThere refuses a folder that the user named and that is none: it may be
// a slip of the pen. What else is in the way of a file there is writable's.
func folderIsThere(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hinted{fmt.Errorf("there is no folder %s", dir), "mkdir -p " + shellWord(dir)}
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is no folder", dir)
	case err != nil && !errors.Is(err, fs.ErrPermission):
		return err
	}
	return nil
}

// makeFolder makes the folder of a path that ccbench chose.
func (s *sink) makeFolder() error {
	if !s.chosen {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o777); err != nil {
		return fmt.Errorf("making the results folder: %w", err)
	}
	return nil
}

// choose picks a name that is free: two runs may begin in one second.
func (s *sink) choose(now time.Time) {
	base := filepath.Join("results", s.plan.Experiment.Name+now.UTC().Format("-20060102T150405Z"))
	s.path = base + ".jsonl"
	for n := 2; exists(s.path); n++ {
		s.path = fmt.Sprintf("%s-%d.jsonl", base, n)
	}
	s.chosen = true
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Begin creates the file, which must not exist, and writes what is known
// before the first trial; or it goes on with a file that has this.
func (s *sink) Begin(hosts []result.Host) error {
	begin := s.create
	if s.resumed != nil {
		begin = s.goOn
	}
	if err := begin(hosts); err != nil {
		return err
	}
	s.begun()
	return nil
}

func (s *sink) goOn(hosts []result.Host) error {
	if err := s.resumed.goOn(hosts, s.force); err != nil {
		return err
	}
	s.trials = len(s.resumed.file.Trials)
	return nil
}

func (s *sink) create(hosts []result.Host) error {
	if err := s.makeFolder(); err != nil {
		return err
	}
	file, err := result.Create(s.path, s.header())
	for s.chosen && errors.Is(err, fs.ErrExist) {
		s.choose(time.Now())
		file, err = result.Create(s.path, s.header())
	}
	if err != nil {
		return err
	}
	s.file = file
	if err := file.Lock(s.lock); err != nil {
		return err
	}
	return file.Begin(hosts)
}

func (s *sink) header() result.Header {
	e := s.plan.Experiment
	shared, own := plan.PathLabels(e)
	h := result.Header{
		Ccbench: version, Created: time.Now().UTC().Truncate(time.Second),
		Name: e.Name, Description: e.Description, File: e.File, Experiment: string(e.Text), Overrides: e.Overrides,
		Baseline: e.Baseline, Seed: e.Seed, Trials: len(s.plan.Trials), Repetitions: e.Repetitions,
		PlanHash: s.plan.Hash, Path: shared, Factors: e.Factors, Metrics: metric.Definitions(),
	}
	for _, a := range e.Arms {
		h.Arms = append(h.Arms, result.Arm{Name: a.Name, Algorithm: a.Algorithm, Kernel: a.Kernel, Sysctl: a.Sysctl})
	}
	for i, c := range e.Conditions {
		if len(e.Factors) > 0 {
			h.Conditions = append(h.Conditions, result.Condition{Labels: c.Labels, Path: own[i]})
		}
	}
	return h
}

// Trial writes one trial and returns once it is on disk.
func (s *sink) Trial(t *result.Trial, series []result.Series) error {
	if !s.series {
		series = nil
	}
	if err := s.file.Trial(t, series); err != nil {
		return err
	}
	s.trials++
	return nil
}

// Close closes the file, if there is one. A new one without a trial is removed:
// it says nothing, and would stand in the way of the next run.
func (s *sink) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.trials == 0 && s.resumed == nil && !errors.Is(err, result.ErrReplaced) {
		if removal := os.Remove(s.path); !errors.Is(removal, fs.ErrNotExist) { // an empty one is gone already
			err = errors.Join(err, removal)
		}
	}
	return err
}
