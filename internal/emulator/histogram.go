package emulator

import (
	"math"
	"math/bits"
)

// Each octave of a histogram is cut into 64 buckets: a value is known to
// within 1.6 %, and in the middle of its bucket to within 0.8 %.
const (
	subBits = 6
	sub     = 1 << subBits
	topBit  = 42 // values from 2^42 ns (73 min) on share the last bucket
	buckets = (topBit - subBits + 1) * sub
)

// histogram counts non-negative times in ns in buckets of about equal relative
// width. Its size is fixed; add never allocates.
type histogram struct {
	counts [buckets]int64
	total  int64
	max    int64 // exact
}

func (h *histogram) add(v int64) {
	h.counts[bucketOf(v)]++
	h.total++
	h.max = max(h.max, v)
}

// bucketOf: below 64 each value has its own bucket; from there on a bucket is
// named by the octave and the six bits behind the leading one.
func bucketOf(v int64) int {
	shift := max(0, bits.Len64(uint64(v))-subBits-1)
	return min(shift*sub+int(v>>shift), buckets-1)
}

// middleOf is the value that stands for a bucket.
func middleOf(bucket int) int64 {
	shift := max(0, bucket/sub-1)
	low := int64(bucket-shift*sub) << shift
	return low + (int64(1)<<shift)/2
}

// quantile is the value of rank ceil(q x n) (nearest rank), to the bucket's
// width; 0 < q <= 1, and there must be values.
func (h *histogram) quantile(q float64) int64 {
	rank := int64(math.Ceil(q * float64(h.total)))
	for i, n := range h.counts {
		if rank -= n; rank <= 0 {
			return min(middleOf(i), h.max)
		}
	}
	return h.max
}
