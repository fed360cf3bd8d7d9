package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"

	"ccbench/internal/unit"
)

// scalar reads the value of a key with parse. It returns def when the key was
// not written, and when its value is wrong, which it reports.
func scalar[T any](m *mapping, key string, def T, parse func(*yaml.Node) (T, error)) T {
	n := m.values[key]
	if n == nil {
		return def
	}
	v, err := single(n, parse)
	if err != nil {
		m.fail(key, "%v%s", err, m.toVary(join(m.path, key), n))
		return def
	}
	return v
}

func single[T any](n *yaml.Node, parse func(*yaml.Node) (T, error)) (T, error) {
	if n.Kind != yaml.ScalarNode {
		var none T
		return none, fmt.Errorf("is %s; it must be a single value", kindName(n))
	}
	return parse(n)
}

// quantity reads a number with a unit; quoted or not makes no difference.
func quantity[T int64 | float64 | time.Duration | unit.BitRate | unit.Bytes](
	parse func(string) (T, error), lo, hi T, allowed string,
) func(*yaml.Node) (T, error) {
	return func(n *yaml.Node) (T, error) {
		v, err := parse(n.Value)
		if err != nil {
			return 0, err
		}
		if v < lo || v > hi {
			return 0, fmt.Errorf("is %s; allowed: %s", n.Value, allowed)
		}
		return v, nil
	}
}

// integer reads a decimal whole number. YAML's other ways to write one (010 is
// 8 for some readers and 10 for others) are refused, and so are quotes.
func integer(lo, hi uint64) func(*yaml.Node) (uint64, error) {
	return func(n *yaml.Node) (uint64, error) {
		v, err := strconv.ParseUint(n.Value, 10, 64)
		switch {
		case !isPlain(n):
			return 0, fmt.Errorf("is text; allowed: a whole number from %d to %d, without quotes", lo, hi)
		case !isDecimal(n.Value):
			return 0, fmt.Errorf("%s is not a decimal whole number; allowed: %d to %d", unit.Quote(n.Value), lo, hi)
		case err != nil || v < lo || v > hi:
			return 0, fmt.Errorf("is %.30s; allowed: %d to %d", n.Value, lo, hi)
		}
		return v, nil
	}
}

// isDecimal takes negative numbers too: they are wrong in size, not in form.
func isDecimal(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if s == "" || len(s) > 1 && s[0] == '0' {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

func isPlain(n *yaml.Node) bool {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&quoted == 0
}

// count reads an integer as an int.
func count(m *mapping, key string, def int, lo, hi uint64) int {
	return int(scalar(m, key, uint64(def), integer(lo, hi)))
}

// span reads a duration.
func span(m *mapping, key string, def, lo, hi time.Duration) time.Duration {
	allowed := fmt.Sprintf("%v to %v", lo, hi)
	return scalar(m, key, def, quantity(unit.ParseDuration, lo, hi, allowed))
}

// text reads a string. What YAML takes for a number, a truth value or a date
// needs quotes, so that nobody wonders how it is spelt in the table.
func text(n *yaml.Node) (string, error) {
	if isNull(n) {
		return "", fmt.Errorf("has no value; write one")
	}
	if n.Tag != "!!str" {
		return "", fmt.Errorf("%s is not text in YAML; put it in quotes", unit.Quote(n.Value))
	}
	return n.Value, nil
}

// prose reads text that may have several lines. Escapes could put into it what
// a terminal would obey.
func prose(n *yaml.Node) (string, error) {
	s, err := text(n)
	if err == nil && strings.ContainsFunc(strings.ReplaceAll(s, "\n", ""), isControl) {
		return "", fmt.Errorf("has control characters; allowed: text, tabs and line breaks")
	}
	return s, err
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\t' }

const (
	lower   = "abcdefghijklmnopqrstuvwxyz"
	decimal = "0123456789"
	letters = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + decimal
)

// name reads a label: of an experiment or an arm.
func name(n *yaml.Node) (string, error) {
	s, err := text(n)
	if err == nil && !isName(s) {
		return "", fmt.Errorf("%s; allowed: 1 to 64 of A-Z a-z 0-9 . _ -, a letter or digit first", unit.Quote(s))
	}
	return s, err
}

func isName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, letters+"._-") == "" && strings.Contains(letters, s[:1])
}

// oneOf reads one of the allowed words; later are those of schema version 1
// that this version of ccbench cannot carry out.
func oneOf(allowed, later []string) func(*yaml.Node) (string, error) {
	return func(n *yaml.Node) (string, error) {
		switch {
		case slices.Contains(allowed, n.Value):
			return n.Value, nil
		case slices.Contains(later, n.Value):
			return "", fmt.Errorf("%s is not supported yet; allowed: %s", n.Value, list(allowed))
		}
		near := hint(n.Value, slices.Concat(allowed, later))
		return "", fmt.Errorf("%s is unknown%s; allowed: %s", unit.Quote(n.Value), near, list(allowed))
	}
}
