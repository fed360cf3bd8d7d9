package experiment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// namespace moves the test's goroutine to a network namespace of its own. The
// goroutine keeps its thread, and the thread dies with it.
func namespace(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, of the machine or of a user namespace")
	}
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Fatal(err)
	}
}

const procNet = "/proc/sys/net"

// state says whether the namespace has a key, and whether it can write it.
func state(t *testing.T, key string) (there, settable bool) {
	t.Helper()
	info, err := os.Stat(filepath.Join("/proc/sys", strings.ReplaceAll(key, ".", "/")))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil, err == nil && info.Mode()&0o200 != 0
}

// coreKeys are the keys of net.core that this namespace shows.
func coreKeys(t *testing.T) []string {
	t.Helper()
	var keys []string
	entries, err := os.ReadDir(procNet + "/core")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		keys = append(keys, "net.core."+e.Name())
	}
	return keys
}

// What the loader refuses and takes is what the kernel of this machine does.
func TestMachineKeysByTheKernel(t *testing.T) {
	namespace(t)
	own := coreKeys(t)
	if !slices.Contains(own, "net.core.somaxconn") {
		t.Errorf("a namespace has only %v", own)
	}
	for _, key := range slices.Concat(machine, own) {
		refused := machineKey(key) != ""
		there, settable := state(t, key)
		if refused && settable {
			t.Errorf("%s is refused, and this namespace can set it: a newer kernel may have it for each", key)
		}
		if !refused && there && !settable { // an older kernel may not have it for each
			t.Errorf("%s is taken, and this namespace cannot set it", key)
		}
	}
}

// Nothing that TCP reads is refused where each namespace has its own.
func TestNamespaceKeysByTheKernel(t *testing.T) {
	namespace(t)
	taken := 0
	err := filepath.WalkDir(procNet+"/ipv4", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "tcp_") {
			return err
		}
		key := "net.ipv4." + d.Name()
		if _, own := owned[key]; own {
			return nil
		}
		if _, settable := state(t, key); !settable {
			return nil
		}
		taken++
		if problem := sysctlKey(key); problem != "" {
			t.Errorf("%s: %s", key, problem)
		}
		return nil
	})
	if err != nil || taken < 20 {
		t.Errorf("%d keys, %v", taken, err)
	}
}
