package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Sink is where a Writer puts its lines; Sync returns once they are safe.
type Sink interface {
	io.Writer
	Sync() error
}

// Writer writes one results file: Begin once, then Trial for each trial.
//
// Everything that belongs to one trial reaches the sink in one Write and one
// Sync, so that a kill can tear only the trial under way. After a failed write
// the end of the file is unknown, and anything after it would be unreadable:
// the Writer then refuses to go on, with the first error.
type Writer struct {
	name   string
	sink   Sink
	header Header
	begun  bool
	trials map[int]bool // written
	hosts  []Host       // to be written with the next trial
	failed error
	file   *os.File // that Create made
	close  func() error
}

// Create makes the results file path and a Writer for it. A file that exists
// is refused (errors.Is fs.ErrExist), for results are never overwritten; so is
// what is no regular file.
func Create(path string, h Header) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("creating results file: %w", explain(path, err))
	}
	d := &disk{file: f, path: path}
	w := NewWriter(path, d, h)
	w.file, w.close = f, func() error { return closeFile(d) }
	return w, nil
}

// explain says what is in the way at path, where something is.
func explain(path string, err error) error {
	info, statErr := os.Stat(path)
	switch {
	case statErr == nil && info.IsDir():
		return fmt.Errorf("%s is a directory; name a file in it", path)
	case statErr == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is %s; results go to a regular file, of a name that does not exist yet", path, kind(info.Mode()))
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w; results are never overwritten: move it away or choose another name", err)
	}
	return err
}

// kind names what is neither a regular file nor a directory.
func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe (FIFO)"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a special file"
}

// closeFile also removes a file that nothing was written to: it says nothing,
// and would stand in the way of the next attempt.
func closeFile(d *disk) error {
	changed := d.check()
	err := errors.Join(changed, d.file.Close())
	if err != nil {
		return fmt.Errorf("closing results file %s: %w", d.path, err)
	}
	if d.size > 0 {
		return nil
	}
	if err := os.Remove(d.path); err != nil {
		return fmt.Errorf("removing empty results file: %w", err)
	}
	return nil
}

// NewWriter writes to sink; name stands for it in errors.
func NewWriter(name string, sink Sink, h Header) *Writer {
	return &Writer{name: name, sink: sink, header: h, trials: map[int]bool{}}
}

// Close closes the file. One that Create made is removed if it is empty.
func (w *Writer) Close() error {
	if w.close == nil {
		return nil
	}
	return w.close()
}

// Begin writes the header and one line a host. The header's type and version
// are filled in here.
func (w *Writer) Begin(hosts []Host) error {
	if w.begun {
		return fmt.Errorf("writing %s: the header was written before", w.name)
	}
	h := w.header
	h.Type, h.Version = TypeHeader, Version
	var lines lines
	lines.add(h)
	for _, host := range hosts {
		host.Type = TypeHost
		lines.add(host)
	}
	w.begun = true
	return w.commit("header", lines)
}

// Trial writes a trial's series and then the trial itself, whose line commits
// them. A record that no reader would take is refused, and nothing is written.
func (w *Writer) Trial(t *Trial, series []Series) error {
	what := fmt.Sprintf("trial %d", t.Trial)
	if err := w.checkTrial(t, series); err != nil {
		return fmt.Errorf("writing %s to %s: %w", what, w.name, err)
	}
	var lines lines
	for _, host := range w.hosts {
		host.Type = TypeHost
		lines.add(host)
	}
	for _, s := range series {
		s.Type = TypeSeries
		lines.add(s)
	}
	record := *t
	record.Type = TypeTrial
	if record.Reasons == nil {
		record.Reasons = []Reason{} // none is known to be none, not absent
	}
	lines.add(record)
	if err := w.commit(what, lines); err != nil {
		return err
	}
	w.trials[t.Trial] = true
	w.hosts = nil
	return nil
}

func (w *Writer) checkTrial(t *Trial, series []Series) error {
	switch {
	case !w.begun:
		return errors.New("the header comes first")
	case w.trials[t.Trial]:
		return errors.New("it was written before")
	}
	if err := t.check(); err != nil {
		return err
	}
	for _, s := range series {
		if s.Trial != t.Trial {
			return fmt.Errorf("a series of trial %d is among its own", s.Trial)
		}
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// commit writes lines in one piece and waits until they are safe.
func (w *Writer) commit(what string, l lines) error {
	if w.failed != nil {
		return fmt.Errorf("writing %s to %s: not tried after an earlier failure: %w", what, w.name, w.failed)
	}
	if l.err != nil {
		return fmt.Errorf("writing %s to %s: %w", what, w.name, l.err)
	}
	n, err := w.sink.Write(l.buf.Bytes())
	if err == nil && n < l.buf.Len() {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = w.sink.Sync()
	}
	if err != nil {
		w.failed = fmt.Errorf("writing %s to %s (%d bytes): %w; what was written before it can be read",
			what, w.name, l.buf.Len(), err)
	}
	return w.failed
}

// lines collects records as lines and keeps the first error.
type lines struct {
	buf bytes.Buffer
	err error
}

func (l *lines) add(record any) {
	if l.err != nil {
		return
	}
	e := json.NewEncoder(&l.buf)
	e.SetEscapeHTML(false) // a file to be read by people too
	l.err = e.Encode(record)
}
