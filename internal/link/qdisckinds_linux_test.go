package link

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestTryQdisc(t *testing.T) {
	enterNamespace(t)
	for _, kind := range []string{"pfifo", "bfifo"} { // always there
		if err := TryQdisc("lo", kind); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if q, err := ReadQdisc("lo"); err == nil && q.Kind != "noqueue" {
		t.Errorf("lo is left with %+v", q)
	}
	err := TryQdisc("lo", "no_such")
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, unix.ENOENT) || !strings.Contains(e.Hint(), "CONFIG_NET_SCH_NO_SUCH") {
		t.Errorf("a kind that no kernel has: %v", err)
	}
	if err := TryQdisc("nosuch0", "pfifo"); err == nil {
		t.Error("a device that is not there took a qdisc")
	}
}

// What tc makes with options, the kernel is found to have without.
func TestTryQdiscThatNeedsOptions(t *testing.T) {
	enterNamespace(t)
	for _, command := range []string{
		"tbf rate 1mbit burst 2000 limit 3000", "htb", "netem limit 100", "red limit 60000 avpkt 1000",
	} {
		kind, _, _ := strings.Cut(command, " ")
		without := TryQdisc("lo", kind)
		said, with := exec.Command("tc", append(strings.Fields("qdisc replace dev lo root"), strings.Fields(command)...)...).CombinedOutput()
		if (without == nil) != (with == nil) {
			t.Errorf("%s: without options %v; tc says %v, %s", kind, without, with, said)
		}
	}
}
