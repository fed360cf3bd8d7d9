package loadgen

import (
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ccbench/internal/result"
)

// inflow is one flow at the receiver.
type inflow struct {
	came    bool
	fd      int
	bytes   atomic.Int64 // that reached the application, the preamble included
	samples []int64      // of bytes
	ending  error        // how it ended, nil: it did not
	early   bool         // it ended before the window closed
}

// errEnd stands for the orderly end of a stream.
var errEnd = errors.New("end of stream")

// read is the life of an accepted flow.
func (r *Receiver) read(f *inflow) {
	defer r.workers.Done()
	f.ending = f.receive(r.stop)
	f.early = !r.sampler.shut.Load()
	_ = unix.Close(f.fd) // what was to be counted is counted
	if f.ending != nil {
		r.gone()
	}
}

// receive counts bytes until the flow ends, and says how, or until the event
// happens (nil).
func (f *inflow) receive(stop *event) error {
	for !stop.happened() {
		// MSG_TRUNC: the kernel drops the bytes and copies none (tcp(7)).
		n, _, err := unix.Recvfrom(f.fd, zeros, unix.MSG_TRUNC)
		switch {
		case err == unix.EAGAIN:
			if err := await(f.fd, unix.POLLIN, stop); err != nil {
				return fmt.Errorf("wait for data: %w", err)
			}
		case err == unix.EINTR:
		case err != nil:
			return fmt.Errorf("receive: %w", err)
		case n == 0:
			return errEnd
		default:
			f.bytes.Add(int64(n))
		}
	}
	return nil
}

// result is the flow's record, once its goroutine has ended.
func (f *inflow) result(id int, s *sampler) result.Flow {
	r := result.Flow{Flow: id}
	if !f.came {
		r.Error = "no connection with this flow's token came"
		return r
	}
	received := f.bytes.Load()
	r.Received = &received
	if s.open >= 0 {
		r.ReceivedOpen = &f.samples[s.open]
	}
	if s.close >= 0 {
		r.ReceivedClose = &f.samples[s.close]
	}
	if f.ending != nil && f.early {
		r.Error = fmt.Sprintf("ended before the receiver's window closed: %v", f.ending)
	}
	return r
}

func (f *inflow) columns(times []int64, start int64) map[string]result.Column {
	t, bytes := make(result.Column, len(times)), make(result.Column, len(times))
	for i, at := range times {
		t[i], bytes[i] = float64(at-start)/1e9, float64(f.samples[i])
	}
	return map[string]result.Column{"t": t, "bytes": bytes}
}
