package agent

import (
	"context"
	"errors"
	"net/netip"

	"ccbench/internal/agent/wire"
	"ccbench/internal/droprule"
	"ccbench/internal/link"
	"ccbench/internal/loadgen"
	"ccbench/internal/probe"
)

// probeHere tries in this namespace all that an experiment needs, by doing it:
// what a kernel says of itself and what it does are not always the same. The
// namespace is of no use for a trial afterwards.
func probeHere(request wire.ProbeRequest) (any, error) {
	var found findings
	for _, algorithm := range request.Algorithms {
		found.note(algorithm, loadgen.TryAlgorithm(algorithm))
	}
	if request.TUN {
		found.note("", tryTUN())
	}
	for _, set := range request.Sysctl {
		found.note("", applySysctls(nil, set))
	}
	host := probe.Host("/")
	if request.Drop != nil {
		version, err := tryDrop(*request.Drop)
		found.note("", err)
		host.Tools = map[string]string{"iptables": version}
	}
	return wire.ProbeReply{Problems: found, Host: host}, nil
}

// findings are the problems so far.
type findings []wire.Problem

func (f *findings) note(algorithm string, err error) {
	if err == nil {
		return
	}
	p := wire.Problem{Algorithm: algorithm, Message: err.Error()}
	var h hinter
	if errors.As(err, &h) {
		p.Hint = h.Hint()
	}
	*f = append(*f, p)
}

// tryTUN makes a device and lets it go.
func tryTUN() error {
	tun, err := link.OpenTUN(link.TUN{
		Name: "probe0", MTU: 1500, Address: netip.MustParsePrefix("198.18.0.1/30"), TxQueueLen: 1,
	})
	if err != nil {
		return err
	}
	return tun.Close()
}

// tryDrop installs a rule and removes it.
func tryDrop(request wire.DropRequest) (version string, err error) {
	ctx := context.Background()
	found, err := droprule.ReadVersion(ctx, droprule.System{})
	if err != nil {
		return "", err
	}
	installed, err := droprule.Install(ctx, droprule.System{}, ruleOf(request))
	if err != nil {
		return found.Line, err
	}
	return found.Line, installed.Remove(ctx)
}
