package droprule

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"ccbench/internal/result"
)

// overLoopback is a rule for packets that a test sends itself.
func overLoopback(source, destination string, every, first int) Rule {
	return Rule{Mode: Nth, Every: every, First: first, MTU: 1500, Port: 5001, Tag: "test",
		Source: netip.MustParseAddr(source), Destination: netip.MustParseAddr(destination)}
}

var families = []struct{ name, source, destination string }{
	{"ipv4", "127.0.0.1", "127.0.0.2"},
	{"ipv6", "::1", "::1"},
}

// eachWay runs a test for both backends and IP versions, each in a namespace
// of its own.
func eachWay(t *testing.T, test func(t *testing.T, b backend, r Rule)) {
	for _, b := range backends {
		for _, f := range families {
			t.Run(b.name+"/"+f.name, func(t *testing.T) {
				b.need(t)
				if _, err := os.Stat("/proc/sys/net/ipv6"); f.name == "ipv6" && err != nil {
					t.Skip("this kernel has no IPv6: ", err)
				}
				namespace(t)
				oneCPU(t)
				test(t, b, overLoopback(f.source, f.destination, 2, 1))
			})
		}
	}
}

func install(t *testing.T, b backend, r Rule) *Installed {
	t.Helper()
	i, err := Install(t.Context(), b, r)
	must(t, err)
	return i
}

func counters(t *testing.T, i *Installed) result.DropCounter {
	t.Helper()
	c, err := i.Read(t.Context())
	must(t, err)
	return c
}

// hits is what the first of every so many must come to.
func hits(matched int64, r Rule) int64 {
	return (matched + int64(r.Every) - int64(r.First)) / int64(r.Every)
}

func TestDropsExactlyTheNth(t *testing.T) {
	eachWay(t, func(t *testing.T, b backend, r Rule) {
		for _, phase := range [][2]int{{2, 1}, {2, 2}, {3, 1}, {3, 2}, {3, 3}, {10, 7}, {100, 1}, {100, 37}, {100, 100}} {
			r.Every, r.First = phase[0], phase[1]
			checkPositions(t, b, r)
		}
		left, err := System{}.NFTables()
		if err != nil || len(left) > 0 {
			t.Errorf("after all were removed nf_tables has %q, error %v", left, err)
		}
	})
}

