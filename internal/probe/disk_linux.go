package probe

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ccbench/internal/unit"
)

// Free is what an ordinary user may still write where a folder is (statfs(2)).
func Free(folder string) (unit.Bytes, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, fmt.Errorf("asking for the room in %s: %w", folder, err)
	}
	return unit.Bytes(s.Bavail) * unit.Bytes(s.Bsize), nil
}
