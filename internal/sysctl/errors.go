package sysctl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"ccbench/internal/near"
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

// Hint says what to do about it; "" when there is nothing to say.
func (e *Error) Hint() string {
	switch {
	case e.Missing && e.Near != "":
		return "did you mean " + e.Near + "?"
	case e.Missing:
		return "this kernel lacks the key, its module is not loaded, or it is not one that each network namespace has of its own"
	case errors.Is(e.Err, fs.ErrPermission):
		return "a network namespace's keys need its owner's root, all others the machine's"
	case errors.Is(e.Err, syscall.EINVAL), errors.Is(e.Err, syscall.ERANGE):
		return "see Documentation/networking/ip-sysctl.rst of the kernel for its values"
	}
	return ""
}

// reason says what the common failures mean.
func (e *Error) reason() string {
	switch {
	case e.Missing:
		return "no such key here"
	case errors.Is(e.Err, fs.ErrPermission):
		return "not permitted"
	case errors.Is(e.Err, fs.ErrNotExist):
		return "this kernel has nothing of that name"
	case errors.Is(e.Err, syscall.EINVAL), errors.Is(e.Err, syscall.ERANGE):
		return fmt.Sprintf("the kernel refuses the value (%v)", e.Err)
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

// near looks beside the key, where a slip of the pen would have meant another
// that can be set. Nothing is near where its directory is not there either.
func (d Dir) near(key string) string {
	dir, name := "", key
	if at := strings.LastIndexByte(key, '.'); at >= 0 {
		dir, name = key[:at+1], key[at+1:]
	}
	entries, err := os.ReadDir(d.path(strings.TrimSuffix(dir, ".")))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if d.settable(dir+e.Name(), e) {
			names = append(names, e.Name())
		}
	}
	if best := near.Name(name, names); best != "" {
		return dir + best
	}
	return ""
}

// settable says whether a key that was found is one to suggest.
func (d Dir) settable(key string, e fs.DirEntry) bool {
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o222 == 0 {
		return false
	}
	return d.Refused == nil || !d.Refused(key)
}
