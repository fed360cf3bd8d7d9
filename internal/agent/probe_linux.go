package agent

import (
	"context"
	"errors"
	"net/netip"
	"os"

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
		found.note(wire.NeedAlgorithm, algorithm, loadgen.TryAlgorithm(algorithm))
	}
	if request.TUN {
		found.note(wire.NeedTUN, "", tryTUN())
	}
	if request.Veth {
		made, err := tryVeth()
		found.note(vethNeed(made), "", err)
	}
	for _, kind := range request.Qdiscs {
		found.note(wire.NeedQdisc, kind, link.TryQdisc("lo", kind))
	}
	for _, set := range request.Sysctl {
		found.note(wire.NeedSysctl, "", applySysctls(nil, set))
	}
	reply := wire.ProbeReply{Host: probe.Host("/")}
	if request.Drop != nil {
		version, err := tryDrop(*request.Drop)
		found.note(wire.NeedDrop, "", err)
		reply.Host.Tools = map[string]string{"iptables": version}
		reply.Iptables = droprule.Find()
	}
	reply.Problems = found
	return reply, nil
}

// findings are the problems so far.
type findings []wire.Problem

func (f *findings) note(need wire.Need, subject string, err error) {
	if err == nil {
		return
	}
	p := wire.Problem{Need: need, Subject: subject, Message: err.Error()}
	var h hinter
	if errors.As(err, &h) {
		p.Hint = h.Hint()
	}
	*f = append(*f, p)
}

// tryVeth lays a cable from this namespace to itself, and switches the offloads
// of one end off. The cable goes with the namespace.
func tryVeth() (made bool, err error) {
	const near, far, mtu, ring = "probe1", "probe2", 1500, 1000
	self := os.Getpid()
	err = link.CreateVeth(link.VethConfig{
		A: link.VethEnd{PID: self, Name: near}, B: link.VethEnd{PID: self, Name: far}, MTU: mtu, TxQueueLen: ring,
	})
	if err != nil {
		return false, err
	}
	return true, link.Configure(near, link.DeviceConfig{
		MTU: mtu, Address: netip.MustParsePrefix("198.18.0.5/30"), TxQueueLen: ring,
	})
}

// vethNeed blames the pair itself until it is there.
func vethNeed(made bool) wire.Need {
	if made {
		return wire.NeedOffloads
	}
	return wire.NeedVeth
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
