package validity

import "ccbench/internal/result"

// binomialAlpha is the two-sided probability outside the interval that a
// random rule's hits must be in.
const binomialAlpha = 1e-6

// The modes of a drop rule in a record.
const (
	modeNth    = "nth"
	modeRandom = "random"
)

func judgeDropMatched(t *result.Trial) []result.Reason {
	switch {
	case t.Drop == nil:
		return nil
	case t.Drop.Final == nil:
		return invalid("the drop rule's counters were not read")
	case t.Drop.Final.Matched <= 0:
		return invalid("the drop rule saw %d data packets", t.Drop.Final.Matched)
	}
	return nil
}

func judgeDropOverlong(t *result.Trial) []result.Reason {
	if t.Drop == nil || t.Drop.Final == nil || t.Drop.Final.Overlong == 0 {
		return nil // missing counters are drop_matched's
	}
	return invalid("%d of %d data packets at the drop rule were longer than the MTU: one drop took several segments",
		t.Drop.Final.Overlong, t.Drop.Final.Matched)
}

func judgeDropHits(t *result.Trial) []result.Reason {
	if t.Drop == nil || t.Drop.Final == nil {
		return nil // missing counters are drop_matched's
	}
	switch t.Drop.Mode {
	case modeNth:
		return nthHits(t.Drop)
	case modeRandom:
		return randomHits(t.Drop)
	}
	return invalid("the drop rule's mode %q is neither %s nor %s", t.Drop.Mode, modeNth, modeRandom)
}

func nthHits(d *result.Drop) []result.Reason {
	every, first := int64(d.Every), int64(d.First)
	if every < 2 || first < 1 || first > every {
		return invalid("an nth rule with every %d, first %d: want 2 <= every, 1 <= first <= every", every, first)
	}
	want := (d.Final.Matched + every - first) / every
	if d.Final.Hits == want {
		return nil
	}
	return invalid("every %d, first %d: of %d data packets %d were dropped, not %d", every, first, d.Final.Matched, d.Final.Hits, want)
}

func randomHits(d *result.Drop) []result.Reason {
	n, k, p := d.Final.Matched, d.Final.Hits, d.Probability
	if !(p > 0 && p < 1) {
		return invalid("a random rule with a probability of %g: want it between 0 and 1", p)
	}
	if k < 0 || k > n {
		return invalid("of %d data packets %d were dropped", n, k)
	}
	if binomialTail(n, k, p) >= binomialAlpha/2 {
		return nil
	}
	return invalid("of %d data packets %d were dropped, %.4g %% where %.4g %% was asked for: outside the 1e-6 binomial interval",
		n, k, 100*float64(k)/float64(n), 100*p)
}
