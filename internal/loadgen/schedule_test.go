package loadgen

import (
	"slices"
	"testing"
	"time"
)

func TestScheduleTicks(t *testing.T) {
	for _, tt := range []struct {
		name                       string
		warmup, duration, interval time.Duration
		want                       []int64 // after tick 0, for a sampler that is never late
	}{
		{"edges on multiples", 20, 30, 10, []int64{10, 20, 30, 40, 50}},
		{"edges between multiples", 15, 20, 10, []int64{10, 15, 20, 30, 35}},
		{"no warm-up", 0, 25, 10, []int64{10, 20, 25}},
		{"interval longer than all", 3, 4, 10, []int64{3, 7}},
		{"open just before a multiple", 9, 1, 10, []int64{9, 10}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSchedule(tt.warmup, tt.duration, tt.interval)
			var got []int64
			for tick := int64(0); tick != s.close; {
				tick = s.next(tick, tick)
				got = append(got, tick)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("ticks %v, want %v", got, tt.want)
			}
			if room := s.ticks(); int64(len(got)+1) > room {
				t.Errorf("room for %d samples, need %d", room, len(got)+1)
			}
		})
	}
}

func TestScheduleOfALateSampler(t *testing.T) {
	s := newSchedule(25, 30, 10)
	for _, tt := range []struct{ tick, now, want int64 }{
		{10, 19, 20},  // late, but in time for the next
		{10, 20, 25},  // missed 20; 25 opens the window
		{10, 43, 25},  // the open is late, never missed
		{25, 43, 50},  // missed 30 and 40
		{25, 80, 55},  // the close is late, never missed
		{10, 999, 25}, // both
	} {
		if got := s.next(tt.tick, tt.now); got != tt.want {
			t.Errorf("next(%d) at %d = %d, want %d", tt.tick, tt.now, got, tt.want)
		}
	}
}
