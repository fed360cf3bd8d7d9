package loadgen

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// childName is argv[0] of the test binary inside its own network namespace.
const childName = "loadgen-in-namespace"

// TestMain runs everything in a network namespace of its own, for an ordinary
// user within a user namespace, so that no test can meet the machine's network.
func TestMain(m *testing.M) {
	if os.Args[0] == childName {
		if err := raiseLoopback(); err != nil {
			fmt.Fprintln(os.Stderr, "raise lo:", err)
			os.Exit(1)
		}
		os.Exit(m.Run())
	}
	os.Exit(runInNamespace())
}

func runInNamespace() int {
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = childName
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if uid := os.Geteuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	case errors.Is(err, syscall.EPERM) && os.Geteuid() != 0:
		fmt.Fprintln(os.Stderr, "skipped: not root, and user namespaces are forbidden here:", err)
		return 0
	default:
		fmt.Fprintln(os.Stderr, "run the tests in a network namespace:", err)
		return 1
	}
}

func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, lo); err != nil {
		return err
	}
	lo.SetUint16(lo.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}
