package emulator

import (
	"math/rand/v2"
	"testing"
)

func TestFIFOKeepsOrderWhileItGrows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	var f fifo[int]
	in, out := 0, 0
	for range 100_000 {
		// Drifts up and down through several sizes and round the ring.
		if f.len() == 0 || random.IntN(1000) < 500+(in/10_000%2)*30 {
			f.push(in)
			in++
			continue
		}
		if front := *f.front(); front != out {
			t.Fatalf("in front is %d, want %d", front, out)
		}
		if got := f.pop(); got != out {
			t.Fatalf("got %d, want %d", got, out)
		}
		out++
		if f.len() != in-out {
			t.Fatalf("the length is %d, want %d", f.len(), in-out)
		}
	}
	if len(f.items) < 256 {
		t.Errorf("it grew to %d only: the test does too little", len(f.items))
	}
}
