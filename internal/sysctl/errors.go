package sysctl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Error is a key that could not be read or written. It unwraps to the
// system's error: fs.ErrNotExist, fs.ErrPermission, syscall.EINVAL, ...
type Error struct {
	Doing   string // reading, or writing with the value
	Key     string
	Missing bool   // there is no such key; ErrNotExist alone may also mean the value
	Near    string // the key most like it where it is missing; "": none is like it
	Err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s sysctl %s: %s", e.Doing, e.Key, e.reason())
}

func (e *Error) Unwrap() error { return e.Err }

// reason says what the common failures mean, and what to do.
func (e *Error) reason() string {
	switch {
	case e.Missing && e.Near != "":
		return fmt.Sprintf("no such key here (did you mean %s?)", e.Near)
	case e.Missing:
		return "no such key here; this kernel lacks it, or its module is not loaded, or it is not one that each network namespace has of its own"
	case errors.Is(e.Err, fs.ErrPermission):
		return "not permitted; a network namespace's keys need its owner's root, all others the machine's"
	case errors.Is(e.Err, fs.ErrNotExist):
		return "this kernel has nothing of that name"
	case errors.Is(e.Err, syscall.EINVAL), errors.Is(e.Err, syscall.ERANGE):
		return fmt.Sprintf("the kernel refuses the value (%v); see its Documentation/networking/ip-sysctl.rst", e.Err)
	}
	return e.Err.Error()
}

// failed names the key instead of the file, and looks for what was meant.
// A key is missing when its file cannot be opened; from a write the same
// errno speaks of the value, such as a congestion control that is not there.
func (d Dir) failed(doing, key string, err error) error {
	e := &Error{Doing: doing, Key: key, Err: err}
	var path *fs.PathError
	if errors.As(err, &path) {
		e.Err = path.Err
		e.Missing = path.Op == "open" && errors.Is(err, fs.ErrNotExist)
	}
	if e.Missing {
		e.Near = d.near(key)
	}
	return e
}

// near looks beside the key, where a slip of the pen would have meant
// another: at most two letters apart. Nothing is near where its directory is
// not there either.
func (d Dir) near(key string) string {
	dir, name := "", key
	if at := strings.LastIndexByte(key, '.'); at >= 0 {
		dir, name = key[:at+1], key[at+1:]
	}
	entries, err := os.ReadDir(d.path(strings.TrimSuffix(dir, ".")))
	if err != nil {
		return ""
	}
	best, most := "", 3
	for _, e := range entries {
		// Two edits turn any two letters into any other two.
		if n := distance(name, e.Name()); n < most && n*2 < len(name) {
			best, most = dir+e.Name(), n
		}
	}
	return best
}

// distance counts the letters to add, drop or change to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
