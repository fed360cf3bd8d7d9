package plan

import "math/rand/v2"

// Streams of random numbers, one for each purpose. Together with the seed they
// are the state of a PCG-DXSM generator (math/rand/v2). They and the way
// numbers are drawn from them never change: a results file names its seed, and
// whoever repeats the run must get the same plan.
const (
	orderStream     uint64 = 0x6f72646572000001 // "order", of arms; each further condition has the next number
	phaseStream     uint64 = 0x7068617365000001 // "phase"
	conditionStream uint64 = 0x636f6e6469000001 // "condi"
)

func stream(seed, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, purpose))
}

// orders draws the order of the arms for one block after the other, or of the
// conditions for one repetition after the other. As many consecutive orders as
// there are things form a Latin square: each is once at each position, so that
// a drift, or what one trial does to the next, falls on all alike. The square is
// the cyclic one with its things, positions and rows shuffled; any order is as
// likely as any other in a row.
type orders struct {
	random *rand.Rand
	things int
	square [][]int // rows still to come
}

func newOrders(seed, purpose uint64, things int) *orders {
	return &orders{random: stream(seed, purpose), things: things}
}

// next returns the indices in their next order.
func (o *orders) next() []int {
	if len(o.square) == 0 {
		o.square = latinSquare(o.random, o.things)
	}
	row := o.square[0]
	o.square = o.square[1:]
	return row
}

func latinSquare(random *rand.Rand, n int) [][]int {
	things, positions, rows := random.Perm(n), random.Perm(n), random.Perm(n)
	square := make([][]int, n)
	for i := range square {
		square[i] = make([]int, n)
		for j := range square[i] {
			square[i][j] = things[(rows[i]+positions[j])%n]
		}
	}
	return square
}

// phases draws the ordinal of the first packet to drop, one for each block. No
// phase comes twice before all have been: with one phase for all, repetitions
// would be near-copies, and any difference would look significant.
type phases struct {
	random *rand.Rand
	drawn  int
	// moved has the cards of a Fisher-Yates shuffle of 0..every-1 that are not
	// where they began; every may be too large for all of them.
	moved map[int]int
}

func newPhases(seed uint64) *phases {
	return &phases{random: stream(seed, phaseStream), moved: map[int]int{}}
}

// next draws from 1..every, which must be the same at every call.
func (p *phases) next(every int) int {
	if p.drawn == every {
		p.drawn = 0
		clear(p.moved)
	}
	at := p.drawn + p.random.IntN(every-p.drawn)
	card := p.card(at)
	p.moved[at] = p.card(p.drawn)
	p.drawn++
	return card + 1
}

func (p *phases) card(at int) int {
	if card, moved := p.moved[at]; moved {
		return card
	}
	return at
}
