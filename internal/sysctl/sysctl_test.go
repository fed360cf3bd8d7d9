package sysctl

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes a root with a file for each key. The key net.deaf takes anything
// and keeps nothing.
func tree(t *testing.T, values map[string]string) Dir {
	t.Helper()
	d := Dir{Root: t.TempDir()}
	for key, value := range values {
		must(t, os.MkdirAll(filepath.Dir(d.path(key)), 0o755))
		must(t, os.WriteFile(d.path(key), []byte(value+"\n"), 0o644))
	}
	must(t, os.MkdirAll(filepath.Join(d.Root, "net"), 0o755))
	must(t, os.Symlink("/dev/null", d.path("net.deaf")))
	return d
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// holds checks all of a tree's values.
func holds(t *testing.T, d Dir, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for key := range want {
		value, err := d.Read(key)
		must(t, err)
		got[key] = value
	}
	if !maps.Equal(got, want) {
		t.Errorf("the values are %q, want %q", got, want)
	}
}

func TestReadAndWrite(t *testing.T) {
	d := tree(t, map[string]string{"net.ipv4.tcp_rmem": "4096\t131072\t6291456", "kernel.ostype": "Linux"})
	holds(t, d, map[string]string{"net.ipv4.tcp_rmem": "4096\t131072\t6291456", "kernel.ostype": "Linux"})
	must(t, d.Write("net.ipv4.tcp_rmem", "1 2 3")) // shorter: nothing of the old may stay
	holds(t, d, map[string]string{"net.ipv4.tcp_rmem": "1 2 3"})
}

func TestKeysThatAreNone(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.WriteFile(outside, []byte("1\n"), 0o644))
	d := tree(t, nil)
	for _, key := range []string{"", ".", "..", "net..ipv4", ".net", "net.", "net/ipv4", "../outside", "net.ipv4/../x", outside, "a b", "a\x00", "ä"} {
		if v, err := d.Read(key); err == nil || !strings.Contains(err.Error(), "not a dotted name") {
			t.Errorf("reading %q: got %q and error %v", key, v, err)
		}
		if err := d.Write(key, "2"); err == nil || !strings.Contains(err.Error(), "not a dotted name") {
			t.Errorf("writing %q: got error %v", key, err)
		}
	}
}

func TestUnknownKey(t *testing.T) {
	d := tree(t, map[string]string{"net.ipv4.tcp_ecn": "2", "net.ipv4.tcp_sack": "1"})
	check := func(key, near string) {
		t.Helper()
		err := d.Write(key, "1")
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, fs.ErrNotExist) || !e.Missing || e.Near != near {
			t.Fatalf("%s: got %v, want an Error that is ErrNotExist and near %q", key, err, near)
		}
		if want := near; want != "" && !strings.Contains(e.Hint(), "did you mean "+want+"?") {
			t.Errorf("%s: the hint %q does not name %s", key, e.Hint(), want)
		}
		if _, err := os.Lstat(d.path(key)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: writing made the file", key)
		}
	}
	check("net.ipv4.tcp_enc", "net.ipv4.tcp_ecn")
	check("net.ipv4.tcp_sacks", "net.ipv4.tcp_sack")
	check("net.ipv4.tcp_timestamps", "")
	check("net.ipv4.xy", "")
	check("nett.ipv4.tcp_ecn", "")
}

// What cannot be set, or is not to be, is not what was meant.
func TestOnlyWhatCanBeSetIsNear(t *testing.T) {
	d := tree(t, map[string]string{
		"net.ipv4.tcp_mem": "1", "net.ipv4.tcp_owned": "1", "net.ipv4.tcp_folder.x": "1", "net.ipv4.tcp_ecn": "1",
	})
	must(t, os.Chmod(d.path("net.ipv4.tcp_mem"), 0o444))
	d.Refused = func(key string) bool { return key == "net.ipv4.tcp_owned" }
	for key, near := range map[string]string{
		"net.ipv4.tcp_memm": "", "net.ipv4.tcp_ownd": "", "net.ipv4.tcp_foldr": "", "net.ipv4.tcp_ecm": "net.ipv4.tcp_ecn",
	} {
		var e *Error
		if err := d.Write(key, "1"); !errors.As(err, &e) || e.Near != near {
			t.Errorf("%s: got %+v, want near %q", key, err, near)
		}
	}
}

func TestWriteThatIsNotTaken(t *testing.T) {
	d := tree(t, nil)
	if err := d.Write("net.deaf", "5"); err == nil || !strings.Contains(err.Error(), `"5" was written, but the kernel made it ""`) {
		t.Errorf("got error %v", err)
	}
}

func TestSameValue(t *testing.T) {
	check := func(want, got string, same bool) {
		t.Helper()
		if sameValue(want, got) != same {
			t.Errorf("%q and %q: got %v, want %v", want, got, !same, same)
		}
	}
	check("4096 131072 6291456", "4096\t131072\t6291456", true)
	check("4096 131072", "4096\t131072\t6291456", false)
	check("0x10", "16", true)
	check("1", "2", false)
	check("reno", "cubic", false)
	check("", "", true)
	check("", "1", false)
}

func TestApplyAndRestore(t *testing.T) {
	before := map[string]string{"net.a": "1", "net.b": "2\t3", "net.c": "4"}
	d := tree(t, before)
	s, err := d.Apply(map[string]string{"net.a": "10", "net.b": "20 30"})
	must(t, err)
	holds(t, d, map[string]string{"net.a": "10", "net.b": "20 30", "net.c": "4"})
	if want := (Snapshot{"net.a": "1", "net.b": "2\t3"}); !maps.Equal(s, want) {
		t.Errorf("the snapshot is %q, want %q", s, want)
	}
	must(t, d.Restore(s))
	holds(t, d, before)
}

func TestApplyUndoes(t *testing.T) {
	before := map[string]string{"net.a": "1", "net.z": "2"}
	d := tree(t, before)
	s, err := d.Apply(map[string]string{"net.a": "10", "net.deaf": "1", "net.z": "20"})
	if err == nil || s != nil || strings.Contains(err.Error(), "putting back") {
		t.Errorf("got %q and error %v, want the one error", s, err)
	}
	holds(t, d, before)
}

// An unknown key is found before anything is written, and so are all others.
func TestApplyLooksFirst(t *testing.T) {
	before := map[string]string{"net.a": "1"}
	d := tree(t, before)
	_, err := d.Apply(map[string]string{"net.a": "10", "net.x_missing": "1", "net.y_missing": "1"})
	if err == nil || !strings.Contains(err.Error(), "net.x_missing") || !strings.Contains(err.Error(), "net.y_missing") {
		t.Errorf("got error %v, want both missing keys named", err)
	}
	holds(t, d, before)
}

func TestRestoreGoesOn(t *testing.T) {
	d := tree(t, map[string]string{"net.a": "1", "net.b": "1"})
	err := d.Restore(Snapshot{"net.a": "2", "net.deaf": "2", "net.b": "2"})
	if err == nil || !strings.Contains(err.Error(), "putting back: sysctl net.deaf") {
		t.Errorf("got error %v, want the one key that failed", err)
	}
	holds(t, d, map[string]string{"net.a": "2", "net.b": "2"})
}
