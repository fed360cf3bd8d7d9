package emulator

import (
	"encoding/binary"
	"errors"
	"math"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccbench/internal/result"
)

// burst sends numbered datagrams as fast as the socket takes them.
func burst(t testing.TB, from *net.UDPConn, to netip.Addr, packets, payload int) {
	t.Helper()
	data := make([]byte, payload)
	for i := range packets {
		binary.BigEndian.PutUint64(data, uint64(i))
		if _, err := from.WriteToUDPAddrPort(data, netip.AddrPortFrom(to, 9000)); err != nil {
			t.Fatalf("packet %d: %v", i, err)
		}
	}
}

// arrival is a datagram's number and the kernel's time stamp.
type arrival struct {
	number uint64
	at     time.Duration
}

func receive(t testing.TB, conn *net.UDPConn, packets int) []arrival {
	t.Helper()
	data, control := make([]byte, 2000), make([]byte, 200)
	var all []arrival
	for range packets {
		_, m, _, _, err := conn.ReadMsgUDPAddrPort(data, control)
		if err != nil {
			t.Fatalf("after %d packets: %v", len(all), err)
		}
		messages, err := unix.ParseSocketControlMessage(control[:m])
		if err != nil || len(messages) != 1 || len(messages[0].Data) != 16 {
			t.Fatalf("no time stamp: %v", err)
		}
		s, ns := binary.NativeEndian.Uint64(messages[0].Data), binary.NativeEndian.Uint64(messages[0].Data[8:])
		all = append(all, arrival{binary.BigEndian.Uint64(data), time.Duration(s)*time.Second + time.Duration(ns)})
	}
	return all
}

func TestRateAndOrder(t *testing.T) {
	const packets, payload = 3000, 1472
	r := newRig(t, Config{Data: Direction{Rate: 100_000_000, Buffer: 10_000_000, Overhead: 14}, MTU: 1500})
	in, out := r.sender.socket(t), r.receiver.socket(t)
	// All are there before it starts, so that no slow sender leaves the link idle.
	burst(t, in, r.receiver.addr, packets, payload)
	r.start(t)
	got := receive(t, out, packets)
	for i, a := range got {
		if a.number != uint64(i) {
			t.Fatalf("packet %d came in place %d", a.number, i)
		}
	}
	r.flushed(t)
	d := r.Stats().Data
	if d.PacketsIn != packets || d.PacketsOut != packets || d.BytesIn != packets*1500 || d.BytesOut != d.BytesIn {
		t.Errorf("got %+v, want %d packets of 1500 bytes in and out", d, packets)
	}
	took, want := got[packets-1].at-got[0].at, time.Duration((packets-1)*1514*8*10)
	off := math.Abs(float64(took-want)) / float64(want)
	t.Logf("rate off by %.3f %%; lateness p50 %.1f us, p99 %.1f us, max %.1f us, run delay %.3f ms",
		100*off, *d.LatenessP50*1e6, *d.LatenessP99*1e6, *d.LatenessMax*1e6, *d.RunDelay*1e3)
	// The machine's own lateness, at either end of the measured time, is not the
	// emulator's arithmetic.
	if limit := 0.01 + 2**d.LatenessMax/want.Seconds(); off > limit {
		t.Errorf("%d packets took %v instead of %v", packets, took, want)
	}
}

// echo returns what comes to where it came from, until conn is closed.
func echo(conn *net.UDPConn) {
	data := make([]byte, 2000)
	for {
		n, from, err := conn.ReadFromUDPAddrPort(data)
		if err != nil {
			return
		}
		_, _ = conn.WriteToUDPAddrPort(data[:n], from) // a loss shows at the other end
	}
}

// roundTrips measures some through a link with the delay each way, in ascending order.
func roundTrips(t *testing.T, delay time.Duration, probes int) ([]time.Duration, result.Path) {
	r := newRig(t, Config{
		Data: Direction{Rate: 100_000_000, Delay: delay, Buffer: 500_000, Overhead: 14},
		Ack:  Direction{Delay: delay}, MTU: 1500,
	}).start(t)
	near, far := r.sender.socket(t), r.receiver.socket(t)
	go echo(far)
	var rtts []time.Duration
	for i := range probes {
		begun := time.Now()
		burst(t, near, r.receiver.addr, 1, 8)
		if _, err := near.Read(make([]byte, 100)); err != nil {
			t.Fatalf("probe %d: %v", i, err)
		}
		rtts = append(rtts, time.Since(begun))
	}
	slices.Sort(rtts)
	return rtts, r.Stats()
}

