// Package link is the door to the kernel's network devices: TUN and veth
// devices, their addresses, queues, offloads and counters, and the ids of
// network namespaces.
//
// Every function acts on the network namespace of the calling thread. A
// process that was started in a namespace of its own has all its threads there.
package link

import (
	"errors"
	"net/netip"
)

// TUN describes a TUN device: one IP packet a read and a write, without any
// header before it.
type TUN struct {
	Name       string
	MTU        int // bytes
	Address    netip.Prefix
	TxQueueLen int // packets, of the ring between the kernel and the reader
}

// DeviceConfig is what Configure does to a device.
type DeviceConfig struct {
	MTU        int // bytes
	Address    netip.Prefix
	TxQueueLen int  // packets; also the limit of its pfifo
	Offloads   bool // leave TSO, GSO and GRO as they are; else they are off afterwards
}

// VethConfig describes a veth pair with its ends in two namespaces.
type VethConfig struct {
	A, B       VethEnd
	MTU        int // bytes, of both ends
	TxQueueLen int // packets, of both ends
}

// VethEnd is one end of a veth pair.
type VethEnd struct {
	PID  int // of a process (or thread) in the namespace
	Name string
}

// Qdisc is the root queue of a device.
type Qdisc struct {
	Kind  string
	Drops int64 // packets, since it was set
}

// ErrNoNSID says that a namespace has no id in the caller's namespace.
var ErrNoNSID = errors.New("the namespace has no id here")

// Error is something the kernel would not do, with what would help.
type Error struct {
	Doing string // open /dev/net/tun
	Err   error  // mostly an errno
	Cure  string // "" when none is known
}

func (e *Error) Error() string { return e.Doing + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Hint says what would help; "" when nothing is known to.
func (e *Error) Hint() string { return e.Cure }