// checkPositions sends data packets past a fresh rule and looks at which are missing.
func checkPositions(t *testing.T, b backend, r Rule) {
	t.Helper()
	i := install(t, b, r)
	n := 3*r.Every + r.Every/2
	got := newWire(t, r).data(n)
	var want []uint32
	for seq := 1; seq <= n; seq++ {
		if seq < r.First || (seq-r.First)%r.Every != 0 {
			want = append(want, uint32(seq))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("every %d, first %d: of 1 to %d these passed: %d, want %d", r.Every, r.First, n, got, want)
	}
	wantCount := result.DropCounter{Matched: int64(n), Hits: hits(int64(n), r)}
	if c := counters(t, i); c != wantCount {
		t.Errorf("every %d, first %d: counted %+v, want %+v", r.Every, r.First, c, wantCount)
	}
	must(t, i.Remove(t.Context()))
}

// What has no payload, or is of another flow, is not counted and so never dropped.
func TestCountsOnlyData(t *testing.T) {
	eachWay(t, func(t *testing.T, b backend, r Rule) {
		i, w := install(t, b, r), newWire(t, r)
		for _, p := range []packet{
			{length: w.header + 40, options: 20, flags: flagSYN},
			{length: w.header + 32, options: 12, flags: flagACK},
			{length: w.header + 32, options: 12, flags: flagFIN | flagACK},
			{length: w.header + 20, flags: flagRST},
			{length: 1500, flags: flagACK, port: r.Port + 1},
		} {
			for range 4 {
				w.send(p)
			}
		}
		if !r.Source.Is6() { // ::1 is the one address of lo
			w.send(packet{length: 1500, flags: flagACK, source: netip.MustParseAddr("127.0.0.3")})
		}
		w.arrived()
		if c := counters(t, i); c != (result.DropCounter{}) {
			t.Fatalf("counted %+v, want nothing", c)
		}
		w.send(packet{length: r.minData(), options: 12, flags: flagACK})
		w.send(packet{length: 1500, options: 12, flags: flagACK})
		w.send(packet{length: 1501, options: 12, flags: flagACK})
		w.arrived()
		if c, want := counters(t, i), (result.DropCounter{Matched: 3, Hits: 2, Overlong: 1}); c != want {
			t.Errorf("counted %+v, want %+v", c, want)
		}
	})
}

// The bounds rest on the headers that Linux sends: a real connection without a
// byte of data is never counted, and its super-packets are noticed.
func TestRealConnection(t *testing.T) {
	eachWay(t, func(t *testing.T, b backend, r Rule) {
		l, err := net.Listen("tcp", netip.AddrPortFrom(r.Destination, 0).String())
		must(t, err)
		defer l.Close()
		r.Port = l.Addr().(*net.TCPAddr).Port
		r.Every, r.First = 1000, 1000
		i := install(t, b, r)
		transfer(t, l, r, 0)
		if c := counters(t, i); c != (result.DropCounter{}) {
			t.Errorf("a connection without data: counted %+v, want nothing", c)
		}
		transfer(t, l, r, 1<<20)
		if c := counters(t, i); c.Matched == 0 || c.Overlong == 0 {
			t.Errorf("1 MiB over lo, whose packets are of 64 KB: counted %+v", c)
		}
	})
}

// transfer sends bytes over one connection and waits for its end.
func transfer(t *testing.T, l net.Listener, r Rule, bytes int) {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: r.Source.AsSlice()}}
	c, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
	must(t, err)
	s, err := l.Accept()
	must(t, err)
	defer s.Close()
	go func() {
		c.Write(make([]byte, bytes)) // a failure shows as too few bytes read
		c.Close()
	}()
	n, buf := 0, make([]byte, 1<<16)
	for err == nil {
		var got int
		got, err = s.Read(buf)
		n += got
	}
	if n != bytes {
		t.Fatalf("%d bytes arrived, want %d", n, bytes)
	}
}

// Packets that arrive on several CPUs at once share one count.
func TestExactWhenConcurrent(t *testing.T) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			b.need(t)
			namespace(t)
			r := overLoopback("127.0.0.1", "127.0.0.2", 7, 3)
			i := install(t, b, r)
			const each = 3000
			var senders sync.WaitGroup
			for range 4 {
				fd := rawSocket(t, unix.AF_INET, unix.IPPROTO_RAW)
				w := &wire{rule: r, header: 20, to: &unix.SockaddrInet4{Addr: r.Destination.As4()}}
				p := w.bytes(packet{length: 100, flags: flagACK, port: r.Port, source: r.Source})
				senders.Go(func() {
					for range each {
						if err := unix.Sendto(fd, p, 0, w.to); err != nil {
							t.Error(err)
						}
					}
				})
			}
			senders.Wait()
			if got, want := settled(t, i, 4*each), hits(4*each, r); got != want {
				t.Errorf("%d hits, want %d", got, want)
			}
		})
	}
}

func TestRandom(t *testing.T) {
	eachWay(t, func(t *testing.T, b backend, r Rule) {
		r.Mode, r.Probability = Random, 0.3
		i := install(t, b, r)
		const n = 2000
		passed := int64(len(newWire(t, r).data(n)))
		c := counters(t, i)
		if c.Matched != n || c.Hits != n-passed {
			t.Errorf("counted %+v, but %d of %d passed", c, passed, n)
		}
		// 0.3 x 2000 with 7 standard deviations of 20.5: wrong less than once in 10^11.
		if c.Hits < 600-144 || c.Hits > 600+144 {
			t.Errorf("%d of %d were dropped with a probability of 0.3", c.Hits, n)
		}
		must(t, i.Remove(t.Context()))
		r.Probability = 1.0 / 3 // does not come back as it went
		must(t, install(t, b, r).Remove(t.Context()))
	})
}
