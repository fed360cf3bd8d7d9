package testbed

import (
	"fmt"
	"maps"

	"ccbench/internal/plan"
	"ccbench/internal/unit"
)

const (
	// minTxQueueLen keeps a device's own ring from being the bottleneck: at
	// 1 Gbit/s the usual 500 lost hundreds of packets before the path saw them.
	minTxQueueLen = 10_000 // packets
	// minBufferMax is a socket buffer limit that never limits a short path; the
	// kernel's own defaults are 4 and 6 MiB.
	minBufferMax unit.Bytes = 16 << 20
	// headroom is how many times over BDP and buffer must fit, so that neither
	// the receive window nor the send buffer decides: the kernel counts a
	// packet's memory, about twice its bytes, and offers half of it as window.
	headroom = 4
)

// inFlight is the most that can be under way on the trial's path.
func inFlight(t plan.Trial) unit.Bytes { return t.Path.BDP() + t.Path.Buffer.Bytes }

// txQueueLen is the ring of either end's device, in packets.
func txQueueLen(t plan.Trial) int {
	return max(minTxQueueLen, int(headroom*inFlight(t))/t.Path.MTU)
}

// bufferMax is the upper limit of the sockets' buffers.
func bufferMax(t plan.Trial) unit.Bytes { return max(minBufferMax, headroom*inFlight(t)) }

// sysctls are the settings of both ends' namespaces. The experiment's own come
// last: who asks for a small receive window gets it, and the trial's limited
// shares say what it did.
func sysctls(t plan.Trial) map[string]string {
	limit := bufferMax(t)
	all := map[string]string{
		// A route's remembered ssthresh and RTT would carry one trial into the next.
		"net.ipv4.tcp_no_metrics_save": "1",
		"net.ipv4.tcp_rmem":            fmt.Sprintf("4096 131072 %d", limit),
		"net.ipv4.tcp_wmem":            fmt.Sprintf("4096 16384 %d", limit),
	}
	maps.Copy(all, t.Sysctl)
	return all
}

// optionalSysctls are set where the kernel has them: nothing but the flow is
// to be heard on the path (router solicitations, multicast reports), and the
// flow is plain TCP.
func optionalSysctls() map[string]string {
	return map[string]string{
		"net.ipv6.conf.all.disable_ipv6":     "1",
		"net.ipv6.conf.default.disable_ipv6": "1",
		"net.mptcp.enabled":                  "0",
	}
}

// offloads says whether TSO, GSO and GRO may stay on: on a path that no rule
// counts packets on. Through a TUN there are none to leave.
func offloads(t plan.Trial) bool { return t.Drop == nil }
