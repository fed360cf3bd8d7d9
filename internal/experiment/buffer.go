package experiment

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"ccbench/internal/unit"
)

// rawText reads a value whose form is judged later.
func rawText(n *yaml.Node) (string, error) { return n.Value, nil }

// limit is a queue limit whose form is right. How many bytes it is may depend
// on the path.
type limit struct {
	needs []string // keys of the path
	bytes func(Path) unit.Bytes
}

const bufferForms = "write it as 1bdp, 250KB, 200pkt or 20ms"

// parseBuffer reads a queue limit in any of its forms.
func parseBuffer(text string) (limit, error) {
	if err := unit.BlankError(text, "a buffer", parseBuffer); err != nil {
		return limit{}, err
	}
	if number, found := strings.CutSuffix(text, "bdp"); found {
		return parseBDPs(text, number)
	}
	if number, found := strings.CutSuffix(text, "pkt"); found {
		return parsePackets(text, number)
	}
	if strings.HasSuffix(text, "B") {
		size, err := unit.ParseBytes(text)
		return limit{nil, func(Path) unit.Bytes { return size }}, err
	}
	if d, err := unit.ParseDuration(text); err == nil {
		return limit{[]string{"rate"}, func(p Path) unit.Bytes { return bytesIn(p.Rate, d) }}, nil
	}
	return limit{}, fmt.Errorf("%s is not a buffer%s; %s", unit.Quote(text), inLowerCase(text), bufferForms)
}

func parseBDPs(text, number string) (limit, error) {
	factor, ok := unit.ParseDecimal(number)
	if !ok {
		return limit{}, fmt.Errorf("%s is not a number of BDPs; %s", unit.Quote(text), bufferForms)
	}
	return limit{[]string{"rate", "rtt"}, func(p Path) unit.Bytes {
		return floor(new(big.Rat).Mul(factor, carried(p.Rate, p.RTT)))
	}}, nil
}

func parsePackets(text, number string) (limit, error) {
	packets, ok := unit.ParseDecimal(number)
	if !ok || !packets.IsInt() {
		return limit{}, fmt.Errorf("%s is not a whole number of packets; %s", unit.Quote(text), bufferForms)
	}
	return limit{[]string{"mtu", "overhead"}, func(p Path) unit.Bytes {
		return floor(new(big.Rat).Mul(packets, big.NewRat(int64(p.MTU+p.Overhead), 1)))
	}}, nil
}

// inLowerCase says what was meant where nothing but capitals is wrong.
func inLowerCase(text string) string {
	lower := strings.ToLower(unit.WithoutBlanks(text))
	if lower == text {
		return ""
	}
	if _, err := parseBuffer(lower); err != nil {
		return ""
	}
	return ": units are lower case (did you mean " + lower + "?)"
}

// carried is how many bytes a rate carries in a time, exactly.
func carried(r unit.BitRate, d time.Duration) *big.Rat {
	const bitNanoseconds = 8 * int64(time.Second)
	bits := new(big.Int).Mul(big.NewInt(int64(r)), big.NewInt(int64(d)))
	return new(big.Rat).SetFrac(bits, big.NewInt(bitNanoseconds))
}

func bytesIn(r unit.BitRate, d time.Duration) unit.Bytes { return floor(carried(r, d)) }

// floor rounds down, and to what a sum of two still holds: sizes near that are
// refused anyway.
func floor(v *big.Rat) unit.Bytes {
	whole := new(big.Int).Quo(v.Num(), v.Denom())
	if !whole.IsInt64() {
		return math.MaxInt64 / 2
	}
	return min(unit.Bytes(whole.Int64()), math.MaxInt64/2)
}