func TestRoundTrip(t *testing.T) {
	const delay, probes = 5 * time.Millisecond, 100
	// Without a delay it takes what this machine takes to run both ends.
	machine, _ := roundTrips(t, 0, probes)
	rtts, stats := roundTrips(t, delay, probes)
	p50, own := rtts[probes/2], machine[probes/2]
	t.Logf("rtt min %v p50 %v max %v; without delay p50 %v; lateness p50 data %.1f us, ack %.1f us",
		rtts[0], p50, rtts[probes-1], own, *stats.Data.LatenessP50*1e6, *stats.Ack.LatenessP50*1e6)
	if rtts[0] < 2*delay {
		t.Errorf("a probe came back after %v, before %v", rtts[0], 2*delay)
	}
	if p50 > 2*delay+own+time.Millisecond {
		t.Errorf("the median round trip is %v, want %v and at most 1 ms more than the machine's own %v", p50, 2*delay, own)
	}
	if stats.Rate != 100_000_000 || stats.RTT != 0.01 || stats.Buffer != 500_000 || stats.Overhead != 14 || stats.MTU != 1500 {
		t.Errorf("got %+v, which is not the link that was asked for", stats)
	}
}

func TestFullBufferDropsExactly(t *testing.T) {
	const packets, payload, buffer = 300, 986, 20 * 1014 // 20 packets of wire bytes
	r := newRig(t, Config{Data: Direction{Rate: 10_000_000, Buffer: buffer}, MTU: 1500}).start(t)
	in, out := r.sender.socket(t), r.receiver.socket(t)
	burst(t, in, r.receiver.addr, packets, payload)
	r.flushed(t)
	d := r.Stats().Data
	if d.PacketsIn != packets || d.Held != 0 || balance(d) != 0 {
		t.Fatalf("got %+v, want %d packets in, none held, all accounted for", d, packets)
	}
	// One in service and 20 waiting are always taken.
	if d.DropsQueue == 0 || d.PacketsOut < 21 || d.MaxBacklog != buffer {
		t.Errorf("got %+v, want drops, at least 21 packets out, and a full buffer of %d", d, buffer)
	}
	last := int64(-1)
	for _, a := range receive(t, out, int(d.PacketsOut)) {
		if int64(a.number) <= last {
			t.Fatalf("packet %d came after %d", a.number, last)
		}
		last = int64(a.number)
	}
	if err := out.SetReadDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 2000)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one more packet was received than counted out: %v", err)
	}
}

func TestOversizeIsDroppedAndCounted(t *testing.T) {
	r := newRig(t, Config{MTU: 1000}).start(t) // the devices' is 1500
	in, out := r.sender.socket(t), r.receiver.socket(t)
	burst(t, in, r.receiver.addr, 10, 1000-ipSize(0))
	burst(t, in, r.receiver.addr, 5, 1001-ipSize(0))
	burst(t, in, r.receiver.addr, 1, 1500-ipSize(0))
	burst(t, in, r.receiver.addr, 10, 8)
	receive(t, out, 20)
	r.flushed(t)
	d := r.Stats().Data
	if d.PacketsIn != 26 || d.PacketsOut != 20 || d.DropsOversize != 6 || balance(d) != 0 {
		t.Errorf("got %+v, want 26 in, 20 out, 6 too long", d)
	}
	if want := int64(10*1000 + 5*1001 + 1500 + 10*ipSize(8)); d.BytesIn != want {
		t.Errorf("got %d bytes in, want %d: a packet's length is known also when it is too long", d.BytesIn, want)
	}
}

func TestRefusedWritesAreCounted(t *testing.T) {
	r := newRig(t, Config{MTU: 1500}).start(t)
	in := r.sender.socket(t)
	if err := r.receiver.ip("link", "set", "ccb0", "down"); errors.Is(err, exec.ErrNotFound) {
		t.Skip("no ip here: install iproute2")
	} else if err != nil {
		t.Fatal(err)
	}
	burst(t, in, r.receiver.addr, 10, 8)
	r.flushed(t)
	d := r.Stats().Data
	if d.PacketsIn != 10 || d.DropsWrite != 10 || d.PacketsOut != 0 || d.LatenessP50 != nil || balance(d) != 0 {
		t.Errorf("got %+v, want 10 packets in and refused, none out and no lateness", d)
	}
	if err := r.stop(); err != nil {
		t.Errorf("a device that is down ended Run: %v", err)
	}
}

