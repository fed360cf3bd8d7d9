package testbed

import (
	"fmt"
	"net/netip"

	"ccbench/internal/agent/wire"
	"ccbench/internal/plan"
)

// Addresses of the two ends, from the range set aside for benchmarks (RFC
// 2544). They exist only inside the agents' namespaces.
var (
	senderPrefix   = netip.MustParsePrefix("198.18.0.1/30")
	receiverPrefix = netip.MustParsePrefix("198.18.0.2/30")
)

// deviceName is what the device at either end is called.
const deviceName = "ccb0"

// dropRequest is the trial's rule for the data packets to a port.
func dropRequest(t plan.Trial, port uint16) wire.DropRequest {
	return wire.DropRequest{
		Mode: string(t.Drop.Mode), Every: t.Drop.Every, First: t.Drop.First, Probability: t.Drop.Probability,
		Source: senderPrefix.Addr(), Destination: receiverPrefix.Addr(), Port: port,
		MTU: t.Path.MTU, Tag: fmt.Sprintf("trial%d", t.Index),
	}
}
