package loadgen

import (
	"fmt"
	"net/netip"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// newSocket makes a TCP socket of the address's family, plain and never MPTCP.
func newSocket(address netip.Addr) (int, error) {
	family := unix.AF_INET6
	if address.Unmap().Is4() {
		family = unix.AF_INET
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return -1, fmt.Errorf("create a TCP socket: %w", err)
	}
	if err := prepare(fd); err != nil {
		return -1, closing(fd, err)
	}
	return fd, nil
}

// prepare makes close abort the connection, so that no orphaned socket with
// unsent data keeps a dead namespace alive, and makes sure of the protocol: a
// BPF program can turn any TCP socket into an MPTCP one.
func prepare(fd int) error {
	if err := unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}); err != nil {
		return fmt.Errorf("set SO_LINGER: %w", err)
	}
	protocol, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PROTOCOL)
	if err != nil {
		return fmt.Errorf("read SO_PROTOCOL: %w", err)
	}
	if protocol != unix.IPPROTO_TCP {
		return fmt.Errorf("the socket has protocol %d, need TCP (%d): something turns TCP into MPTCP (%d) here",
			protocol, unix.IPPROTO_TCP, unix.IPPROTO_MPTCP)
	}
	return nil
}

// closing closes fd on the way out of a failure; what failed first is the error.
func closing(fd int, err error) error {
	_ = unix.Close(fd)
	return err
}

// setAlgorithm fails with a *CCError.
func setAlgorithm(fd int, name string) error {
	err := unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
	if err == nil {
		return nil
	}
	errno, ok := err.(unix.Errno)
	if !ok {
		return fmt.Errorf("set congestion control %q: %w", name, err)
	}
	return &CCError{Algorithm: name, Errno: errno,
		Available: readNames("/proc/sys/net/ipv4/tcp_available_congestion_control"),
		Allowed:   readNames("/proc/sys/net/ipv4/tcp_allowed_congestion_control")}
}

// readNames is for error messages only: without the file they name nothing.
func readNames(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

func algorithm(fd int) (string, error) {
	name, err := unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	if err != nil {
		return "", fmt.Errorf("read the congestion control back: %w", err)
	}
	return name, nil
}

// tcpIsMPTCP is TCP_IS_MPTCP of include/uapi/linux/tcp.h.
const tcpIsMPTCP = 43

// isMPTCP is false where the kernel does not know the question: the protocol
// of the socket was made sure of before.
func isMPTCP(fd int) (bool, error) {
	v, err := unix.GetsockoptInt(fd, unix.IPPROTO_TCP, tcpIsMPTCP)
	if err == unix.ENOPROTOOPT {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read TCP_IS_MPTCP: %w", err)
	}
	return v != 0, nil
}

// TryAlgorithm finds out whether a socket here takes the congestion control,
// by its kernel name; the error is a *CCError when the kernel refuses it.
func TryAlgorithm(name string) error {
	fd, err := newSocket(netip.IPv4Unspecified())
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := setAlgorithm(fd, name); err != nil {
		return err
	}
	// The kernel cuts a name at 15 characters before it looks it up.
	got, err := algorithm(fd)
	if err == nil && got != name {
		err = fmt.Errorf("set congestion control %q: the socket has %q", name, got)
	}
	return err
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if ip := a.Addr().Unmap(); ip.Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: ip.As4()}
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
}

func localPort(fd int) (int, error) {
	address, err := unix.Getsockname(fd)
	if err != nil {
		return 0, fmt.Errorf("read the local port: %w", err)
	}
	switch a := address.(type) {
	case *unix.SockaddrInet4:
		return a.Port, nil
	case *unix.SockaddrInet6:
		return a.Port, nil
	default:
		return 0, fmt.Errorf("read the local port: unexpected address %T", address)
	}
}
