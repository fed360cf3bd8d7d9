package emulator

import (
	"ccbench/internal/result"
)

// line is one direction of the link with its packets and its account. It is
// pure: it is told the time, and someone else reads and writes the devices.
type line struct {
	mtu    int
	shaper shaper
	held   fifo[packet] // in the order of delivery, which is that of arrival
	slab   slab
	// room is where the next packet is to be put before arrive is called.
	room  []byte
	count result.Direction // all that is a count; Held and the rest are filled in by account
	late  histogram
	waits waits
}

// packet is a packet on its way.
type packet struct {
	deliverAt int64 // ns
	data      []byte
}

func newLine(d Direction, mtu int, w Window) *line {
	l := &line{mtu: mtu, shaper: newShaper(d), slab: slab{size: mtu}, waits: newWaits(d, mtu, w)}
	l.room = l.slab.get()
	return l
}

// arrive takes the packet in room, of size bytes. What is longer than the room
// is dropped: it is longer than the MTU.
func (l *line) arrive(now int64, size int) {
	l.count.PacketsIn++
	l.count.BytesIn += int64(size)
	if size > l.mtu {
		l.count.DropsOversize++
		return
	}
	deliverAt, wait, ok := l.shaper.arrive(now, size)
	if !ok {
		l.count.DropsQueue++
		return
	}
	l.waits.add(now, wait, l.room[:size])
	l.held.push(packet{deliverAt, l.room[:size]})
	l.room = l.slab.get()
}

// due returns the next packet if its time has come.
func (l *line) due(now int64) ([]byte, bool) {
	if l.held.len() == 0 || l.held.front().deliverAt > now {
		return nil, false
	}
	return l.held.front().data, true
}

// next is when the next packet is due, in ns; 0 when none is held.
func (l *line) next() int64 {
	if l.held.len() == 0 {
		return 0
	}
	return l.held.front().deliverAt
}

// delivered books the next packet as written; its writing began at the time now.
func (l *line) delivered(now int64) {
	p := l.held.pop()
	l.late.add(now - p.deliverAt)
	l.count.PacketsOut++
	l.count.BytesOut += int64(len(p.data))
	l.slab.put(p.data)
}

// refused books the next packet as lost at the device.
func (l *line) refused() {
	l.count.DropsWrite++
	l.slab.put(l.held.pop().data)
}

// account is the state of the books. RunDelay is not the line's to know.
func (l *line) account() result.Direction {
	d := l.count
	d.Held = int64(l.held.len())
	d.MaxBacklog = l.shaper.maxBacklog
	d.QueueDelay = l.waits.summary()
	if l.late.total > 0 {
		d.LatenessP50 = seconds(l.late.quantile(0.50))
		d.LatenessP99 = seconds(l.late.quantile(0.99))
		d.LatenessMax = seconds(l.late.max)
	}
	return d
}

func seconds(ns int64) *float64 {
	s := float64(ns) / 1e9
	return &s
}
