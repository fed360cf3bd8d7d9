package result

import (
	"fmt"
	"io"
	"os"
)

// File is a results file without its series, which are most of its bytes.
type File struct {
	Name   string
	Header *Header
	Hosts  []*Host  // those of committed trials
	Trials []*Trial // committed ones, in the order of the file
	// Torn says that the file ends inside a trial: the run was killed, or is
	// under way. What came before is complete.
	Torn bool
	// HasSeries says that there is a series, even if of a trial that is not committed.
	HasSeries bool

	size, committed int64   // bytes, as of the Reader
	hosts           []*Host // seen after a trial, and committed by the next
}

// ReadFile reads the results file path.
func ReadFile(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	defer in.Close() // only read from: closing cannot lose anything
	return Read(path, in, nil)
}

// Read reads a results file from r; name stands for it in errors. If onSeries
// is not nil it sees each series, before the trial that commits it and even if
// none does; its error stops reading.
func Read(name string, r io.Reader, onSeries func(*Series) error) (*File, error) {
	in := NewReader(name, r)
	in.SkipSeries = onSeries == nil
	f := &File{Name: name}
	seen := map[int]bool{}
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := f.add(record, seen, onSeries); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, in.Line(), err)
		}
	}
	if f.Header == nil {
		return nil, fmt.Errorf("%s: not a results file: it has no complete header line", name)
	}
	f.Torn, f.HasSeries = in.Torn(), in.HasSeries()
	f.size, f.committed = in.at, in.Committed()
	return f, nil
}

func (f *File) add(record Record, seen map[int]bool, onSeries func(*Series) error) error {
	switch record := record.(type) {
	case *Header:
		f.Header = record
	case *Host:
		f.hosts = append(f.hosts, record)
		if len(f.Trials) == 0 {
			f.commitHosts()
		}
	case *Series:
		return onSeries(record)
	case *Trial:
		if seen[record.Trial] {
			return fmt.Errorf("trial %d is in the file twice", record.Trial)
		}
		seen[record.Trial] = true
		f.commitHosts()
		f.Trials = append(f.Trials, record)
	}
	return nil
}

func (f *File) commitHosts() { f.Hosts, f.hosts = append(f.Hosts, f.hosts...), nil }
