package emulator

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestConfigIsChecked(t *testing.T) {
	good := Config{
		Data: Direction{Rate: 100_000_000, Delay: 20 * time.Millisecond, Buffer: 500_000, Overhead: 14},
		Ack:  Direction{Delay: 20 * time.Millisecond},
		MTU:  1500,
	}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want   string
		change func(*Config)
	}{
		{"MTU 67", func(c *Config) { c.MTU = 67 }},
		{"MTU 65536", func(c *Config) { c.MTU = 65536 }},
		{"data direction: rate -1", func(c *Config) { c.Data.Rate = -1 }},
		{"ack direction: rate", func(c *Config) { c.Ack.Rate = maxRate + 1 }},
		{"ack direction: delay -1ns", func(c *Config) { c.Ack.Delay = -1 }},
		{"buffer of -1", func(c *Config) { c.Data.Buffer = -1 }},
		{"overhead of -1", func(c *Config) { c.Data.Overhead = -1 }},
		{"overhead of 65536", func(c *Config) { c.Data.Overhead = 65536 }},
		{"hold a packet for", func(c *Config) { c.Data.Rate = 1000 }},
		{"hold a packet for", func(c *Config) { c.Data.Buffer = math.MaxInt64 }},
		{"hold a packet for", func(c *Config) { c.Ack.Delay = math.MaxInt64 }},
	} {
		cfg := good
		c.change(&cfg)
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}

func TestMaxHold(t *testing.T) {
	const mtu = 1486
	d := Direction{Rate: 8_000_000, Delay: 5 * time.Millisecond, Buffer: 8500, Overhead: 14}
	if got, want := d.maxHold(mtu), 15*time.Millisecond; got != want { // 10,000 bytes at 1 us each
		t.Errorf("got %v, want %v", got, want)
	}
	d.Rate = 0
	if got, want := d.maxHold(mtu), d.Delay; got != want {
		t.Errorf("not shaped: got %v, want %v", got, want)
	}
}
