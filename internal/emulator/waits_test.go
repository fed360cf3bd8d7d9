package emulator

import (
	"math"
	"slices"
	"testing"
	"time"
)

// segment is a TCP segment of IPv4 with so many bytes of options and payload.
func segment(options, payload int) []byte {
	p := make([]byte, 40+options+payload)
	p[0], p[9], p[32] = 0x45, 6, byte(5+options/4)<<4
	return p
}

func TestCarriesData(t *testing.T) {
	six := func(payload int) []byte {
		p := make([]byte, 60+payload)
		p[0], p[6], p[52] = 0x60, 6, 5<<4
		return p
	}
	udp := segment(0, 100)
	udp[9] = 17
	long := append([]byte{0x46}, segment(0, 4)[1:]...) // an IP header of 24 bytes
	long[36] = 5 << 4
	for name, test := range map[string]struct {
		packet []byte
		want   bool
	}{
		"data": {segment(0, 1), true}, "data after options": {segment(12, 1), true}, "an ACK": {segment(0, 0), false},
		"an ACK with options": {segment(12, 0), false}, "IPv6 data": {six(1), true}, "an IPv6 ACK": {six(0), false},
		"UDP": {udp, false}, "nothing": {nil, false}, "an IP header alone": {segment(0, 0)[:20], false},
		"an IP header with options": {long, false}, "another protocol": {[]byte{0, 1, 2, 3}, false},
	} {
		if got := carriesData(test.packet); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// A packet of 1,486 bytes takes 1 ms at 12 Mbit/s; ten fit in the buffer.
var slow = Direction{Rate: 12_000_000, Delay: 5 * time.Millisecond, Buffer: 15_000, Overhead: 14}

const ms = int64(time.Millisecond)

// arriveEvery lets data packets arrive at the line at equal distances.
func arriveEvery(l *line, distance int64, n int) {
	for i := range int64(n) {
		now := 1000*ms + i*distance
		for {
			if _, ok := l.due(now); !ok {
				break
			}
			l.delivered(now)
		}
		copy(l.room, segment(0, 1446))
		l.arrive(now, 1486)
	}
}

// Packets that come twice as fast as they are sent wait half a millisecond
// longer each, until the buffer is full; then every other is lost, and those
// that are taken wait for the ten before them, or half a packet less.
func TestQueueDelayIsExact(t *testing.T) {
	l := newLine(slow, 1500, Window{Duration: time.Hour})
	arriveEvery(l, ms/2, 1000)
	var want []int64
	free, taken := 1000*ms, []int64{} // when the link is free, and the starts of those taken
	for i := range int64(1000) {
		now := 1000*ms + i*ms/2
		waiting := 0
		for _, start := range taken {
			if start > now {
				waiting++
			}
		}
		if free > now && waiting == 10 {
			continue
		}
		start := max(now, free)
		taken, free = append(taken, start), start+ms
		want = append(want, start-now)
	}
	if !slices.Equal(l.waits.all, want) {
		t.Fatalf("got %d waits %v..., want %d %v...", len(l.waits.all), l.waits.all[:12], len(want), want[:12])
	}
	d := l.account().QueueDelay
	slices.Sort(want)
	sum := 0.0
	for _, w := range want {
		sum += float64(w)
	}
	n := len(want)
	for what, v := range map[string][2]float64{
		"packets": {float64(d.Packets), float64(n)}, "mean": {d.Mean, sum / float64(n) / 1e9}, "p50": {d.P50, float64(want[(n+1)/2-1]) / 1e9},
		"p95": {d.P95, float64(want[int(math.Ceil(0.95*float64(n)))-1]) / 1e9}, "p99": {d.P99, float64(want[int(math.Ceil(0.99*float64(n)))-1]) / 1e9},
	} {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%s: got %v, want %v", what, v[0], v[1])
		}
	}
	if most := want[n-1]; most != 10*ms {
		t.Errorf("the longest wait is %d ns, want the full buffer's 10 ms", most)
	}
}

func TestQueueDelayOfTheWindow(t *testing.T) {
	l := newLine(slow, 1500, Window{Warmup: 100 * time.Millisecond, Duration: 50 * time.Millisecond})
	l.arrive(500*ms, 40) // the handshake opens nothing
	if d := l.account(); d.QueueDelay != nil {
		t.Errorf("before the first data: %+v, want null", d.QueueDelay)
	}
	arriveEvery(l, 2*ms, 200) // data at 0, 2, 4 ms and so on; the window is [100, 150)
	if d := l.account().QueueDelay; d == nil || d.Packets != 25 || d.Mean != 0 || d.P99 != 0 {
		t.Errorf("got %+v, want 25 packets that do not wait", d)
	}
	for name, other := range map[string]*line{
		"no window":      newLine(slow, 1500, Window{}),
		"nothing queues": newLine(Direction{Delay: time.Millisecond}, 1500, Window{Duration: time.Hour}),
	} {
		arriveEvery(other, ms, 10)
		if d := other.account().QueueDelay; d != nil {
			t.Errorf("%s: got %+v, want null", name, d)
		}
	}
}

func TestRecordingWaitsAllocatesNothing(t *testing.T) {
	l := newLine(slow, 1500, Window{Duration: 10 * time.Second})
	packet, now := segment(0, 1446), int64(0)
	step := func() {
		now += ms
		copy(l.room, packet)
		cycle(l, now)
	}
	for range 100 {
		step()
	}
	if got := testing.AllocsPerRun(9000, step); got != 0 || len(l.waits.all) < 9000 {
		t.Errorf("got %v allocations a packet and %d waits, want 0 and all", got, len(l.waits.all))
	}
}
