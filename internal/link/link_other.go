//go:build !linux

package link

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"ccbench/internal/result"
)

func unsupported() error {
	return fmt.Errorf("network devices on %s: %w: a Linux kernel is needed", runtime.GOOS, errors.ErrUnsupported)
}

// OpenTUN needs Linux.
func OpenTUN(TUN) (*os.File, error) { return nil, unsupported() }

// CreateVeth needs Linux.
func CreateVeth(VethConfig) error { return unsupported() }

// Configure needs Linux.
func Configure(string, DeviceConfig) error { return unsupported() }

// Counters needs Linux.
func Counters(string) (result.Link, error) { return result.Link{}, unsupported() }

// WaitCarrier needs Linux.
func WaitCarrier(context.Context, string) error { return unsupported() }

// SetPfifo needs Linux.
func SetPfifo(string, int) error { return unsupported() }

// ReadQdisc needs Linux.
func ReadQdisc(string) (Qdisc, error) { return Qdisc{}, unsupported() }

// AssignNSID needs Linux.
func AssignNSID(int) (int, error) { return 0, unsupported() }

// NSIDOf needs Linux.
func NSIDOf(int) (int, error) { return 0, unsupported() }

// ListNSIDs needs Linux.
func ListNSIDs() ([]int, error) { return nil, unsupported() }

// SendFD needs Linux.
func SendFD(_, _ *os.File) error { return unsupported() }

// ReceiveFD needs Linux.
func ReceiveFD(*os.File, string, time.Time) (*os.File, error) { return nil, unsupported() }
