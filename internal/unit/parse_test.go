package unit

import (
	"strings"
	"testing"
	"time"
)

// checkParse holds a parser against one text: it gives want, or an error that
// has all of the wanted words.
func checkParse[T comparable](t *testing.T, parse func(string) (T, error), text string, want T, words ...string) {
	t.Helper()
	got, err := parse(text)
	if len(words) == 0 {
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
		return
	}
	if err == nil {
		t.Errorf("%q: got %v, want an error", text, got)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q: error %q does not say %q", text, err, word)
		}
	}
}

func TestParseRate(t *testing.T) {
	good := map[string]BitRate{
		"100mbit": 100_000_000, "1gbit": 1_000_000_000, "10kbit": 10_000, "500bit": 500,
		"1.5mbit": 1_500_000, "0.000001mbit": 1, "0bit": 0, "9.3gbit": 9_300_000_000,
	}
	for text, want := range good {
		checkParse(t, ParseRate, text, want)
	}
	bad := map[string]string{
		"100": "no unit", "": "decimal number", "mbit": "decimal number", "-1mbit": "decimal number",
		"1e3bit": `"e3bit" is not one`, "100Mbit": "units are lower case (did you mean 100mbit?)",
		"1Gbit": "units are lower case (did you mean 1gbit?)", "1.5MBIT": "(did you mean 1.5mbit?)", "7Bit": "(did you mean 7bit?)",
		"50Mbit/s": `"Mbit/s" is not one of its units (did you mean 50mbit?)`, "50Mb": `"Mb" is not one of its units;`,
		"1Kibit": `"Kibit" is not one of its units;`, "50Mbps": "tc(8) takes mbps for bytes per second; write bits with bit, kbit, mbit or gbit, in lower case",
		"50MBps": "takes mbps for bytes", "100mbits": "not one", "100 mbits": `"mbits" is not one`,
		"100 Mbit": "units are lower case (did you mean 100mbit?)", "50 Mbps": "tc(8) takes mbps for bytes per second",
		"1.5bit": "whole number of bit", "0100mbit": "decimal number", "1_000mbit": "not one", "1.mbit": "decimal number",
		".5mbit": "decimal number", "1..5mbit": "decimal number", "99999999999gbit": "too large", "0x1mbit": "not one",
		"100bps": "bytes per second", "100mbps": "takes mbps for bytes per second", "1kibps": "bytes per second",
	}
	for text, word := range bad {
		checkParse(t, ParseRate, text, 0, word, "bit, kbit, mbit or gbit")
	}
}

func TestParseBytes(t *testing.T) {
	good := map[string]Bytes{
		"250KB": 250_000, "64KiB": 65_536, "1MB": 1_000_000, "1500B": 1500, "0.5KiB": 512, "1.5GB": 1_500_000_000,
		"2MiB": 2 << 20, "1GiB": 1 << 30,
	}
	for text, want := range good {
		checkParse(t, ParseBytes, text, want)
	}
	bad := map[string]string{
		"250": "no unit", "250kb": `"kb" is not one of its units;`, "250Kb": `"Kb" is not one of its units;`,
		"250kB": `"kB" is not one of its units (did you mean 250KB?)`, "1.5gB": "(did you mean 1.5GB?)", "64KIB": "(did you mean 64KiB?)",
		"64kiB": "(did you mean 64KiB?)", "64kib": `"kib" is not one of its units;`, "10b": `"b" is not one of its units;`, "250k": "not one", "1.5B": "whole number of B", "20ms": "not one",
		"1Kib": "not one", "250 kB": "(did you mean 250KB?)", "": "decimal number",
	}
	for text, word := range bad {
		checkParse(t, ParseBytes, text, 0, word, "B, KB, MB, GB, KiB, MiB or GiB")
	}
}

