package experiment

// hint is " (did you mean NAME?)" for the name nearest to what was written,
// "" when none is near.
func hint(written string, names []string) string {
	best, least := "", 3 // more edits than two are no slip
	for _, name := range names {
		// Two edits turn any two letters into any other two.
		if n := distance(written, name); n < least && n*2 < len(name) {
			best, least = name, n
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// distance is the number of single-character insertions, deletions,
// replacements and swaps of neighbours between a and b (optimal string
// alignment).
func distance(a, b string) int {
	if len(a) > 2*len(b)+2 {
		return len(a) // far, and a could be a megabyte long
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