func TestDeletedDeviceEndsRunAndIsNamed(t *testing.T) {
	for _, side := range []string{"sender", "receiver"} {
		t.Run(side, func(t *testing.T) {
			r := newRig(t, Config{MTU: 1500}).start(t)
			err := map[string]*end{"sender": r.sender, "receiver": r.receiver}[side].ip("link", "delete", "ccb0")
			if errors.Is(err, exec.ErrNotFound) {
				t.Skip("no ip here: install iproute2")
			} else if err != nil {
				t.Fatal(err)
			}
			select {
			case <-r.done:
			case <-r.ctx.Done():
				t.Fatal("Run goes on without a device")
			}
			err = r.stop()
			if !errors.Is(err, unix.EBADFD) || !strings.Contains(err.Error(), side+"'s device") {
				t.Errorf("got %v, want EBADFD and the %s's device", err, side)
			}
			if err != nil && strings.Count(err.Error(), "'s device") != strings.Count(err.Error(), side+"'s device") {
				t.Errorf("got %v: the other device is not to blame", err)
			}
		})
	}
}

func TestAccountIsConsistentAtAnyTime(t *testing.T) {
	const packets = 5000
	r := newRig(t, Config{
		Data: Direction{Rate: 1_000_000_000, Delay: time.Millisecond, Buffer: 100_000}, MTU: 1500,
	}).start(t)
	in, out := r.sender.socket(t), r.receiver.socket(t)
	go echo(out)
	done := make(chan struct{})
	go func() { defer close(done); burst(t, in, r.receiver.addr, packets, 1000) }()
	looks := 0
	for running := true; running; looks++ {
		select {
		case <-done:
			running = false
		default:
		}
		s := r.Stats()
		for side, d := range map[string]result.Direction{"data": s.Data, "ack": s.Ack} {
			if balance(d) != 0 || d.Held < 0 {
				t.Fatalf("%s after %d looks: %+v", side, looks, d)
			}
		}
	}
	if _, err := in.Read(make([]byte, 2000)); err != nil { // one came back
		t.Fatal(err)
	}
	r.flushed(t)
	s := r.Stats()
	if s.Data.PacketsIn != packets || s.Ack.PacketsIn == 0 {
		t.Errorf("got %+v, want %d data packets and some back", s, packets)
	}
	if s.Data.RunDelay == nil || s.Ack.RunDelay == nil {
		t.Errorf("got run delays %v and %v; this kernel has schedstat", s.Data.RunDelay, s.Ack.RunDelay)
	}
}

func TestSchedstatIsParsed(t *testing.T) {
	// The first field lags behind: it may be 0 in a thread that runs.
	if got, err := parseSchedstat([]byte("0 456 7\n")); got != 456 || err != nil {
		t.Errorf("got %d, %v, want 456", got, err)
	}
	for _, text := range []string{"0 0 0\n", "", "1 2\n", "1 x 3\n"} {
		if got, err := parseSchedstat([]byte(text)); err == nil {
			t.Errorf("%q: got %d, want an error: unknown is not zero", text, got)
		}
	}
}

// BenchmarkRelay is the cost of a packet through the whole relay, unshaped,
// with both ends on the same processors.
func BenchmarkRelay(b *testing.B) {
	r := newRig(b, Config{MTU: 1500}).start(b)
	in, out := r.sender.socket(b), r.receiver.socket(b)
	var data [1472]byte
	to := netip.AddrPortFrom(r.receiver.addr, 9000)
	b.SetBytes(1500)
	const window = 1000 // below the ring's length
	for sent := 0; sent < b.N; sent += window {
		n := min(window, b.N-sent)
		for range n {
			if _, err := in.WriteToUDPAddrPort(data[:], to); err != nil {
				b.Fatal(err)
			}
		}
		for range n {
			if _, err := out.Read(data[:]); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
}
