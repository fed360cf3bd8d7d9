package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What the machine lacks is said in one error and one hint, before anything is
// begun. Each script takes something away, in namespaces of its own, and then
// becomes the program.
func TestMachineThatCannot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to take things away from the program")
	}
	user := fmt.Sprintf("exec setpriv --reuid %[1]d --regid %[1]d --clear-groups -- ", userID)
	for name, test := range map[string]struct{ script, want, hint string }{
		"no TUN device": {
			`mount -t tmpfs tmpfs /dev/net && exec "$@"`,
			"open /dev/net/tun: no such file or directory", "modprobe tun",
		},
		"a TUN device of root's": {
			`mount -t tmpfs tmpfs /dev/net && mknod -m 600 /dev/net/tun c 10 200 && ` + user + `"$@"`,
			"open /dev/net/tun: permission denied", "chmod 0666 /dev/net/tun",
		},
		"no iptables": {
			`mount -t tmpfs tmpfs /usr/sbin && { [ -L /sbin ] || mount -t tmpfs tmpfs /sbin; } && PATH=/usr/bin:/bin exec "$@"`,
			"iptables is neither in PATH", "apt-get install iptables",
		},
		"iptables that fails": {
			`mount -t tmpfs -o mode=755 tmpfs /usr/sbin && printf '#!/bin/sh\necho no luck >&2; exit 3\n' >/usr/sbin/iptables &&
			chmod 755 /usr/sbin/iptables && PATH=/usr/sbin:/usr/bin:/bin exec "$@"`,
			"exit status 3: no luck", "",
		},
		"no /proc": {
			`umount -l /proc && exec "$@"`,
			"open /proc/self/ns/net: no such file or directory", "mount -t proc proc /proc",
		},
		"no user namespaces": {
			`echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"`,
			"cannot make a user namespace", "user.max_user_namespaces",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := experimentIn(t, shortRun)
			cmd := without(t, dir, test.script, "run", "x.yaml")
			if name == "no user namespaces" { // its limit holds in a user namespace of the test's
				inUserNamespace(cmd)
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitFailed || stdout.Len() > 0 {
				t.Errorf("got %v and a table of %d bytes, want status %d and none", err, stdout.Len(), exitFailed)
			}
			oneErrorOneHint(t, stderr.String(), test.want, test.hint)
			if left, _ := filepath.Glob(filepath.Join(dir, "results")); len(left) > 0 {
				t.Error("there is a results folder")
			}
		})
	}
}

// without starts the program in a mount namespace that a script has changed.
func without(t *testing.T, dir, script string, args ...string) *exec.Cmd {
	t.Helper()
	binary := filepath.Join(dir, "ccbench")
	copyFile(t, program(t), binary)
	for _, path := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", append([]string{"-c", script, "sh", binary}, args...)...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Unshareflags: syscall.CLONE_NEWNS}
	return cmd
}

// inUserNamespace has a command start as root of a new user namespace.
func inUserNamespace(cmd *exec.Cmd) {
	cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}}
	cmd.SysProcAttr.GidMappings = cmd.SysProcAttr.UidMappings
}

func oneErrorOneHint(t *testing.T, said, want, hint string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if !strings.HasPrefix(lines[0], "error: ") || !strings.Contains(lines[0], want) {
		t.Errorf("it said %q, want one error with %q", said, want)
	}
	switch {
	case hint == "" && len(lines) != 1:
		t.Errorf("it said %q, want nothing more than the error", said)
	case hint != "" && (len(lines) != 2 || !strings.HasPrefix(lines[1], "hint: ") || !strings.Contains(lines[1], hint)):
		t.Errorf("it said %q, want one hint with %q", said, hint)
	}
}
