//go:build !linux

package loadgen

import (
	"context"
	"errors"
	"fmt"
)

var errLinux = fmt.Errorf("load generator: needs Linux: %w", errors.ErrUnsupported)

// Sender exists on Linux only; see Dial.
type Sender struct{}

// Dial fails: it needs Linux.
func Dial(context.Context, SenderConfig) (*Sender, error) { return nil, errLinux }

// Start fails: there is no Sender here.
func (*Sender) Start() error { return errLinux }

// Progress is none: there is no Sender here.
func (*Sender) Progress() Progress { return Progress{} }

// WindowClosed is nil: there is no Sender here.
func (*Sender) WindowClosed() <-chan struct{} { return nil }

// Finish fails: there is no Sender here.
func (*Sender) Finish() (*SenderReport, error) { return nil, errLinux }

// Close fails: there is no Sender here.
func (*Sender) Close() error { return errLinux }

// Receiver exists on Linux only; see Listen.
type Receiver struct{}

// Listen fails: it needs Linux.
func Listen(ReceiverConfig) (*Receiver, error) { return nil, errLinux }

// Port is none: there is no Receiver here.
func (*Receiver) Port() int { return 0 }

// WindowClosed is nil: there is no Receiver here.
func (*Receiver) WindowClosed() <-chan struct{} { return nil }

// Finish fails: there is no Receiver here.
func (*Receiver) Finish(context.Context) (*ReceiverReport, error) { return nil, errLinux }

// Close fails: there is no Receiver here.
func (*Receiver) Close() error { return errLinux }

// TryAlgorithm fails: it needs Linux.
func TryAlgorithm(string) error { return errLinux }
