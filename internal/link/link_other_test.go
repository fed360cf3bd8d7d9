//go:build !linux

package link

import (
	"errors"
	"testing"
	"time"
)

func TestElsewhereItSaysSo(t *testing.T) {
	_, open := OpenTUN(TUN{})
	_, read := ReadQdisc("lo")
	_, receive := ReceiveFD(nil, "", time.Time{})
	for _, err := range []error{open, read, receive, CreateVeth(VethConfig{}), Configure("lo", DeviceConfig{})} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got %v, want %v", err, errors.ErrUnsupported)
		}
	}
}
