package link

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const tunPath = "/dev/net/tun"

// OpenTUN makes a TUN device and returns its descriptor, non-blocking. The
// device lives as long as a copy of the descriptor is open, and so does the
// namespace it was opened in. No packet leaves it before all of cfg is in force.
//
// The file is kept out of the runtime's poller: whoever reads it waits for it
// with poll(2). The errors are *Error and wrap the errno.
func OpenTUN(cfg TUN) (*os.File, error) {
	fd, err := unix.Open(tunPath, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &Error{"open " + tunPath, err, openCure(err)}
	}
	if err := attachTUN(fd, cfg.Name); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	f, err := outsidePoller(fd, cfg.Name)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	err = Configure(cfg.Name, DeviceConfig{MTU: cfg.MTU, Address: cfg.Address, TxQueueLen: cfg.TxQueueLen})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// attachTUN makes fd the user's side of a new device (Documentation/networking/tuntap.rst).
func attachTUN(fd int, name string) error {
	request, err := unix.NewIfreq(name)
	if err != nil {
		return fmt.Errorf("make TUN device %q: the name must have 1 to 15 bytes", name)
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI | unix.IFF_TUN_EXCL)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return &Error{fmt.Sprintf("make TUN device %q", name), err, attachCure(err)}
	}
	return nil
}

func openCure(err error) string {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENODEV), errors.Is(err, unix.ENXIO):
		return "load the kernel's TUN driver, as root: modprobe tun; where it is loaded, mkdir -p /dev/net && mknod -m 666 " +
			tunPath + " c 10 200; containers need --device " + tunPath
	case errors.Is(err, unix.EACCES):
		return "chmod 0666 " + tunPath + " (as udev does), or run as root"
	case errors.Is(err, unix.EPERM):
		return "a device policy forbids it; containers need --device " + tunPath
	}
	return ""
}

func attachCure(err error) string {
	switch {
	case errors.Is(err, unix.EPERM):
		return "CAP_NET_ADMIN is missing in this network namespace: run as root or in a user namespace"
	case errors.Is(err, unix.EBUSY):
		return "a device of that name is there already"
	}
	return ""
}

// outsidePoller wraps fd in a non-blocking file that the runtime's poller does
// not watch: it would be woken for every packet, for nobody.
func outsidePoller(fd int, name string) (*os.File, error) {
	// os.NewFile hands to the poller what is non-blocking when it looks.
	if err := unix.SetNonblock(fd, false); err != nil {
		return nil, fmt.Errorf("descriptor of %s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, fmt.Errorf("descriptor of %s: %w", name, err)
	}
	return f, nil
}
