package tcpinfo

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Read takes a reading of the TCP socket fd into r, without allocating. r.At is
// taken right after the kernel's answer: the call first waits for the socket's
// lock, which a writer may hold for as long as it copies, and only then looks
// at the figures. An older kernel's short answer, or none for TCP_CC_INFO
// (before Linux 4.1), is no error; after an error all of r is absent.
func Read(fd int, r *Raw) error {
	r.infoLen, r.ccLen = 0, 0
	n, errno := getsockopt(fd, unix.TCP_INFO, unsafe.Pointer(&r.info), infoSize)
	r.At = monotonic()
	if errno != 0 {
		return fmt.Errorf("read TCP_INFO: %w", errno)
	}
	r.infoLen = n
	n, errno = getsockopt(fd, unix.TCP_CC_INFO, unsafe.Pointer(&r.cc), ccSize)
	if errno != 0 && errno != unix.ENOPROTOOPT {
		r.infoLen = 0
		return fmt.Errorf("read TCP_CC_INFO: %w", errno)
	}
	if errno == 0 {
		r.ccLen = n
	}
	return nil
}

// getsockopt returns the length of the answer. It is raw because the wrappers
// of x/sys return whole structs and lose that length.
func getsockopt(fd, option int, buffer unsafe.Pointer, size uint32) (uint32, unix.Errno) {
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.IPPROTO_TCP, uintptr(option),
		uintptr(buffer), uintptr(unsafe.Pointer(&size)), 0)
	return size, errno
}

func monotonic() int64 {
	var t unix.Timespec
	// It cannot fail: the clock exists on every Linux and t is ours.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}
