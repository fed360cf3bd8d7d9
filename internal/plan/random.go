package plan

import "math/rand/v2"

// Streams of random numbers, one for each purpose. Together with the seed they
// are the state of a PCG-DXSM generator (math/rand/v2). They and the way
// numbers are drawn from them never change: a results file names its seed, and
// whoever repeats the run must get the same plan.
const (
	orderStream uint64 = 0x6f72646572000001 // "order"
	phaseStream uint64 = 0x7068617365000001 // "phase"
)

func stream(seed, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, purpose))
}

// orders draws the order of the arms for one block after the other. As many
// consecutive blocks as there are arms form a Latin square: each arm is once
// at each position, so that a drift, or what one trial does to the next, falls
// on all arms alike. The square is the cyclic one with its arms, positions and
// blocks shuffled; any order of the arms is as likely as any other in a block.
type orders struct {
	random *rand.Rand
	arms   int
	square [][]int // blocks still to come
}

func newOrders(seed uint64, arms int) *orders {
	return &orders{random: stream(seed, orderStream), arms: arms}
}

// next returns the indices of the arms in the order of the next block.
func (o *orders) next() []int {
	if len(o.square) == 0 {
		o.square = latinSquare(o.random, o.arms)
	}
	block := o.square[0]
	o.square = o.square[1:]
	return block
}

func latinSquare(random *rand.Rand, n int) [][]int {
	arms, positions, blocks := random.Perm(n), random.Perm(n), random.Perm(n)
	square := make([][]int, n)
	for i := range square {
		square[i] = make([]int, n)
		for j := range square[i] {
			square[i][j] = arms[(blocks[i]+positions[j])%n]
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
