package loadgen

import "testing"

const procStat = `cpu  1000 200 300 9999 50 10 40 70 600 7
cpu0 500 100 150 5000 25 5 20 35 300 3
cpu1 500 100 150 4999 25 5 20 35 300 4
intr 12345 0 0
ctxt 1
cpufreq 0
`

func TestParseHost(t *testing.T) {
	got, err := parseHost(procStat)
	if err != nil {
		t.Fatal(err)
	}
	// 9999 + 50, in hundredths.
	if want := (hostTimes{idle: 100.49, steal: 0.7}); got != want {
		t.Errorf("times %+v, want %+v", got, want)
	}
	if got := countCPUs(procStat); got != 2 {
		t.Errorf("%d CPUs, want 2", got)
	}
}

func TestBusyTime(t *testing.T) {
	first, last := hostTimes{idle: 100, steal: 1}, hostTimes{idle: 105, steal: 1.5}
	if got := busyTime(2, 4, first, last, 1); got != 2.5 { // of 8 s, 5 idle and 0.5 stolen
		t.Errorf("got %v s busy, want 2.5", got)
	}
	if got := busyTime(2, 4, first, last, 2.6); got != 2.6 {
		t.Errorf("got %v s busy, want no less than the 2.6 that are certain", got)
	}
}

func TestParseHostRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, text := range []string{"", "cpu 1 2 3 4 5 6 7\n", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3 4 5 6 7 x\n"} {
		if got, err := parseHost(text); err == nil {
			t.Errorf("%q gave %+v, want an error", text, got)
		}
	}
}
