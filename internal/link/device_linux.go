package link

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"ccbench/internal/result"
)

// Configure sets up a device of this namespace and brings it up, and the
// loopback with it. Its queue becomes a pfifo whatever the host's default is.
func Configure(name string, cfg DeviceConfig) error {
	device, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("device %s: %w", name, err)
	}
	// Up is last: until then nothing can leave.
	steps := []struct {
		what string
		do   func() error
	}{
		{"up the loopback", upLoopback},
		{"silence IPv6", func() error { return silenceIPv6(device) }},
		{"set the MTU", func() error { return netlink.LinkSetMTU(device, cfg.MTU) }},
		{"set txqueuelen", func() error { return netlink.LinkSetTxQLen(device, cfg.TxQueueLen) }},
		{"set the queue", func() error { return setPfifo(device.Attrs().Index, cfg.TxQueueLen) }},
		{"turn offloads off", func() error { return offloadsOff(name, cfg.Offloads) }},
		{"add the address", func() error { return addAddress(device, cfg.Address) }},
		{"bring it up", func() error { return netlink.LinkSetUp(device) }},
		{"read it back", func() error { return verify(name, cfg) }},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			return fmt.Errorf("device %s: %s: %w", name, s.what, err)
		}
	}
	return nil
}

func upLoopback() error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	return netlink.LinkSetUp(lo)
}

// silenceIPv6 keeps the kernel from giving the device a link-local address,
// and so from soliciting routers and reporting groups, which would be packets
// on the path that nobody sent.
func silenceIPv6(device netlink.Link) error {
	err := netlink.LinkSetIP6AddrGenMode(device, nl.IN6_ADDR_GEN_MODE_NONE)
	if errors.Is(err, unix.EAFNOSUPPORT) {
		return nil // a kernel without IPv6 is silent
	}
	return err
}

func addAddress(device netlink.Link, prefix netip.Prefix) error {
	if !prefix.IsValid() {
		return errors.New("no address given")
	}
	address, err := netlink.ParseAddr(prefix.String())
	if err != nil {
		return err
	}
	if prefix.Addr().Is6() {
		address.Flags = unix.IFA_F_NODAD // usable at once
	}
	return netlink.AddrAdd(device, address)
}

// verify reads back what the kernel may accept and not do.
func verify(name string, cfg DeviceConfig) error {
	got, err := Counters(name)
	switch {
	case err != nil:
		return err
	case got.MTU != cfg.MTU:
		return fmt.Errorf("the MTU is %d, not %d", got.MTU, cfg.MTU)
	case got.Qdisc != "pfifo":
		return fmt.Errorf("the queue is %s, not pfifo", got.Qdisc)
	case got.Offloads && !cfg.Offloads:
		return errors.New("TSO, GSO or GRO is still on: its driver does not let go of it")
	}
	return nil
}

// Counters reads a device and its counters, which run from its creation. The
// Side is left to the caller.
func Counters(name string) (result.Link, error) {
	device, err := netlink.LinkByName(name)
	if err != nil {
		return result.Link{}, fmt.Errorf("counters of %s: %w", name, err)
	}
	counted := device.Attrs().Statistics
	if counted == nil {
		return result.Link{}, fmt.Errorf("counters of %s: the kernel sent none", name)
	}
	queue, err := readQdisc(device)
	if err != nil {
		return result.Link{}, fmt.Errorf("counters of %s: %w", name, err)
	}
	on, err := offloads(name)
	if err != nil {
		return result.Link{}, fmt.Errorf("counters of %s: %w", name, err)
	}
	return result.Link{
		Name: name, MTU: device.Attrs().MTU, Qdisc: queue.Kind, QdiscDrops: queue.Drops, Offloads: on,
		RxPackets: int64(counted.RxPackets), TxPackets: int64(counted.TxPackets),
		RxDropped: int64(counted.RxDropped), TxDropped: int64(counted.TxDropped),
		RxErrors: int64(counted.RxErrors), TxErrors: int64(counted.TxErrors),
	}, nil
}

// WaitCarrier waits until a device is operational: it is up and so is its
// peer. A packet sent before is lost without a trace.
func WaitCarrier(ctx context.Context, name string) error {
	updates, done := make(chan netlink.LinkUpdate), make(chan struct{})
	// Subscribe first and look then, so that no change falls between.
	if err := netlink.LinkSubscribe(updates, done); err != nil {
		return fmt.Errorf("watch %s: %w", name, err)
	}
	defer func() {
		close(done)
		for range updates { // release the sender
		}
	}()
	device, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("watch %s: %w", name, err)
	}
	state := device.Attrs().OperState
	for state != netlink.OperUp {
		select {
		case update, ok := <-updates:
			if !ok {
				return fmt.Errorf("watch %s: the kernel's messages ended", name)
			}
			if update.Attrs().Name == name {
				state = update.Attrs().OperState
			}
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s, which is %s: %w", name, state, context.Cause(ctx))
		}
	}
	return nil
}
