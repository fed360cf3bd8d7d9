package link

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// cable makes a veth pair between the namespaces of two threads.
func cable(t *testing.T, a, b *otherNamespace) {
	t.Helper()
	err := CreateVeth(VethConfig{
		A: VethEnd{PID: a.tid, Name: "left"}, B: VethEnd{PID: b.tid, Name: "right"},
		MTU: 1400, TxQueueLen: 777,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func endConfig(address string) DeviceConfig {
	return DeviceConfig{MTU: 1400, Address: netip.MustParsePrefix(address), TxQueueLen: 777}
}

func TestVethIsNeverInTheCallersNamespace(t *testing.T) {
	enterNamespace(t)
	a, b := newOtherNamespace(t), newOtherNamespace(t)
	updates, done := make(chan netlink.LinkUpdate, 16), make(chan struct{})
	if err := netlink.LinkSubscribe(updates, done); err != nil {
		t.Fatal(err)
	}
	defer close(done)
	cable(t, a, b)
	// A change made afterwards is the first that is heard: there was none before it.
	if err := upLoopback(); err != nil {
		t.Fatal(err)
	}
	if first := <-updates; first.Attrs().Name != "lo" {
		t.Errorf("%s was seen in the namespace of its maker", first.Attrs().Name)
	}
	for name, o := range map[string]*otherNamespace{"left": a, "right": b} {
		if err := o.do(func() error { _, err := netlink.LinkByName(name); return err }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestVethEndsAreConfigured(t *testing.T) {
	enterNamespace(t)
	a, b := newOtherNamespace(t), newOtherNamespace(t)
	cable(t, a, b)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	configure := func(o *otherNamespace, name, address string) {
		if err := o.do(func() error { return Configure(name, endConfig(address)) }); err != nil {
			t.Fatal(err)
		}
	}
	configure(a, "left", "198.18.0.1/30")
	short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	if err := a.do(func() error { return WaitCarrier(short, "left") }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("carrier with the peer down: got %v, want the deadline", err)
	}
	waited := make(chan error)
	go func() { waited <- a.do(func() error { return WaitCarrier(ctx, "left") }) }()
	configure(b, "right", "198.18.0.2/30")
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]*otherNamespace{"left": a, "right": b} {
		err := o.do(func() error {
			got, err := Counters(name)
			if got.MTU != 1400 || got.Qdisc != "pfifo" || got.Offloads {
				t.Errorf("%s: got %+v, want MTU 1400, pfifo, no offloads", name, got)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestOffloadsStayWhereTheyMay(t *testing.T) {
	enterNamespace(t)
	a, b := newOtherNamespace(t), newOtherNamespace(t)
	cable(t, a, b)
	check := func(cfg DeviceConfig, want bool) {
		t.Helper()
		err := a.do(func() error {
			if err := Configure("left", cfg); err != nil {
				return err
			}
			got, err := Counters("left")
			if got.Offloads != want {
				t.Errorf("offloads are %v, want %v", got.Offloads, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	cfg := endConfig("198.18.0.1/30")
	cfg.Offloads = true
	check(cfg, true) // a veth has them from birth, so "off" below is Configure's doing
	check(endConfig("198.18.0.5/30"), false)
}

// seenQdisc is what `tc qdisc` says of a queue.
type seenQdisc struct {
	Kind    string `json:"kind"`
	Options struct {
		Limit int `json:"limit"`
	} `json:"options"`
}

func TestQueueIsNeverInherited(t *testing.T) {
	needIproute2(t)
	// What a device may be born with: the host's default, or none at all.
	for _, born := range []string{"noqueue", "pfifo_fast", "bfifo"} {
		t.Run(born, func(t *testing.T) {
			enterNamespace(t)
			a := newOtherNamespace(t)
			cable(t, a, newOtherNamespace(t))
			err := a.do(func() error {
				if err := setRoot("left", born); err != nil {
					return err
				}
				if err := Configure("left", endConfig("198.18.0.1/30")); err != nil {
					return err
				}
				var queues []seenQdisc
				if err := ask(&queues, "tc", "qdisc", "show", "dev", "left"); err != nil {
					return err
				}
				if len(queues) != 1 || queues[0].Kind != "pfifo" || queues[0].Options.Limit != 777 {
					t.Errorf("got %+v, want one pfifo with limit 777", queues)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestQueueIsReadAsItIs(t *testing.T) {
	enterNamespace(t)
	openTUN(t, testTUN("tun0"))
	check := func(want string) {
		t.Helper()
		if got, err := ReadQdisc("tun0"); err != nil || got.Kind != want {
			t.Errorf("got %+v, %v, want %s", got, err, want)
		}
	}
	if err := setRoot("tun0", "bfifo"); err != nil {
		t.Fatal(err)
	}
	check("bfifo")
	if err := SetPfifo("tun0", 99); err != nil {
		t.Fatal(err)
	}
	check("pfifo")
}

func setRoot(name, kind string) error {
	device, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	return netlink.QdiscReplace(&netlink.GenericQdisc{
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: device.Attrs().Index, Parent: netlink.HANDLE_ROOT},
		QdiscType:  kind,
	})
}

func TestVethErrors(t *testing.T) {
	enterNamespace(t)
	a := newOtherNamespace(t)
	gone, kill := startProcess(t)
	kill()
	err := CreateVeth(VethConfig{A: VethEnd{a.tid, "left"}, B: VethEnd{gone, "right"}, MTU: 1500, TxQueueLen: 10})
	var failed *Error
	if !errors.Is(err, unix.ESRCH) || !errors.As(err, &failed) || !strings.Contains(failed.Hint(), "gone") {
		t.Errorf("a peer in a dead process: got %v, want ESRCH and a hint that it is gone", err)
	}
	if err := Configure("nowhere", endConfig("198.18.0.1/30")); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a device that is not there: got %v", err)
	}
}
