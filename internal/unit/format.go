package unit

import (
	"math"
	"slices"
	"strconv"
)

// Scale is how the numbers of one column are printed: one unit with its
// prefix, one count of decimals, so that they can be compared at a glance.
type Scale struct {
	Unit     string // as printed: Mbit/s
	Decimals int
	mul, div float64 // of a value in the base unit; one of them is 1
}

// step is one printed unit and how a base unit becomes it. The factors are
// exact in binary (powers of ten from 1 up), so that scaling rounds once.
type step struct {
	unit     string
	mul, div float64
	least    float64 // printed number from which it replaces the step before
}

// steps lists the printed units of a base unit, from small to large. A unit
// that is not here is printed as it is.
var steps = map[string][]step{
	"bit/s": {{"bit/s", 1, 1, 1}, {"kbit/s", 1, 1e3, 1}, {"Mbit/s", 1, 1e6, 1}, {"Gbit/s", 1, 1e9, 1}},
	"B":     {{"B", 1, 1, 1}, {"kB", 1, 1e3, 1}, {"MB", 1, 1e6, 1}, {"GB", 1, 1e9, 1}},
	"s":     {{"µs", 1e6, 1, 1}, {"ms", 1e3, 1, 1}, {"s", 1, 1, 1}},
	"ratio": {{"%", 100, 1, 1}},
	// MB/s² is the number iperf 2 prints, and stays as long as it has five digits.
	"B/s^2": {{"MB/s²", 1, 1e6, 1}, {"GB/s²", 1, 1e9, 100}, {"TB/s²", 1, 1e12, 10}},
}

// counts are units of whole things: more than tenths of a mean are no news.
var counts = map[string]bool{"segments": true, "packets": true}

// Digits of a column. Its smallest spread shows two significant ones and its
// smallest value three, or four where no spread says which of them are noise,
// as long as its largest value has at most five.
const (
	spreadDigits  = 2
	spreadValue   = 3
	valueDigits   = 4
	largestDigits = 5
	maxDecimals   = 4
	countDecimals = 1
)

// NewScale chooses the scale of a column from its values in the base unit and,
// if it has any, their spreads (standard deviations). The largest value decides
// the prefix. NaN and zero decide nothing.
func NewScale(base string, values, spreads []float64) Scale {
	return pick(base, largest(values)).withDecimals(base, values, spreads, 0)
}

// withDecimals shows at least so many digits of the smallest value, whatever
// digits the largest then has.
func (s Scale) withDecimals(base string, values, spreads []float64, least int) Scale {
	s.Decimals = min(max(s.decimals(values, spreads), decimals(s.scaled(smallest(values)), least)), maxDecimals)
	if counts[base] {
		s.Decimals = min(s.Decimals, countDecimals)
	}
	return s
}

// wideLargest bounds the largest printed number that a smaller unit may lead to.
const wideLargest = 1e4

// NewWideScale is NewScale for values that may lie far apart. It takes a smaller
// prefix than the largest value's if the smallest value asks for it and the
// largest then has at most four digits before the point: 41.2 and 1310.0 ms
// rather than 0.0412 and 1.3100 s. Three digits of the smallest value are shown
// in any case, up to the fourth decimal.
func NewWideScale(base string, values, spreads []float64) Scale {
	s, small := pick(base, largest(values)), pick(base, smallest(values))
	known := steps[base]
	of := func(s Scale) int { return slices.IndexFunc(known, func(k step) bool { return k.unit == s.Unit }) }
	for i := of(small); i < of(s); i++ {
		if wide := known[i].scale(); wide.scaled(largest(values)) < wideLargest {
			s = wide
			break
		}
	}
	return s.withDecimals(base, values, spreads, spreadValue)
}

func (s Scale) decimals(values, spreads []float64) int {
	value, spread := s.scaled(smallest(values)), s.scaled(smallest(spreads))
	wanted := decimals(value, valueDigits)
	if spread > 0 {
		wanted = max(decimals(value, spreadValue), decimals(spread, spreadDigits))
	}
	most := decimals(s.scaled(largest(values)), largestDigits)
	if first := max(decimals(value, 1), decimals(spread, 1)); first == most+1 {
		most = first // else what is not zero would be printed as zero
	}
	return min(wanted, most)
}

func pick(base string, v float64) Scale {
	known := steps[base]
	if len(known) == 0 {
		return Scale{Unit: base, mul: 1, div: 1}
	}
	best := known[0]
	for _, s := range known[1:] {
		if v*s.mul/s.div >= s.least || v == 0 && s.unit == base {
			best = s
		}
	}
	return best.scale()
}

func (s step) scale() Scale { return Scale{Unit: s.unit, mul: s.mul, div: s.div} }

// absent is printed for what is not a number.
const absent = "n/a"

// Format prints a value that is in the base unit, without the unit. It rounds
// as C's printf does: the decimal nearest to the binary number. What is not a
// number is "n/a".
func (s Scale) Format(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return absent
	}
	return Fixed(s.scaled(v), s.Decimals)
}

func (s Scale) scaled(v float64) float64 { return v * s.mul / s.div }

// Fixed prints v with so many decimals, and never a negative zero.
func Fixed(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if text[0] == '-' && isZero(text[1:]) {
		return text[1:]
	}
	return text
}

func isZero(text string) bool {
	for _, c := range text {
		if c != '0' && c != '.' {
			return false
		}
	}
	return true
}

// Format prints one value with its unit, such as "95.64 Mbit/s".
func Format(v float64, base string) string {
	s := NewScale(base, []float64{v}, nil)
	text := s.Format(v)
	switch {
	case text == absent:
		return text
	case s.Unit == "%":
		return text + s.Unit
	}
	return text + " " + s.Unit
}

// decimals is how many show so many significant digits of v.
func decimals(v float64, digits int) int {
	if v == 0 {
		return 0
	}
	return max(digits-1-int(math.Floor(math.Log10(v))), 0)
}

// largest is the largest magnitude of the values, 0 without any.
func largest(values []float64) float64 {
	m := 0.0
	for _, v := range values {
		if v = math.Abs(v); !math.IsInf(v, 0) && v > m {
			m = v
		}
	}
	return m
}

// smallest is the smallest magnitude above zero, 0 without any.
func smallest(values []float64) float64 {
	m := 0.0
	for _, v := range values {
		if v = math.Abs(v); !math.IsInf(v, 0) && v > 0 && (m == 0 || v < m) {
			m = v
		}
	}
	return m
}
