package emulator

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBucketsStandForTheirValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 5))
	check := func(v int64) {
		t.Helper()
		got := middleOf(bucketOf(v))
		if off := math.Abs(float64(got - v)); off > 0.008*float64(v) {
			t.Errorf("%d is held as %d", v, got)
		}
	}
	for v := range int64(2000) {
		check(v)
	}
	for shift := range topBit {
		check(int64(1) << shift)
		check(int64(1)<<shift - 1)
		check(random.Int64N(int64(1)<<shift + 1))
	}
	for bucket := range buckets - 1 {
		if bucketOf(middleOf(bucket)) != bucket {
			t.Fatalf("bucket %d is represented by a value of bucket %d", bucket, bucketOf(middleOf(bucket)))
		}
	}
	if got := bucketOf(math.MaxInt64); got != buckets-1 {
		t.Errorf("the greatest value falls in bucket %d, want the last, %d", got, buckets-1)
	}
}

func TestQuantilesAreThoseOfTheSortedValues(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 5))
	var h histogram
	var values []int64
	for range 10_001 {
		v := int64(math.Exp(random.NormFloat64()*2 + 9)) // a few us, long-tailed
		values = append(values, v)
		h.add(v)
	}
	slices.Sort(values)
	for _, q := range []float64{0.0001, 0.01, 0.5, 0.9, 0.99, 0.999, 1} {
		want := values[int(math.Ceil(q*float64(len(values))))-1]
		if got := h.quantile(q); math.Abs(float64(got-want)) > 0.01*float64(want) {
			t.Errorf("quantile %v: got %d, want %d", q, got, want)
		}
	}
	if h.max != values[len(values)-1] {
		t.Errorf("max: got %d, want %d", h.max, values[len(values)-1])
	}
}

func TestQuantileNeverExceedsTheMaximum(t *testing.T) {
	var h histogram
	h.add(1_000_001)
	if got := h.quantile(0.99); got > h.max || got < 990_000 {
		t.Errorf("got %d of the one value %d", got, h.max)
	}
}
