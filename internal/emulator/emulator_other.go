//go:build !linux

package emulator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"ccbench/internal/result"
)

// Emulator needs Linux.
type Emulator struct{}

func unsupported() error {
	return fmt.Errorf("emulator on %s: %w: a Linux kernel is needed", runtime.GOOS, errors.ErrUnsupported)
}

// New needs Linux.
func New(Config, *os.File, *os.File) (*Emulator, error) { return nil, unsupported() }

// Run needs Linux.
func (e *Emulator) Run(context.Context) error { return unsupported() }

// Stats needs Linux.
func (e *Emulator) Stats() result.Path { return result.Path{} }

// Drain needs Linux.
func (e *Emulator) Drain(context.Context) error { return unsupported() }
