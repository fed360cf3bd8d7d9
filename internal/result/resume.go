package result

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Lock keeps others from a file until it is closed, or refuses at once. How,
// is the system's and so the caller's.
type Lock func(*os.File) error

// Lock takes the lock on the file that Create made.
func (w *Writer) Lock(lock Lock) error {
	if err := lock(w.file); err != nil {
		return fmt.Errorf("locking results file %s: %w", w.name, err)
	}
	return nil
}

// Resume opens the results file path, whose run was ended before its time, and
// returns a Writer of its missing trials beside what it has. It is refused
// while another holds lock.
//
// The file is not changed before the first new trial is written: what a kill
// left behind the last whole one is cut off only then.
func Resume(path string, lock Lock) (*Writer, *File, error) {
	f, err := openWritten(path)
	if err != nil {
		return nil, nil, fmt.Errorf("resuming results: %w", err)
	}
	file, err := readLocked(f, lock)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("resuming results: %w", err), f.Close())
	}
	d := &disk{file: f, path: path, size: file.size, end: file.committed}
	w := NewWriter(path, d, *file.Header)
	w.begun, w.close = true, func() error { return errors.Join(d.check(), f.Close()) }
	for _, t := range file.Trials {
		w.trials[t.Trial] = true
	}
	if len(file.Trials) == 0 {
		// Nothing was measured on them: the tail begins after the header.
		file.Hosts = nil
	}
	return w, file, nil
}

// openWritten opens a file that something was written to. What is none is
// refused before it is opened: opening a pipe would wait for its other end.
func openWritten(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory; name a results file in it", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is %s; only a regular file can be resumed", path, kind(info.Mode()))
	case info.Size() == 0: // nor is it locked: a run that has just made it is about to
		return nil, &foreign{path + " is empty: there is nothing to resume", nothingMeasured}
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}

const nothingMeasured = "nothing was measured; remove the file and run the experiment anew"

// readLocked reads f from its start.
func readLocked(f *os.File, lock Lock) (*File, error) {
	if err := lock(f); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	file, err := Read(f.Name(), f, nil)
	if err != nil && tornHeader(f) {
		return nil, &foreign{f.Name() + ": its header is incomplete: there is nothing to resume", nothingMeasured}
	}
	return file, err
}

// tornHeader says whether f ends inside a header.
func tornHeader(f *os.File) bool {
	const start = `{"type":"header"`
	first := make([]byte, len(start))
	n, err := f.ReadAt(first, 0)
	if err != nil && err != io.EOF || string(first[:n]) != start[:n] {
		return false
	}
	in := NewReader(f.Name(), io.NewSectionReader(f, 0, 1<<62))
	_, err = in.Next()
	return err == io.EOF
}

// Hosts says where the trials to come are measured, if that is not what the
// file says. Their lines are written with the next trial, which commits them.
func (w *Writer) Hosts(hosts []Host) { w.hosts = hosts }
