package loadgen

import (
	"net/netip"
	"strings"
	"testing"
	"time"
)

func senderConfig() SenderConfig {
	return SenderConfig{
		Remote: netip.MustParseAddrPort("192.0.2.1:5001"), Flows: []Flow{{ID: 0, Algorithm: "reno"}, {ID: 1, Algorithm: "bbr"}},
		Warmup: time.Second, Duration: time.Second, Interval: 10 * time.Millisecond,
	}
}

func TestSenderConfigIsValidated(t *testing.T) {
	if err := senderConfig().validate(); err != nil {
		t.Fatalf("a good configuration: %v", err)
	}
	for _, tt := range []struct {
		want   string
		change func(*SenderConfig)
	}{
		{"remote", func(c *SenderConfig) { c.Remote = netip.AddrPort{} }},
		{"a port", func(c *SenderConfig) { c.Remote = netip.MustParseAddrPort("192.0.2.1:0") }},
		{"zone", func(c *SenderConfig) { c.Remote = netip.MustParseAddrPort("[fe80::1%eth0]:1") }},
		{"one family", func(c *SenderConfig) { c.Local = netip.MustParseAddr("::1") }},
		{"no flows", func(c *SenderConfig) { c.Flows = nil }},
		{"flow id 1", func(c *SenderConfig) { c.Flows[0].ID = 1 }},
		{"flow id 2", func(c *SenderConfig) { c.Flows[1].ID = 2 }},
		{"process 0", func(c *SenderConfig) { c.CPUPIDs = []int{7, 0} }},
		{"warm-up", func(c *SenderConfig) { c.Warmup = -1 }},
		{"window", func(c *SenderConfig) { c.Duration = 0 }},
		{"interval", func(c *SenderConfig) { c.Interval = 0 }},
		{"longer interval", func(c *SenderConfig) { c.Interval = 1 }},
	} {
		c := senderConfig()
		tt.change(&c)
		if err := c.validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one about %q", err, tt.want)
		}
	}
}

func TestReceiverConfigIsValidated(t *testing.T) {
	good := ReceiverConfig{Address: netip.MustParseAddrPort("192.0.2.2:0"), Flows: 1, Duration: time.Second, Interval: time.Millisecond}
	if err := good.validate(); err != nil {
		t.Fatalf("a good configuration: %v", err)
	}
	for _, tt := range []struct {
		want   string
		change func(*ReceiverConfig)
	}{
		{"address", func(c *ReceiverConfig) { c.Address = netip.AddrPort{} }},
		{"0 flows", func(c *ReceiverConfig) { c.Flows = 0 }},
		{"window", func(c *ReceiverConfig) { c.Duration = -1 }},
	} {
		c := good
		tt.change(&c)
		if err := c.validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one about %q", err, tt.want)
		}
	}
}

func TestPreamble(t *testing.T) {
	token := Token{0: 0xab, 15: 0xcd}
	wire := [preambleSize]byte(encodePreamble(token, 258))
	if want := [preambleSize]byte{0: 0xab, 15: 0xcd, 18: 1, 19: 2}; wire != want {
		t.Errorf("preamble % x, want % x", wire, want)
	}
	if id, ok := decodePreamble(wire, token); !ok || id != 258 {
		t.Errorf("flow %d, %v, want 258", id, ok)
	}
	if _, ok := decodePreamble(wire, Token{0: 0xab}); ok {
		t.Error("another token was taken for ours")
	}
}
