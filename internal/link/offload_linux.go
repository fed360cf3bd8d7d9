package link

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// offload is one of the features that make several segments travel as one
// packet, with its commands of linux/ethtool.h.
type offload struct {
	name     string
	get, set uint32
}

func segmentOffloads() []offload {
	return []offload{
		{"TSO", unix.ETHTOOL_GTSO, unix.ETHTOOL_STSO},
		{"GSO", unix.ETHTOOL_GGSO, unix.ETHTOOL_SGSO},
		{"GRO", unix.ETHTOOL_GGRO, unix.ETHTOOL_SGRO},
	}
}

// offloadsOff turns the offloads off that are on, unless they may stay.
func offloadsOff(name string, stay bool) error {
	if stay {
		return nil
	}
	for _, o := range segmentOffloads() {
		on, err := ethtool(name, o.get, 0)
		if err != nil {
			return fmt.Errorf("read %s: %w", o.name, err)
		}
		if on == 0 {
			continue // some drivers refuse to set what they never had
		}
		if _, err := ethtool(name, o.set, 0); err != nil {
			return fmt.Errorf("turn %s off: %w", o.name, err)
		}
	}
	return nil
}

// offloads says whether any is on.
func offloads(name string) (bool, error) {
	for _, o := range segmentOffloads() {
		on, err := ethtool(name, o.get, 0)
		if err != nil {
			return false, fmt.Errorf("read %s: %w", o.name, err)
		}
		if on != 0 {
			return true, nil
		}
	}
	return false, nil
}

// ethtoolValue is struct ethtool_value of linux/ethtool.h.
type ethtoolValue struct{ command, data uint32 }

// ethtoolRequest is struct ifreq of linux/if.h with its pointer.
type ethtoolRequest struct {
	name [unix.IFNAMSIZ]byte
	data unsafe.Pointer
	_    [24 - unsafe.Sizeof(uintptr(0))]byte // the union is 24 bytes on 64-bit machines, less on others
}

// ethtool carries out one command with one value (SIOCETHTOOL).
func ethtool(device string, command, data uint32) (uint32, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	value := &ethtoolValue{command, data}
	request := &ethtoolRequest{data: unsafe.Pointer(value)}
	if copy(request.name[:unix.IFNAMSIZ-1], device) != len(device) {
		return 0, fmt.Errorf("device name %q is longer than %d bytes", device, unix.IFNAMSIZ-1)
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(request)))
	runtime.KeepAlive(value)
	if errno != 0 {
		return 0, os.NewSyscallError("ioctl SIOCETHTOOL", errno)
	}
	return value.data, nil
}
