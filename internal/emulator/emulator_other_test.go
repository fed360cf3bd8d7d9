//go:build !linux

package emulator

import (
	"errors"
	"testing"
)

func TestElsewhereItSaysSo(t *testing.T) {
	if _, err := New(Config{MTU: 1500}, nil, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v, want %v", err, errors.ErrUnsupported)
	}
}
