package droprule

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ccbench/internal/result"
)

// listing is the rule as iptables -S lists it.
func (r Rule) listing() []string {
	lines := []string{"-A INPUT " + strings.Join(r.jump(), " ")}
	return append(lines, r.chainListing()...)
}

func (r Rule) chainListing() []string {
	var lines []string
	for _, spec := range r.specs() {
		lines = append(lines, "-A "+r.Chain()+" "+strings.Join(spec, " "))
	}
	return lines
}

// appended picks the rules out of a listing; the rest are policies and chains.
func appended(listing string) []string {
	var rules []string
	for line := range strings.Lines(listing) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "-A ") {
			rules = append(rules, line)
		}
	}
	return rules
}

func sameRules(want, got []string) bool {
	return slices.EqualFunc(want, got, sameRule)
}

// sameRule compares word by word. A probability comes back rounded, so it is
// compared as the kernel keeps it.
func sameRule(want, got string) bool {
	previous := ""
	return slices.EqualFunc(strings.Fields(want), strings.Fields(got), func(w, g string) bool {
		same := w == g || previous == "--probability" && sameProbability(w, g)
		previous = w
		return same
	})
}

func sameProbability(want, got string) bool {
	w, err1 := strconv.ParseFloat(want, 64)
	g, err2 := strconv.ParseFloat(got, 64)
	return err1 == nil && err2 == nil && threshold(w) == threshold(g)
}

// Read reads the rule's counters, in packets. They are exact, and hits follow
// from matches for Nth (first, then one in every), once no packet is under
// way; while packets arrive, the three are not of one instant.
func (i *Installed) Read(ctx context.Context) (result.DropCounter, error) {
	out, err := run(ctx, i.exec, i.rule.command("-v", "-S", i.rule.Chain()))
	if err != nil {
		return result.DropCounter{}, fmt.Errorf("reading the drop rule's counters: %w", err)
	}
	counts, err := i.rule.parseCounts(out)
	if err != nil {
		return result.DropCounter{}, fmt.Errorf("reading the drop rule's counters: %w", err)
	}
	return result.DropCounter{Matched: counts[0], Overlong: counts[1], Hits: counts[2]}, nil
}

// parseCounts takes the packet counters of the chain's rules, in their order,
// and holds each rule against what it must be: a counter of another rule is
// worse than none. In iptables -v -S they stand before the target, as
// -c PACKETS BYTES.
func (r Rule) parseCounts(listing string) ([]int64, error) {
	var counts []int64
	var rules []string
	for _, line := range appended(listing) {
		rule, packets, err := splitCount(line)
		if err != nil {
			return nil, err
		}
		counts, rules = append(counts, packets), append(rules, rule)
	}
	if want := r.chainListing(); !sameRules(want, rules) {
		return nil, fmt.Errorf("the chain %s holds\n%s\nand not\n%s; somebody changed it",
			r.Chain(), strings.Join(rules, "\n"), strings.Join(want, "\n"))
	}
	return counts, nil
}

// splitCount takes the counters out of a listed rule.
func splitCount(line string) (string, int64, error) {
	words := strings.Fields(line)
	at := slices.Index(words, "-c")
	if at < 0 || at+2 >= len(words) {
		return "", 0, fmt.Errorf("the listed rule %q has no counters (-c PACKETS BYTES)", line)
	}
	packets, err := strconv.ParseInt(words[at+1], 10, 64)
	if err != nil {
		return "", 0, fmt.Errorf("the listed rule %q has counters that are no numbers: %w", line, err)
	}
	return strings.Join(slices.Delete(words, at, at+3), " "), packets, nil
}
