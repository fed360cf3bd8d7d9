package loadgen

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"ccbench/internal/result"
	"ccbench/internal/tcpinfo"
)

// blockSize is how much is handed to, or taken from, the kernel in one call.
const blockSize = 1 << 20

// zeros is what flows carry; nobody writes to it.
var zeros = make([]byte, blockSize)

// run is the life of a started flow. Whoever sends on the socket also closes
// it, and only once the sampler is done, so that nobody's call can meet a
// descriptor that was given away.
func (f *outflow) run(stop *event, sampled <-chan struct{}, done *sync.WaitGroup) {
	defer done.Done()
	f.sendErr = f.send(stop)
	// A flow that died early is kept: its last figures are taken with the others'.
	if err := await(-1, 0, stop); err != nil && f.sendErr == nil {
		f.sendErr = fmt.Errorf("wait for the end: %w", err)
	}
	<-sampled
	f.finalErr = f.finish()
}

// send writes until the event happens (nil) or the connection breaks.
func (f *outflow) send(stop *event) error {
	preamble := f.preamble
	for !stop.happened() {
		n, err := write(f.fd, preamble)
		switch err {
		case nil:
			f.written += int64(n)
			preamble = preamble[min(n, len(preamble)):]
		case unix.EINTR:
		case unix.EAGAIN:
			if err := await(f.fd, unix.POLLOUT, stop); err != nil {
				return fmt.Errorf("wait for room to send: %w", err)
			}
		default:
			return fmt.Errorf("send: %w", err)
		}
	}
	return nil
}

// write sends a block, the preamble first as long as some of it is left; both
// in one call, so that the first segment is a full one.
func write(fd int, preamble []byte) (int, error) {
	if len(preamble) == 0 {
		return unix.SendmsgN(fd, zeros, nil, nil, unix.MSG_NOSIGNAL)
	}
	return unix.SendmsgBuffers(fd, [][]byte{preamble, zeros[len(preamble):]}, nil, nil, unix.MSG_NOSIGNAL)
}

// finish takes the last sample and aborts the connection.
func (f *outflow) finish() error {
	if err := tcpinfo.Read(f.fd, &f.final); err != nil {
		return err
	}
	var err error
	if f.record.AtEnd, err = algorithm(f.fd); err != nil {
		return err
	}
	return f.close()
}

// close sends a reset, thanks to SO_LINGER.
func (f *outflow) close() error {
	if f.fd < 0 {
		return nil
	}
	fd := f.fd
	f.fd = -1
	if err := unix.Close(fd); err != nil {
		return fmt.Errorf("close flow %d: %w", f.record.Flow, err)
	}
	return nil
}

// result is the flow's record, once its goroutine has ended.
func (f *outflow) result(start int64, s *sampler) result.Flow {
	r := f.record
	r.Final, r.MSS = f.final.TCP(start), f.final.MSS()
	if s.open >= 0 {
		r.Open = f.samples[s.open].TCP(start)
	}
	if s.close >= 0 {
		r.Close, r.MSS = f.samples[s.close].TCP(start), f.samples[s.close].MSS()
	}
	for _, err := range []error{f.sendErr, f.sampleErr, f.finalErr} {
		if err != nil {
			r.Error = err.Error()
			break
		}
	}
	return r
}
