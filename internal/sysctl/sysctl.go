// Package sysctl reads and writes kernel parameters under a root directory,
// and puts them back as they were.
//
// What is under /proc/sys/net belongs to the network namespace of the thread
// that opens the file, not of the process: a caller in another namespace than
// its process's holds its goroutine to the thread (runtime.LockOSThread). A
// namespace other than the machine's first has only its own keys there, and
// root of the user namespace that owns it may write them.
package sysctl

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Dir is a tree of parameters, a file each.
type Dir struct {
	Root string // /proc/sys but in tests
	// Refused says of a key that it is not the user's to set: no error suggests
	// it. nil: all are.
	Refused func(key string) bool
}

// Snapshot has the values that keys had, as the kernel printed them.
type Snapshot map[string]string

// checkKey says what is wrong with a dotted key as a name, nil when nothing
// is. It does not look whether the key exists.
func checkKey(key string) error {
	for part := range strings.SplitSeq(key, ".") {
		if part == "" || strings.Trim(part, keyChars) != "" {
			return fmt.Errorf("sysctl %q: not a dotted name such as net.ipv4.tcp_ecn", key)
		}
	}
	return nil
}

const keyChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

func (d Dir) path(key string) string {
	return filepath.Join(d.Root, filepath.FromSlash(strings.ReplaceAll(key, ".", "/")))
}

// Read returns a key's value as the kernel prints it, without the end of line.
// The error is an Error, or says that the key is none by its form.
func (d Dir) Read(key string) (string, error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	text, err := os.ReadFile(d.path(key))
	if err != nil {
		return "", d.failed("reading", key, err)
	}
	return strings.TrimRight(string(text), "\n"), nil
}

// Write sets a key and reads it back: the kernel takes some values only in
// part, or otherwise than written, without an error. The error is as that of
// Read, or says what the kernel made of the value; then the key has changed.
func (d Dir) Write(key, value string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := write(d.path(key), value); err != nil {
		return d.failed(fmt.Sprintf("writing %q to", value), key, err)
	}
	got, err := d.Read(key)
	if err != nil {
		return err
	}
	if !sameValue(value, got) {
		return fmt.Errorf("sysctl %s: %q was written, but the kernel made it %q; give a value that it takes whole", key, value, got)
	}
	return nil
}

// write hands the value to the kernel in one call, which is one change. It
// never makes a file.
func write(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value + "\n")
	return errors.Join(err, f.Close())
}

// sameValue compares by fields, as the kernel separates numbers by tabs, and
// numbers as numbers, as it takes them in hexadecimal too.
func sameValue(want, got string) bool {
	return slices.EqualFunc(strings.Fields(want), strings.Fields(got), func(w, g string) bool {
		return w == g || sameNumber(w, g)
	})
}

func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseInt(a, 0, 64)
	y, err2 := strconv.ParseInt(b, 0, 64)
	return err1 == nil && err2 == nil && x == y
}

// Apply sets several keys, in the order of their names, and returns what they
// were. All are read before one is written, so that an unknown key changes
// nothing; when a write fails, what was written is put back.
func (d Dir) Apply(values map[string]string) (Snapshot, error) {
	keys := slices.Sorted(maps.Keys(values))
	before, err := d.read(keys)
	if err != nil {
		return nil, err
	}
	for n, key := range keys {
		if err := d.Write(key, values[key]); err != nil {
			// The failing key too: it may have been taken in part.
			return nil, errors.Join(err, d.restore(before, keys[:n+1]))
		}
	}
	return before, nil
}

// read takes a snapshot; all that is wrong with the keys is reported at once.
func (d Dir) read(keys []string) (Snapshot, error) {
	s := Snapshot{}
	var errs []error
	for _, key := range keys {
		value, err := d.Read(key)
		s[key] = value
		errs = append(errs, err)
	}
	return s, errors.Join(errs...)
}

// Restore puts a snapshot's values back, in the reverse of Apply's order. One
// that fails does not keep it from the others.
func (d Dir) Restore(s Snapshot) error {
	return d.restore(s, slices.Sorted(maps.Keys(s)))
}

// restore leaves alone what is as it was: a key that could not be written is
// most often one that cannot be put back either, and need not be.
func (d Dir) restore(s Snapshot, keys []string) error {
	var errs []error
	for _, key := range slices.Backward(keys) {
		if now, err := d.Read(key); err == nil && now == s[key] {
			continue
		}
		if err := d.Write(key, s[key]); err != nil {
			errs = append(errs, fmt.Errorf("putting back: %w", err))
		}
	}
	return errors.Join(errs...)
}
