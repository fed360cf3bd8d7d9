package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// errBusy is why a results file is left alone.
var errBusy = errors.New("it is being written by another ccbench")

// lock takes the lock that every run has on its results file (flock(2)). It
// ends with the process, however that ends. A file system without locks has
// them for no other run either.
func (a *app) lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return hinted{errBusy, "wait for its end"}
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOLCK):
		a.ui.Note("%s cannot be locked (%v): take care that one run at a time writes to it", f.Name(), err)
	case err != nil:
		return fmt.Errorf("flock: %w", err)
	}
	return nil
}
