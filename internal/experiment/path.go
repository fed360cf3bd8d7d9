package experiment

import (
	"fmt"
	"slices"
	"time"

	"ccbench/internal/unit"
)

// maxInFlight is the most that path and buffer may hold together. Socket
// buffers are four times that, and the kernel's limit for them
// (net.ipv4.tcp_rmem[2]) is a signed 32-bit number of bytes.
const maxInFlight unit.Bytes = (1<<31 - 1) / 4

var (
	pathKeys = schema{
		keys:    []string{"engine", "rate", "rtt", "buffer", "mtu", "overhead"},
		later:   []string{"queue", "loss", "rate_reverse", "sender_qdisc"},
		example: "{engine: userspace, rate: 100mbit, rtt: 40ms}",
	}
	engines      = []string{string(Userspace), string(Direct)}
	laterEngines = []string{"kernel", "none"}
)

// defaultPath is the path of a file that has no key path.
func defaultPath() Path {
	return Path{
		Engine:   Userspace,
		Rate:     100_000_000,
		RTT:      40 * time.Millisecond,
		Buffer:   Buffer{Text: "1bdp", Bytes: 500_000},
		MTU:      1500,
		Overhead: 14, // Ethernet's header, which is what tc counts
		Default:  slices.Clone(pathKeys.keys),
	}
}

// networkPath reads the key path.
func (m *mapping) networkPath() Path {
	n := m.values["path"]
	if n == nil {
		return defaultPath()
	}
	in := m.mapping(n, "path", pathKeys)
	if in == nil {
		return defaultPath()
	}
	if engine := in.engine(); engine == Direct {
		return in.directPath()
	}
	return in.shapedPath()
}

// engine is always chosen by who wrote the file: the instrument is part of the
// result.
func (m *mapping) engine() Engine {
	if !m.has("engine") {
		m.fail("engine", "missing; allowed: userspace (ccbench's own relay), direct (a veth pair, unshaped)")
	}
	return Engine(scalar(m, "engine", string(Userspace), oneOf(engines, laterEngines)))
}

func (m *mapping) mtu() int {
	// 576 is what every IPv4 host must take (RFC 791); beyond jumbo frames
	// no real path compares.
	return count(m, "mtu", defaultPath().MTU, 576, 9000)
}

func (m *mapping) directPath() Path {
	for _, key := range []string{"rate", "rtt", "buffer", "overhead"} {
		m.refuse(key, "contradicts engine direct, a veth pair that nothing shapes; leave it out, or use engine userspace")
	}
	return Path{Engine: Direct, MTU: m.mtu(), Default: m.missing("mtu")}
}

func (m *mapping) shapedPath() Path {
	p := defaultPath()
	p.Default = m.missing(pathKeys.keys...)
	p.Rate = scalar(m, "rate", p.Rate, quantity(unit.ParseRate, 1_000, 100_000_000_000, "1kbit to 100gbit"))
	// Below 1 ms the engine's own jitter would be a good part of the delay.
	p.RTT = scalar(m, "rtt", p.RTT, quantity(unit.ParseDuration, time.Millisecond, 10*time.Second, "1ms to 10s"))
	p.MTU = m.mtu()
	p.Overhead = count(m, "overhead", p.Overhead, 0, 1000)
	p.Buffer.Text = scalar(m, "buffer", p.Buffer.Text, rawText)
	if bdp := p.BDP(); m.sound("rate", "rtt") && bdp > maxInFlight {
		m.report(m.node, m.path, fmt.Sprintf(
			"rate x rtt is %d B, more than socket buffers allow for; allowed, the buffer included: %d B", bdp, maxInFlight))
	}
	p.Buffer.Bytes = m.buffer(p)
	return p
}

// buffer reads the buffer's text and resolves it against the rest of the path,
// as far as that is known.
func (m *mapping) buffer(p Path) unit.Bytes {
	if !m.sound("buffer") {
		return 0
	}
	limit, err := parseBuffer(p.Buffer.Text)
	if err != nil {
		m.fail("buffer", "%v", err)
		return 0
	}
	if !m.sound(limit.needs...) {
		return 0
	}
	size := limit.bytes(p)
	m.checkBuffer(p, size, limit.needs)
	return size
}

func (m *mapping) checkBuffer(p Path, size unit.Bytes, needs []string) {
	packet, bdp := unit.Bytes(p.MTU+p.Overhead), p.BDP()
	together := m.sound("rate", "rtt") && bdp <= maxInFlight
	switch {
	case m.sound("mtu", "overhead") && size < packet:
		m.fail("buffer", "%s is %d B, less than one packet (mtu + overhead: %d B); allowed: that and more",
			p.Buffer.Text, size, packet)
	case together && bdp+size > maxInFlight:
		m.fail("buffer", "%s is %d B, with the path's %d B (rate x rtt) more than socket buffers allow for; allowed together: %d B",
			p.Buffer.Text, size, bdp, maxInFlight)
	case !together && size > maxInFlight && !slices.Contains(needs, "rtt"):
		m.fail("buffer", "%s is %d B, more than socket buffers allow for; allowed, rate x rtt included: %d B",
			p.Buffer.Text, size, maxInFlight)
	}
}
