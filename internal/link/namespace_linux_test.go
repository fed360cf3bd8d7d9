package link

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// enterNamespace moves the test into a network namespace of its own, which
// ends with the test: its thread is never unlocked, so it dies with it.
func enterNamespace(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: makes network namespaces")
	}
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Fatalf("unshare: %v", err)
	}
}

// otherNamespace is a second namespace with a thread in it.
type otherNamespace struct {
	tid  int
	jobs chan func()
}

func newOtherNamespace(t testing.TB) *otherNamespace {
	t.Helper()
	o, ready := &otherNamespace{jobs: make(chan func())}, make(chan error)
	go func() {
		runtime.LockOSThread()
		o.tid = unix.Gettid()
		ready <- unix.Unshare(unix.CLONE_NEWNET)
		for job := range o.jobs {
			job()
		}
	}()
	if err := <-ready; err != nil {
		t.Fatalf("unshare: %v", err)
	}
	t.Cleanup(func() { close(o.jobs) })
	return o
}

// do runs f in the namespace and returns its error.
func (o *otherNamespace) do(f func() error) error {
	result := make(chan error)
	o.jobs <- func() { result <- f() }
	return <-result
}

// startProcess starts a process in a namespace of its own; it ends when the
// returned function is called.
func startProcess(t testing.TB) (pid int, kill func()) {
	t.Helper()
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &unix.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}
	if _, err := cmd.StdinPipe(); err != nil { // keeps cat waiting
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // "signal: killed", or it was waited for before
	}
	t.Cleanup(kill)
	return cmd.Process.Pid, kill
}

// needIproute2 skips where another's eye on the devices is missing.
func needIproute2(t testing.TB) {
	t.Helper()
	for _, program := range []string{"ip", "tc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here: install iproute2", program)
		}
	}
}

// ask runs a command of iproute2 in the namespace of the thread and decodes its JSON.
func ask(into any, program string, args ...string) error {
	var stderr bytes.Buffer
	cmd := exec.Command(program, append([]string{"-json", "-details"}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, stderr.String())
	}
	return json.Unmarshal(out, into)
}
