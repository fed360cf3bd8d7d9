package agent

import (
	"context"
	"errors"
	"os"
	"sync"

	"ccbench/internal/agent/wire"
	"ccbench/internal/experiment"
	"ccbench/internal/link"
	"ccbench/internal/result"
	"ccbench/internal/sysctl"
)

// endpoint is what sender and receiver have in common: settings, a device, and
// the counters of both.
type endpoint struct {
	mu     sync.Mutex // requests may overlap; the state below is theirs
	device wire.Device
	before netstat
}

// setup makes the end: sysctls first, since some hold only for what is made
// after them; the counters start when it is done.
func (e *endpoint) setup(request wire.SetupRequest) (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.device.Name != "" {
		return nil, outOfTurn("this end has been set up already")
	}
	if err := applySysctls(request.SysctlIfPresent, request.Sysctl); err != nil {
		return nil, err
	}
	if err := makeDevice(request.Device); err != nil {
		return nil, err
	}
	before, err := readNetstat()
	if err != nil {
		return nil, err
	}
	e.device, e.before = request.Device, before
	return nil, nil
}

func makeDevice(d wire.Device) error {
	if !d.TUN {
		return link.Configure(d.Name, link.DeviceConfig{
			MTU: d.MTU, Address: d.Address, TxQueueLen: d.TxQueueLen, Offloads: d.Offloads,
		})
	}
	tun, err := link.OpenTUN(link.TUN{Name: d.Name, MTU: d.MTU, Address: d.Address, TxQueueLen: d.TxQueueLen})
	if err != nil {
		return err
	}
	defer tun.Close() // the path agent's copy keeps the device
	socket := os.NewFile(firstSocket, "path socket")
	defer socket.Close()
	return link.SendFD(socket, tun)
}

const errNoSetup = "this end has not been set up"

// ready waits until packets can leave: what a veth is given before its peer is
// up is lost without a trace. A TUN carries from the start.
func (e *endpoint) ready(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.device.Name == "" {
		return outOfTurn(errNoSetup)
	}
	if e.device.TUN {
		return nil
	}
	return link.WaitCarrier(ctx, e.device.Name)
}

// counters reads the device's counters and what has moved in the stack.
func (e *endpoint) counters() (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.device.Name == "" {
		return nil, outOfTurn(errNoSetup)
	}
	device, err := link.Counters(e.device.Name)
	if err != nil {
		return nil, err
	}
	now, err := readNetstat()
	if err != nil {
		return nil, err
	}
	return wire.CountersReply{Links: []result.Link{device}, Netstat: now.since(e.before)}, nil
}

// procSys is where the kernel's own settings are; those of the network follow
// the reader's namespace.
var procSys = sysctl.Dir{Root: "/proc/sys", Refused: experiment.RefusesSysctl}

// applySysctls sets the keys of ifPresent that this kernel has, then all of
// required. Nothing is restored: the settings end with the namespace.
func applySysctls(ifPresent, required map[string]string) error {
	for key, value := range ifPresent {
		var failed *sysctl.Error
		err := procSys.Write(key, value)
		if err != nil && !(errors.As(err, &failed) && failed.Missing) {
			return err
		}
	}
	_, err := procSys.Apply(required)
	return err
}
