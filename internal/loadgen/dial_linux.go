package loadgen

import (
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"ccbench/internal/result"
	"ccbench/internal/tcpinfo"
)

// outflow is one flow at the sender.
type outflow struct {
	fd       int // -1 once closed
	preamble []byte
	samples  []tcpinfo.Raw // room for all; the sampler says how many there are
	final    tcpinfo.Raw
	record   result.Flow
	written  int64 // bytes, the writer's
	// Each error has one goroutine that writes it.
	sendErr, sampleErr, finalErr error
}

// openFlow makes a socket that has its congestion control before it has a peer.
func openFlow(config SenderConfig, flow Flow) (*outflow, error) {
	fd, err := newSocket(config.Remote.Addr())
	if err != nil {
		return nil, err
	}
	f := &outflow{
		fd:       fd,
		preamble: encodePreamble(config.Token, flow.ID),
		samples:  newSamples(newSchedule(config.Warmup, config.Duration, config.Interval).ticks()),
		record:   result.Flow{Flow: flow.ID, Requested: flow.Algorithm},
	}
	if err := f.equip(config.Local, flow.Algorithm); err != nil {
		return nil, closing(fd, err)
	}
	return f, nil
}

// newSamples has each page of the memory touched before the measurement.
func newSamples(n int64) []tcpinfo.Raw {
	samples := make([]tcpinfo.Raw, n)
	for i := range samples {
		samples[i].At = -1
	}
	return samples
}

func (f *outflow) equip(local netip.Addr, name string) error {
	if err := setAlgorithm(f.fd, name); err != nil {
		return err
	}
	var err error
	if f.record.BeforeConnect, err = algorithm(f.fd); err != nil {
		return err
	}
	if !local.IsValid() {
		return nil
	}
	if err := unix.Bind(f.fd, sockaddr(netip.AddrPortFrom(local, 0))); err != nil {
		return fmt.Errorf("bind to %v: %w", local, err)
	}
	return nil
}
