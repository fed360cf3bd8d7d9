package link

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// SetPfifo makes a pfifo of so many packets the root queue of a device.
func SetPfifo(name string, limit int) error {
	device, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("queue of %s: %w", name, err)
	}
	if err := setPfifo(device.Attrs().Index, limit); err != nil {
		return fmt.Errorf("queue of %s: set pfifo limit %d: %w", name, limit, err)
	}
	return nil
}

// setPfifo is spelled out because the library has no pfifo: struct
// tc_fifo_qopt of linux/pkt_sched.h is its one option.
func setPfifo(index, limit int) error {
	if limit < 1 {
		return fmt.Errorf("a limit of %d packets passes none", limit)
	}
	request := nl.NewNetlinkRequest(unix.RTM_NEWQDISC,
		unix.NLM_F_CREATE|unix.NLM_F_REPLACE|unix.NLM_F_ACK)
	request.AddData(&nl.TcMsg{
		Family: nl.FAMILY_ALL, Ifindex: int32(index), Parent: netlink.HANDLE_ROOT,
	})
	request.AddData(nl.NewRtAttr(nl.TCA_KIND, nl.ZeroTerminated("pfifo")))
	request.AddData(nl.NewRtAttr(nl.TCA_OPTIONS, nl.Uint32Attr(uint32(limit))))
	_, err := request.Execute(unix.NETLINK_ROUTE, 0)
	return err
}

// ReadQdisc reads the root queue of a device.
func ReadQdisc(name string) (Qdisc, error) {
	device, err := netlink.LinkByName(name)
	if err != nil {
		return Qdisc{}, fmt.Errorf("queue of %s: %w", name, err)
	}
	queue, err := readQdisc(device)
	if err != nil {
		return Qdisc{}, fmt.Errorf("queue of %s: %w", name, err)
	}
	return queue, nil
}

func readQdisc(device netlink.Link) (Qdisc, error) {
	list, err := qdiscs(device)
	if err != nil {
		return Qdisc{}, err
	}
	for _, q := range list {
		if q.Attrs().Parent != netlink.HANDLE_ROOT {
			continue
		}
		counted := q.Attrs().Statistics
		if counted == nil || counted.Queue == nil {
			return Qdisc{}, fmt.Errorf("the kernel sent no counters of its %s", q.Type())
		}
		return Qdisc{Kind: q.Type(), Drops: int64(counted.Queue.Drops)}, nil
	}
	return Qdisc{}, errors.New("it has no root queue")
}

// qdiscs lists the queues of a device. A list that was interrupted by a change
// may lack some and is asked for again.
func qdiscs(device netlink.Link) ([]netlink.Qdisc, error) {
	const attempts = 5
	for range attempts - 1 {
		list, err := netlink.QdiscList(device)
		if !errors.Is(err, netlink.ErrDumpInterrupted) {
			return list, err
		}
	}
	return netlink.QdiscList(device)
}
