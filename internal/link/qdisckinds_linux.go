package link

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// TryQdisc finds out whether the kernel has a kind of qdisc, by making one the
// root of a device, and takes it away again. It is asked for without options:
// a kind that must have some (tbf, htb, netem, red) then answers EINVAL, one
// that is not there ENOENT (qdisc_create of net/sched/sch_api.c). Asking makes
// the kernel load the kind's module, also for root of a user namespace.
func TryQdisc(device, kind string) error {
	on, err := netlink.LinkByName(device)
	if err != nil {
		return fmt.Errorf("qdisc %s: device %s: %w", kind, device, err)
	}
	root := &nl.TcMsg{Family: nl.FAMILY_ALL, Ifindex: int32(on.Attrs().Index), Parent: netlink.HANDLE_ROOT}
	err = requestQdisc(unix.RTM_NEWQDISC, unix.NLM_F_CREATE|unix.NLM_F_REPLACE, root, kind)
	switch {
	case errors.Is(err, unix.EINVAL):
		return nil
	case errors.Is(err, unix.ENOENT):
		return &Error{"make a qdisc " + kind, fmt.Errorf("the kernel has no such kind (%w)", err), "a kernel with CONFIG_NET_SCH_" + strings.ToUpper(kind)}
	case err != nil:
		return fmt.Errorf("make a qdisc %s: %w", kind, err)
	}
	if err := requestQdisc(unix.RTM_DELQDISC, 0, root, kind); err != nil {
		return fmt.Errorf("remove the qdisc %s from %s: %w", kind, device, err)
	}
	return nil
}

func requestQdisc(message, flags int, at *nl.TcMsg, kind string) error {
	request := nl.NewNetlinkRequest(message, flags|unix.NLM_F_ACK)
	request.AddData(at)
	request.AddData(nl.NewRtAttr(nl.TCA_KIND, nl.ZeroTerminated(kind)))
	_, err := request.Execute(unix.NETLINK_ROUTE, 0)
	return err
}
