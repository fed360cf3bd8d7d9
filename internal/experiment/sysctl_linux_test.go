package experiment

import (
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

// settable says whether the namespace can write a key. A key that is refused
// although a newer kernel has it for each namespace belongs into ownCore.
func settable(t *testing.T, key string) bool {
	t.Helper()
	info, err := os.Stat(filepath.Join("/proc/sys", strings.ReplaceAll(key, ".", "/")))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return err == nil && info.Mode()&0o200 != 0
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
	machines := coreKeys(t)
	namespace(t)
	refused := 0
	for _, key := range slices.Concat(machine, machines, coreKeys(t)) {
		no := machineKey(key) != ""
		if no && settable(t, key) {
			t.Errorf("%s is refused, and this namespace can set it", key)
		}
		if !no && !settable(t, key) {
			t.Errorf("%s is taken, and this namespace cannot set it", key)
		}
		if no {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no key is refused")
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
		if _, own := owned[key]; own || !settable(t, key) {
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
