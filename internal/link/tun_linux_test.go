package link

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

func testTUN(name string) TUN {
	return TUN{Name: name, MTU: 1400, Address: netip.MustParsePrefix("198.18.0.1/30"), TxQueueLen: 12345}
}

func openTUN(t *testing.T, cfg TUN) *os.File {
	t.Helper()
	f, err := OpenTUN(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// seenLink is what `ip link` and `ip addr` say of a device.
type seenLink struct {
	MTU       int      `json:"mtu"`
	TxQLen    int      `json:"txqlen"`
	Qdisc     string   `json:"qdisc"`
	OperState string   `json:"operstate"`
	Flags     []string `json:"flags"`
	Addresses []struct {
		Local string `json:"local"`
		Bits  int    `json:"prefixlen"`
	} `json:"addr_info"`
}

func (s seenLink) addresses() string {
	var all []string
	for _, a := range s.Addresses {
		all = append(all, a.Local)
	}
	return strings.Join(all, " ")
}

func see(t *testing.T, name string) seenLink {
	t.Helper()
	var links []seenLink
	if err := ask(&links, "ip", "addr", "show", "dev", name); err != nil {
		t.Fatal(err)
	}
	if len(links) != 1 {
		t.Fatalf("ip shows %d devices of name %s", len(links), name)
	}
	return links[0]
}

func TestTUNIsAsAsked(t *testing.T) {
	needIproute2(t)
	enterNamespace(t)
	openTUN(t, testTUN("tun7"))
	got := see(t, "tun7")
	if got.MTU != 1400 || got.TxQLen != 12345 || got.Qdisc != "pfifo" {
		t.Errorf("got MTU %d, txqueuelen %d, queue %s; want 1400, 12345, pfifo", got.MTU, got.TxQLen, got.Qdisc)
	}
	if got.addresses() != "198.18.0.1" || got.Addresses[0].Bits != 30 {
		t.Errorf("got addresses %v, want 198.18.0.1/30 alone", got.Addresses)
	}
	if flags := strings.Join(got.Flags, " "); !strings.Contains(flags, "LOWER_UP") {
		t.Errorf("got flags %s, want LOWER_UP", flags)
	}
	if lo := see(t, "lo"); !strings.Contains(strings.Join(lo.Flags, " "), "UP") {
		t.Errorf("the loopback is down: %v", lo.Flags)
	}
}

func TestNothingLeavesATUNByItself(t *testing.T) {
	needIproute2(t)
	for _, prefix := range []string{"198.18.0.1/30", "fd00::1/64"} {
		t.Run(prefix, func(t *testing.T) {
			enterNamespace(t)
			cfg := testTUN("tun0")
			cfg.Address = netip.MustParsePrefix(prefix)
			f := openTUN(t, cfg)
			if got := see(t, "tun0").addresses(); got != cfg.Address.Addr().String() {
				t.Errorf("got addresses %q, want only %s: a link-local one solicits routers", got, cfg.Address.Addr())
			}
			err := WithFD(f, func(fd int) error {
				_, err := unix.Read(fd, make([]byte, 2000))
				return err
			})
			if !errors.Is(err, unix.EAGAIN) {
				t.Errorf("got %v from reading, want EAGAIN: nothing was sent", err)
			}
		})
	}
}

func TestTUNCarriesBarePackets(t *testing.T) {
	for _, c := range []struct{ prefix, peer string }{{"198.18.0.1/30", "198.18.0.2:9"}, {"fd00::1/64", "[fd00::2]:9"}} {
		t.Run(c.prefix, func(t *testing.T) {
			enterNamespace(t)
			cfg := testTUN("tun0")
			cfg.Address = netip.MustParsePrefix(c.prefix)
			f := openTUN(t, cfg)
			conn, err := net.Dial("udp", c.peer)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.Write(make([]byte, 100)); err != nil {
				t.Fatal(err)
			}
			header := map[bool]int{true: 40, false: 20}[cfg.Address.Addr().Is6()]
			packet := make([]byte, 2000)
			n := 0
			if err := WithFD(f, func(fd int) (err error) { n, err = unix.Read(fd, packet); return err }); err != nil {
				t.Fatal(err)
			}
			version := map[int]byte{20: 4, 40: 6}[header]
			if n != header+8+100 || packet[0]>>4 != version {
				t.Errorf("got %d bytes beginning %x, want %d beginning with version %d", n, packet[0], header+108, version)
			}
			got, err := Counters("tun0")
			if err != nil {
				t.Fatal(err)
			}
			if got.TxPackets != 1 || got.TxDropped != 0 || got.Qdisc != "pfifo" || got.MTU != 1400 || got.Offloads {
				t.Errorf("got %+v, want 1 packet sent, none dropped, pfifo, MTU 1400, no offloads", got)
			}
		})
	}
}

func TestTUNDropsAreCounted(t *testing.T) {
	enterNamespace(t)
	cfg := testTUN("tun0")
	cfg.TxQueueLen = 10
	openTUN(t, cfg)
	conn, err := net.Dial("udp", "198.18.0.2:9")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const sent = 25
	for range sent {
		_, _ = conn.Write([]byte("x")) // a full queue may or may not be told
	}
	got, err := Counters("tun0")
	if err != nil {
		t.Fatal(err)
	}
	if lost := got.TxDropped + got.QdiscDrops; lost == 0 || got.TxPackets+lost > sent {
		t.Errorf("got %+v: of %d packets into a queue of 10 some must be counted as dropped", got, sent)
	}
}

func TestTUNErrorsSayWhatHelps(t *testing.T) {
	for _, c := range []struct {
		cure, want string
	}{
		{openCure(unix.ENOENT), "modprobe tun"},
		{openCure(unix.ENODEV), "modprobe tun"},
		{openCure(unix.EACCES), "chmod 0666 /dev/net/tun"},
		{attachCure(unix.EPERM), "CAP_NET_ADMIN"},
	} {
		if !strings.Contains(c.cure, c.want) {
			t.Errorf("%q does not say %q", c.cure, c.want)
		}
	}
	enterNamespace(t)
	openTUN(t, testTUN("tun0"))
	if _, err := OpenTUN(testTUN("tun0")); !errors.Is(err, unix.EBUSY) || !strings.Contains(err.Error(), "tun0") {
		t.Errorf("a second device of the same name: got %v, want EBUSY and the name", err)
	}
	if _, err := OpenTUN(testTUN("a-name-that-is-too-long")); err == nil {
		t.Error("a name of 23 bytes was taken")
	}
}

func TestFailedTUNLeavesNoDevice(t *testing.T) {
	enterNamespace(t)
	cfg := testTUN("tun0")
	cfg.TxQueueLen = 0 // a queue that passes nothing
	if f, err := OpenTUN(cfg); err == nil {
		_ = f.Close()
		t.Fatal("txqueuelen 0 was taken")
	}
	if _, err := netlink.LinkByName("tun0"); !errors.As(err, &netlink.LinkNotFoundError{}) {
		t.Errorf("the device is still there: %v", err)
	}
}
