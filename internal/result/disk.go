package result

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrReplaced marks that the results file is no longer the one that was being
// written: its path does not lead to it any more, or others wrote to it.
var ErrReplaced = errors.New("the results file was changed by another program")

// disk is a results file from its last committed line on. Its first Write cuts
// off what is behind that. Each Write makes sure that the file is as it was left:
// what went on into one that was moved, replaced or truncated would be lost, and
// found out only at the end of the run.
type disk struct {
	file *os.File
	path string
	size int64 // that the file has
	end  int64 // of what stays
}

func (d *disk) Write(p []byte) (int, error) {
	if err := d.check(); err != nil {
		return 0, err
	}
	if d.end < d.size {
		if err := errors.Join(d.file.Truncate(d.end), d.file.Sync()); err != nil {
			return 0, fmt.Errorf("cutting off what was not finished: %w", err)
		}
	}
	if _, err := d.file.Seek(d.end, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := d.file.Write(p)
	d.end += int64(n)
	d.size = d.end
	return n, err
}

func (d *disk) check() error {
	mine, err := d.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(d.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: it was moved away or removed", ErrReplaced)
	case err != nil:
		return err
	case !os.SameFile(mine, there):
		return fmt.Errorf("%w: another file is in its place", ErrReplaced)
	case mine.Size() != d.size:
		return fmt.Errorf("%w: it had %d bytes, and has %d now", ErrReplaced, d.size, mine.Size())
	}
	return nil
}

func (d *disk) Sync() error { return d.file.Sync() }
