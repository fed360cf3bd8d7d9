// Package tcpinfo takes readings of TCP_INFO and of the congestion control's
// own TCP_CC_INFO, and decodes them into base units (s, bytes, bit/s, segments).
//
// The kernel answers with as many bytes as it knows. What is beyond them, and
// what the kernel marks as not measured, is absent: nil or NaN, never 0.
package tcpinfo

import (
	"encoding/binary"
	"math"
	"slices"

	"ccbench/internal/result"
)

// ccSize is the size of union tcp_cc_info in include/uapi/linux/inet_diag.h.
const ccSize = 20

// Raw is one reading as the kernel gave it. It holds no pointers, so that a
// slice of them can be filled without allocation and decoded later. The zero
// Raw is a reading in which everything is absent.
type Raw struct {
	At      int64 // CLOCK_MONOTONIC, ns
	infoLen uint32
	ccLen   uint32
	info    [infoSize]byte
	cc      [ccSize]byte
}

// get returns a member's value and whether the kernel has one.
func (r *Raw) get(f field) (uint64, bool) {
	if f.offset+f.width > int(r.infoLen) {
		return 0, false
	}
	v := decode(r.info[f.offset : f.offset+f.width])
	return v, !slices.Contains(f.absent, v)
}

// decode reads a number in the machine's own byte order.
func decode(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	default:
		return binary.NativeEndian.Uint64(b)
	}
}

// integer is nil where the member is absent.
func (r *Raw) integer(f field) *int64 {
	v, ok := r.get(f)
	if !ok {
		return nil
	}
	n := int64(v)
	return &n
}

// scaled is NaN where the member is absent.
func (r *Raw) scaled(f field, unit float64) float64 {
	v, ok := r.get(f)
	if !ok {
		return math.NaN()
	}
	return float64(v) * unit
}

// seconds is nil where the member, in microseconds, is absent.
func (r *Raw) seconds(f field) *float64 {
	v, ok := r.get(f)
	if !ok {
		return nil
	}
	s := float64(v) / 1e6
	return &s
}

// BytesAcked is tcpi_bytes_acked, false where the kernel does not say (before
// Linux 4.1). On the end that connected it includes 1 for the SYN.
func (r *Raw) BytesAcked() (int64, bool) {
	v, ok := r.get(bytesAckd)
	return int64(v), ok
}

// MSS is tcpi_snd_mss in bytes, nil where absent.
func (r *Raw) MSS() *int64 { return r.integer(sndMSS) }

// TCP decodes what metrics take differences of; nil for a reading that was
// never taken, or failed. start is the flow's start on the clock of At.
// BytesSent includes retransmissions, SegsOut pure ACKs.
func (r *Raw) TCP(start int64) *result.TCP {
	if r.infoLen == 0 {
		return nil
	}
	return &result.TCP{
		T:             since(start, r.At),
		BytesSent:     r.integer(bytesSent),
		BytesAcked:    r.integer(bytesAckd),
		BytesRetrans:  r.integer(bytesRetr),
		SegsOut:       r.integer(segsOut),
		DataSegsOut:   r.integer(dataSegs),
		TotalRetrans:  r.integer(total),
		Sacked:        r.integer(sacked),
		DSACKDups:     r.integer(dsackDups),
		MinRTT:        r.seconds(minRTT),
		BusyTime:      r.seconds(busyTime),
		RwndLimited:   r.seconds(rwndTime),
		SndbufLimited: r.seconds(sndbuf),
	}
}

func since(start, at int64) float64 { return float64(at-start) / 1e9 }
