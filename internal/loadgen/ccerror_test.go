package loadgen

import (
	"errors"
	"syscall"
	"testing"
)

func TestCCErrorSaysWhatIsThereAndWhatToDo(t *testing.T) {
	available, allowed := []string{"reno", "bbr", "cubic"}, []string{"reno", "bbr"}
	for _, tt := range []struct {
		algorithm  string
		errno      syscall.Errno
		text, hint string
	}{
		{"cubik", syscall.ENOENT,
			`set congestion control "cubik": not available in this kernel (available: reno, bbr, cubic)`,
			`did you mean "cubic"?`},
		{"newreno", syscall.ENOENT,
			`set congestion control "newreno": not available in this kernel (available: reno, bbr, cubic)`,
			`did you mean "reno"?`},
		{"vegas", syscall.ENOENT,
			`set congestion control "vegas": not available in this kernel (available: reno, bbr, cubic)`,
			`load its module as root: modprobe tcp_vegas`},
		{"cubic", syscall.EPERM,
			`set congestion control "cubic": not allowed to this user (allowed: reno, bbr)`,
			`run as root, or allow it: sysctl -w net.ipv4.tcp_allowed_congestion_control="reno bbr cubic"`},
	} {
		err := &CCError{Algorithm: tt.algorithm, Errno: tt.errno, Available: available, Allowed: allowed}
		if got := err.Error(); got != tt.text {
			t.Errorf("error %q, want %q", got, tt.text)
		}
		if got := err.Hint(); got != tt.hint {
			t.Errorf("hint %q, want %q", got, tt.hint)
		}
		if !errors.Is(err, tt.errno) {
			t.Errorf("%v is not %v", err, tt.errno)
		}
	}
}
