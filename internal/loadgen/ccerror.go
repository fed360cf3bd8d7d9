package loadgen

import (
	"fmt"
	"strings"
	"syscall"

	"ccbench/internal/near"
)

// CCError says that the kernel did not take a congestion control.
type CCError struct {
	Algorithm string        // as given to the kernel
	Errno     syscall.Errno // ENOENT: there is none of that name; EPERM: not for us
	Available []string      // tcp_available_congestion_control
	Allowed   []string      // tcp_allowed_congestion_control
}

func (e *CCError) Error() string {
	switch e.Errno {
	case syscall.ENOENT:
		return fmt.Sprintf("set congestion control %q: not available in this kernel (available: %s)",
			e.Algorithm, list(e.Available))
	case syscall.EPERM:
		return fmt.Sprintf("set congestion control %q: not allowed to this user (allowed: %s)",
			e.Algorithm, list(e.Allowed))
	default:
		return fmt.Sprintf("set congestion control %q: %v", e.Algorithm, e.Errno)
	}
}

func (e *CCError) Unwrap() error { return e.Errno }

// Hint says what to do about it; "" when there is nothing to say.
func (e *CCError) Hint() string {
	switch e.Errno {
	case syscall.ENOENT:
		if near := nearest(e.Algorithm, e.Available); near != "" {
			return fmt.Sprintf("did you mean %q?", near)
		}
		return fmt.Sprintf("load its module as root: modprobe tcp_%s", e.Algorithm)
	case syscall.EPERM:
		return fmt.Sprintf("run as root, or allow it: sysctl -w net.ipv4.tcp_allowed_congestion_control=%q",
			strings.Join(append(e.Allowed[:len(e.Allowed):len(e.Allowed)], e.Algorithm), " "))
	default:
		return ""
	}
}

func list(names []string) string {
	if len(names) == 0 {
		return "unknown"
	}
	return strings.Join(names, ", ")
}

// nearest is the name that was probably meant: one that contains or is
// contained in the given one (newreno), or else the nearest by its letters.
func nearest(name string, names []string) string {
	for _, n := range names {
		if name != "" && (strings.Contains(name, n) || strings.Contains(n, name)) {
			return n
		}
	}
	return near.Name(name, names)
}
