package hostlock

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// holder is the PID of the process that has a directory's lock, 0 when the
// kernel does not tell: the holder may be in another PID namespace.
func holder(dir string) int {
	id, err := inode(dir)
	if err != nil {
		return 0
	}
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	return holderIn(string(table), id)
}

// inode is how /proc/locks names the inode of a path.
func inode(path string) (string, error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return "", err
	}
	return fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(s.Dev)), unix.Minor(uint64(s.Dev)), s.Ino), nil
}

// holderIn finds the holder in the text of /proc/locks (proc_locks(5)). Those
// that wait have "->" before the kind of lock.
func holderIn(table, id string) int {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != id {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil {
			return max(pid, 0)
		}
	}
	return 0
}
