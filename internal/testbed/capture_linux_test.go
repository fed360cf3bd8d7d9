package testbed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// segment is one TCP segment seen on the receiver's device.
type segment struct {
	outgoing     bool // from the receiver
	source, dest uint16
	seq, ack     uint32
	flags        byte
	payload      int
	length       int // of the IP packet
	foreign      bool
}

const (
	flagSYN = 0x02
	flagRST = 0x04
)

// capture sees the packets of a namespace on its devices, before any rule of
// the firewall does: a packet socket, with the headers of each packet.
type capture struct{ fd int }

// captureIn opens a capture in the namespace of a process. The socket stays
// there; the thread that opened it comes back.
func captureIn(pid int) (capture, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ours, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return capture{}, err
	}
	defer ours.Close()
	theirs, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return capture{}, err
	}
	defer theirs.Close()
	if err := unix.Setns(int(theirs.Fd()), unix.CLONE_NEWNET); err != nil {
		return capture{}, err
	}
	fd, err := openCapture()
	return capture{fd}, errors.Join(err, unix.Setns(int(ours.Fd()), unix.CLONE_NEWNET))
}

func openCapture() (int, error) {
	all := int(binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL)))
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, all)
	if err != nil {
		return -1, err
	}
	return fd, unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 256<<20)
}

// segments returns all that was captured and ends the capture, and with it its
// hold on the namespace. A packet that the socket lost is an error.
func (c capture) segments(t *testing.T) []segment {
	t.Helper()
	defer unix.Close(c.fd)
	var all []segment
	buffer := make([]byte, 256)
	for {
		n, from, err := unix.Recvfrom(c.fd, buffer, unix.MSG_TRUNC)
		if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ENETDOWN) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		outgoing := from.(*unix.SockaddrLinklayer).Pkttype == unix.PACKET_OUTGOING
		all = append(all, parse(buffer[:min(n, len(buffer))], outgoing))
	}
	stats, err := unix.GetsockoptTpacketStats(c.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		t.Fatal(err)
	}
	if stats.Drops != 0 {
		t.Fatalf("the capture lost %d of %d packets", stats.Drops, stats.Packets)
	}
	return all
}

func parse(p []byte, outgoing bool) segment {
	if len(p) < 40 || p[0]>>4 != 4 || p[9] != unix.IPPROTO_TCP {
		return segment{outgoing: outgoing, foreign: true}
	}
	header := int(p[0]&15) * 4
	length := int(binary.BigEndian.Uint16(p[2:]))
	tcp := p[header:]
	return segment{
		outgoing: outgoing,
		source:   binary.BigEndian.Uint16(tcp), dest: binary.BigEndian.Uint16(tcp[2:]),
		seq: binary.BigEndian.Uint32(tcp[4:]), ack: binary.BigEndian.Uint32(tcp[8:]),
		flags: tcp[13], payload: length - header - int(tcp[12]>>4)*4, length: length,
	}
}
