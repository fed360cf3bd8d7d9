package carrier

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Privileged says whether this process may make network namespaces and act in
// them and in its own: it has CAP_SYS_ADMIN and CAP_NET_ADMIN in the user
// namespace that owns its network namespace, or in one above. (uid 0 alone says
// nothing: a container's root may lack them. Nor do the capabilities: root of a
// user namespace alone, as after "unshare -Ur", has them all, and none over the
// network namespace that it was born in.)
func Privileged() (bool, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return false, fmt.Errorf("reading this process's capabilities: %w", err)
	}
	const wanted = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN
	if data[0].Effective&wanted != wanted {
		return false, nil
	}
	return ownsNetwork()
}

// ownsNetwork asks for the owner of the network namespace, which the kernel
// tells only to those in its user namespace or above (ioctl_ns(2)).
func ownsNetwork() (bool, error) {
	ns, err := os.Open("/proc/self/ns/net")
	if err != nil {
		return false, &noProc{fmt.Errorf("asking for the owner of the network namespace: %w", err)}
	}
	defer ns.Close()
	owner, err := unix.IoctlRetInt(int(ns.Fd()), unix.NS_GET_USERNS)
	if errors.Is(err, unix.EPERM) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("asking for the owner of the network namespace: %w", err)
	}
	return true, unix.Close(owner)
}

// noProc is what goes wrong where /proc is not that of this process.
type noProc struct{ error }

func (e *noProc) Hint() string  { return "ccbench needs /proc: mount -t proc proc /proc" }
func (e *noProc) Unwrap() error { return e.error }

// lifelineFD is the descriptor by which a program run by AsNamespaceRoot sees
// its parent end: it reads end of file.
const lifelineFD = 3

// AwaitParentEnd returns when the process that started this one with
// AsNamespaceRoot has ended, however it did.
func AwaitParentEnd() {
	unix.CloseOnExec(lifelineFD)
	lifeline := os.NewFile(lifelineFD, "lifeline")
	_, _ = lifeline.Read(make([]byte, 1)) // nothing is ever written; any error is an end as well
}

// ErrUserNamespace marks that the kernel would not make a user namespace.
var ErrUserNamespace = errors.New("cannot make a user namespace")

// AsNamespaceRoot runs this program again with other arguments (args[0] is its
// name), as root of a new user namespace with a network namespace of its own,
// and returns its exit status. In there the caller's uid is mapped to 0: it
// gains nothing outside. Signals are passed on. The program stays in the
// terminal's foreground, so that it may write there; a Ctrl-C then reaches it
// twice, at once.
func AsNamespaceRoot(args []string, signals <-chan os.Signal) (int, error) {
	return OutputAsNamespaceRoot(args, os.Stdout, signals)
}

// OutputAsNamespaceRoot is AsNamespaceRoot with the program's standard output
// going elsewhere.
func OutputAsNamespaceRoot(args []string, output io.Writer, signals <-chan os.Signal) (int, error) {
	far, near, err := os.Pipe()
	if err != nil {
		return 0, fmt.Errorf("making the lifeline: %w", err)
	}
	defer near.Close()
	cmd := exec.Command(Self)
	cmd.Args = args
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, output, os.Stderr
	cmd.ExtraFiles = []*os.File{far}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	err = cmd.Start()
	_ = far.Close() // the child has its own
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUserNamespace, err)
	}
	return wait(cmd, signals)
}

// wait passes signals on until the program ends. One that a signal ended has
// the status a shell would give it.
func wait(cmd *exec.Cmd, signals <-chan os.Signal) (int, error) {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s) // fails only when it has ended
		case err := <-done:
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				return 0, err
			}
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if status.Signaled() {
				return 128 + int(status.Signal()), nil
			}
			return status.ExitStatus(), nil
		}
	}
}