func TestParseDuration(t *testing.T) {
	good := map[string]time.Duration{
		"10s": 10 * time.Second, "0s": 0, "2.5ms": 2500 * time.Microsecond, "1m30s": 90 * time.Second, "24h": 24 * time.Hour,
	}
	for text, want := range good {
		checkParse(t, ParseDuration, text, want)
	}
	bad := map[string]string{
		"0": "no unit", "10": "no unit", "1.5": "no unit", "-1s": "negative", "+1s": "not a duration", ".5s": "not a duration",
		"": "not a duration", "s": "not a duration", "10 d": "not a duration", "10 MS": "(did you mean 10ms?)", "1d": "not a duration",
		"10MS": "units are lower case (did you mean 10ms?)", "1M30S": "(did you mean 1m30s?)", "10SEC": "is not a duration;",
		"1e3s": "not a duration", "99999999h": "not a duration",
	}
	for text, word := range bad {
		checkParse(t, ParseDuration, text, 0, word, "such as 10s")
	}
}

func TestParsePercent(t *testing.T) {
	good := map[string]float64{"1%": 0.01, "0.5%": 0.005, "0%": 0, "100%": 1, "0.1%": 0.001, "33.3%": 0.333, "250%": 2.5}
	for text, want := range good {
		checkParse(t, ParsePercent, text, want)
	}
	bad := map[string]string{
		"1": "no % sign", "0.01": "no % sign", "-1%": "not a percentage", "%": "not a percentage", " %": "not a percentage",
		"1e-3%": "not a percentage", "01%": "not a percentage", "1%%": "not a percentage", "": "not a percentage",
	}
	for text, word := range bad {
		checkParse(t, ParsePercent, text, 0, word, "such as 0.5%")
	}
}

// What is right but for its blanks is told without them.
func TestBlanks(t *testing.T) {
	for text, word := range map[string]string{
		"20 mbit": `"20 mbit" is not a rate; write it without the blank: 20mbit`, "1.5\tgbit": "without the blank: 1.5gbit",
		" 1mbit ": "without the blanks: 1mbit", "20\u00a0mbit": "without the blank: 20mbit", "1 000 mbit": "without the blanks: 1000mbit",
	} {
		checkParse(t, ParseRate, text, 0, word)
	}
	checkParse(t, ParseBytes, "250 KB", 0, `"250 KB" is not a size; write it without the blank: 250KB`)
	checkParse(t, ParseBytes, "1KB ", 0, "without the blank: 1KB")
	checkParse(t, ParseDuration, "10 s", 0, `"10 s" is not a duration; write it without the blank: 10s`)
	checkParse(t, ParseDuration, "1m 30 s", 0, "without the blanks: 1m30s")
	checkParse(t, ParsePercent, "1 %", 0, `"1 %" is not a percentage; write it without the blank: 1%`)
}

func TestMessagesAreOneShortLine(t *testing.T) {
	long := strings.Repeat("9", 1<<20) + "\n"
	for name, err := range map[string]error{
		"time in capitals": second(ParseDuration(strings.Repeat("0", 1<<20) + "S")), "unit": second(ParseBytes("1" + long + "X")),
		"blanks": second(ParseDuration("1s" + strings.Repeat(" ", 1<<20))), "blank in a long one": second(ParseDuration("1 " + strings.Repeat("0", 1<<20) + "s")),
		"bytes per second": second(ParseRate("1\n" + strings.Repeat("x", 1<<20) + "bps")),
		"rate":             second(ParseRate(long)), "bytes": second(ParseBytes(long)),
		"duration": second(ParseDuration(long)), "percent": second(ParsePercent(long)),
	} {
		if err == nil || len(err.Error()) > 200 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is not one short line: %.300v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// FuzzParse looks for texts that two readers take for different quantities, or
// that any takes for a negative one.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"100mbit", "250KB", "20ms", "1%", "1.5", "0", "1bps", "010B"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rate, e1 := ParseRate(s)
		size, e2 := ParseBytes(s)
		span, e3 := ParseDuration(s)
		ratio, e4 := ParsePercent(s)
		read := 0
		for _, err := range []error{e1, e2, e3, e4} {
			if err == nil {
				read++
			}
		}
		if read > 1 {
			t.Errorf("%q has %d meanings", s, read)
		}
		if rate < 0 || size < 0 || span < 0 || ratio < 0 {
			t.Errorf("%q is negative: %v %v %v %v", s, rate, size, span, ratio)
		}
	})
}
