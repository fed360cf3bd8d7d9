package unit

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// scale is a unit's name and what one of it is in the base unit.
type scale struct {
	name string
	base int64
}

// rates are those of tc(8) that count bits. tc's bps family counts bytes, and
// its bare number too, so neither is read here.
var rates = []scale{{"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}}

// sizes leave no doubt between bits and bytes, or between 1000 and 1024.
var sizes = []scale{
	{"B", 1}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
}

// longest is how many characters a number may have.
const longest = 32

const lowerCase = "units are lower case"

// ParseRate reads a rate such as 100mbit, in bit/s. Fractions are read where
// they come to a whole number of bit/s; the unit is never optional.
func ParseRate(s string) (BitRate, error) {
	if prefix, found := bytesPerSecond(s); found {
		lower := ""
		if strings.ToLower(s) != s {
			lower = ", in lower case"
		}
		return 0, fmt.Errorf("%s: tc(8) takes %sbps for bytes per second; write bits with %s%s, such as 100mbit",
			Quote(s), prefix, names(rates), lower)
	}
	v, err := whole(s, rates)
	if err != nil {
		if blank := BlankError(s, "a rate", ParseRate); blank != nil {
			return 0, blank
		}
		return 0, fmt.Errorf("%s is not a rate: %w; write a number and %s, such as 100mbit", Quote(s), err, names(rates))
	}
	return BitRate(v), nil
}

// bytesPerSecond returns the prefix of tc's units of bytes per second, which
// tc reads in any case (tc/tc_util.c of iproute2).
func bytesPerSecond(s string) (prefix string, found bool) {
	number, found := strings.CutSuffix(strings.ToLower(s), "bps")
	prefix = strings.TrimSpace(strings.TrimLeft(number, "0123456789."))
	return prefix, found && slices.Contains([]string{"", "k", "m", "g", "t", "ki", "mi", "gi", "ti"}, prefix)
}

// ParseBytes reads an amount of data such as 250KB or 64KiB, in bytes.
func ParseBytes(s string) (Bytes, error) {
	v, err := whole(s, sizes)
	if err != nil {
		if blank := BlankError(s, "a size", ParseBytes); blank != nil {
			return 0, blank
		}
		return 0, fmt.Errorf("%s is not a size: %w; write a number and %s, such as 250KB", Quote(s), err, names(sizes))
	}
	return Bytes(v), nil
}

// ParseDuration reads a duration as Go writes them, such as 10s, 1m30s or
// 2.5ms. Unlike time.ParseDuration it takes no sign and no number without a
// unit, not even 0.
func ParseDuration(s string) (time.Duration, error) {
	const allowed = "write a number and h, m, s, ms, us or ns, such as 10s or 2.5ms"
	if strings.HasPrefix(s, "-") {
		return 0, fmt.Errorf("%s is negative; %s", Quote(s), allowed)
	}
	if isDecimal(s) {
		return 0, fmt.Errorf("%s is not a duration: it has no unit; %s", Quote(s), allowed)
	}
	d, ok := duration(s)
	if ok {
		return d, nil
	}
	if blank := BlankError(s, "a duration", ParseDuration); blank != nil {
		return 0, blank
	}
	lower := strings.ToLower(WithoutBlanks(s))
	if _, ok := duration(lower); ok && len(lower) <= longest {
		return 0, fmt.Errorf("%s is not a duration: %s (did you mean %s?); %s", Quote(s), lowerCase, lower, allowed)
	}
	return 0, fmt.Errorf("%s is not a duration; %s", Quote(s), allowed)
}

func duration(s string) (d time.Duration, ok bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil && s[0] >= '0' && s[0] <= '9'
}

// ParsePercent reads a percentage such as 0.5% as the ratio nearest to it, 0.005.
func ParsePercent(s string) (float64, error) {
	const allowed = "write a number and %, such as 0.5%"
	if isDecimal(s) {
		return 0, fmt.Errorf("%s is not a percentage: it has no %% sign; %s", Quote(s), allowed)
	}
	number, found := strings.CutSuffix(s, "%")
	v, ok := ParseDecimal(number)
	if !found || !ok {
		if blank := BlankError(s, "a percentage", ParsePercent); blank != nil {
			return 0, blank
		}
		return 0, fmt.Errorf("%s is not a percentage; %s", Quote(s), allowed)
	}
	ratio, _ := v.Quo(v, big.NewRat(100, 1)).Float64()
	return ratio, nil
}

// ParseDecimal reads a plain decimal number exactly: digits, and a point with
// digits after it. There is no sign, exponent or leading zero (which elsewhere
// means octal); ok is false for anything else, or for more than 32 characters.
func ParseDecimal(s string) (value *big.Rat, ok bool) {
	if !isDecimal(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func isDecimal(s string) bool {
	if len(s) > longest {
		return false
	}
	integer, fraction, point := strings.Cut(s, ".")
	if len(integer) > 1 && integer[0] == '0' {
		return false
	}
	return digits(integer) && (!point || digits(fraction))
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// whole reads a number and one of the units as a whole count of the base unit.
func whole(s string, units []scale) (int64, error) {
	name := strings.TrimLeft(s, "0123456789.")
	number, ok := ParseDecimal(strings.TrimSuffix(s, name))
	if !ok {
		return 0, fmt.Errorf("it does not start with a decimal number")
	}
	base, found := find(name, units)
	if !found {
		return 0, unknown(strings.TrimSuffix(s, name), name, units)
	}
	number.Mul(number, new(big.Rat).SetInt64(base))
	if !number.IsInt() {
		return 0, fmt.Errorf("it is not a whole number of %s", units[0].name)
	}
	if !number.Num().IsInt64() {
		return 0, fmt.Errorf("it is too large")
	}
	return number.Num().Int64(), nil
}

func find(name string, units []scale) (base int64, found bool) {
	for _, u := range units {
		if u.name == name {
			return u.base, true
		}
	}
	return 0, false
}

// unknown says what is wrong with a unit, and what was meant where that is
// certain: kB is KB, but kb may as well be bits.
func unknown(number, name string, units []scale) error {
	name = strings.TrimSpace(name) // a blank before it is not what makes it unknown
	if name == "" {
		return fmt.Errorf("it has no unit")
	}
	for _, u := range units {
		switch {
		case strings.HasSuffix(u.name, "B") && strings.HasSuffix(name, "b"):
		case u.name == strings.ToLower(name):
			return fmt.Errorf("%s (did you mean %s%s?)", lowerCase, number, u.name)
		case strings.EqualFold(u.name, strings.TrimSuffix(name, "/s")):
			return fmt.Errorf("%s is not one of its units (did you mean %s%s?)", Quote(name), number, u.name)
		}
	}
	return fmt.Errorf("%s is not one of its units", Quote(name))
}

// names lists units for a message: a, b or c.
func names(units []scale) string {
	var all []string
	for _, u := range units {
		all = append(all, u.name)
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// Quote quotes what someone wrote for a message of one line: escaped, and cut
// where it is long.
func Quote(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "..."
	}
	return strconv.Quote(s)
}
