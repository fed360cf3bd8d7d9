package droprule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// System is the machine, in the network namespace of the calling thread: a
// caller in another namespace than its process's holds its goroutine to the
// thread (runtime.LockOSThread).
type System struct{}

// commandTimeout bounds one command; it is longer than the wait for the lock,
// and shorter than a step of a trial, so that it is the command that is blamed.
const commandTimeout = (lockWait + 2) * time.Second

// Run runs a command found in PATH, /usr/sbin or /sbin. The command ends with
// this process, whatever ends that: it would hold on to the namespace.
func (System) Run(ctx context.Context, argv []string) (Output, error) {
	path, err := lookPath(argv[0])
	if err != nil {
		return Output{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.WaitDelay = time.Second
	release, err := giveLock(cmd)
	if err != nil {
		return Output{}, err
	}
	defer release()
	// The signal follows the thread that started the command.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return collect(ctx, cmd)
}

// collect runs the command and tells its own end from any other.
func collect(ctx context.Context, cmd *exec.Cmd) (Output, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		return Output{}, fmt.Errorf("running %s: %w", strings.Join(cmd.Args, " "), errors.Join(err, context.Cause(ctx)))
	}
	return Output{Status: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}, nil
}

func lookPath(program string) (string, error) {
	for _, candidate := range append([]string{""}, sbin...) {
		if candidate != "" {
			candidate += "/"
		}
		if path, err := exec.LookPath(candidate + program); err == nil {
			return path, nil
		}
	}
	return "", &MissingError{Program: program}
}

// Find is the path of the iptables that would be run; "" when there is none.
func Find() string {
	path, err := lookPath("iptables")
	if err != nil {
		return ""
	}
	return path
}

// giveLock gives iptables a lock of its own. All users of the older backend on
// a machine lock one file, whatever namespace they are in; but this namespace
// is ours alone, an ordinary user could not lock that file, and a machine that
// lacks it would keep it. The lock is a file in memory, handed down as
// descriptor 3.
func giveLock(cmd *exec.Cmd) (release func(), err error) {
	fd, err := unix.MemfdCreate("xtables.lock", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("making a lock file in memory for iptables: %w", err)
	}
	lock := os.NewFile(uintptr(fd), "xtables.lock")
	cmd.ExtraFiles = []*os.File{lock}
	cmd.Env = append(cmd.Environ(), "XTABLES_LOCKFILE=/proc/self/fd/3")
	return func() { lock.Close() }, nil
}

// LegacyTables reads the kernel's list. The list is there once ip_tables is
// loaded, and readable by root of the user namespace that owns the network
// namespace, if that had its uid map before the network namespace was made.
func (System) LegacyTables(ipv6 bool) ([]string, error) {
	file := "/proc/thread-self/net/ip_tables_names"
	if ipv6 {
		file = "/proc/thread-self/net/ip6_tables_names"
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot tell which tables there are: %w", err)
	}
	return strings.Fields(string(text)), nil
}
