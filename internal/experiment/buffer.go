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

// parseBuffer reads a queue limit in any of its forms, in bytes rounded down.
func parseBuffer(text string, p Path) (unit.Bytes, error) {
	const allowed = "write it as 1bdp, 250KB, 200pkt or 20ms"
	if number, found := strings.CutSuffix(text, "bdp"); found {
		factor, ok := unit.ParseDecimal(number)
		if !ok {
			return 0, fmt.Errorf("%s is not a number of BDPs; %s", unit.Quote(text), allowed)
		}
		return floor(factor.Mul(factor, carried(p.Rate, p.RTT))), nil
	}
	if number, found := strings.CutSuffix(text, "pkt"); found {
		packets, ok := unit.ParseDecimal(number)
		if !ok || !packets.IsInt() {
			return 0, fmt.Errorf("%s is not a whole number of packets; %s", unit.Quote(text), allowed)
		}
		return floor(packets.Mul(packets, big.NewRat(int64(p.MTU+p.Overhead), 1))), nil
	}
	if strings.HasSuffix(text, "B") {
		return unit.ParseBytes(text)
	}
	if d, err := unit.ParseDuration(text); err == nil {
		return bytesIn(p.Rate, d), nil
	}
	return 0, fmt.Errorf("%s is not a buffer; %s", unit.Quote(text), allowed)
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
