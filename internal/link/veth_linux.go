package link

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// CreateVeth makes a veth pair whose ends are born in the namespaces of two
// processes; it is never in the caller's (IFLA_NET_NS_PID on the link and on
// its peer). Both ends are down: each is configured from inside.
func CreateVeth(cfg VethConfig) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.Namespace = cfg.A.Name, netlink.NsPid(cfg.A.PID)
	attrs.MTU, attrs.TxQLen = cfg.MTU, cfg.TxQueueLen
	veth := netlink.NewVeth(attrs)
	veth.PeerName, veth.PeerNamespace = cfg.B.Name, netlink.NsPid(cfg.B.PID)
	if err := netlink.LinkAdd(veth); err != nil {
		doing := fmt.Sprintf("make veth %s (pid %d) - %s (pid %d)", cfg.A.Name, cfg.A.PID, cfg.B.Name, cfg.B.PID)
		return &Error{doing, err, vethCure(err)}
	}
	return nil
}

func vethCure(err error) string {
	switch {
	case errors.Is(err, unix.ESRCH):
		return "one of the processes is gone"
	case errors.Is(err, unix.EEXIST):
		return "a device of that name is there already"
	case errors.Is(err, unix.EOPNOTSUPP):
		return "the kernel has no veth: modprobe veth"
	case errors.Is(err, unix.EPERM):
		return "CAP_NET_ADMIN is missing in one of the namespaces: run as root or in a user namespace"
	}
	return ""
}
