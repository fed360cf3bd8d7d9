package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Column is a column of samples. NaN stands for an absent value in memory and
// is null in a file; an infinity has no meaning and is refused.
type Column []float64

// MarshalJSON writes the shortest decimal that reads back as the same number.
func (c Column) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 2+8*len(c))
	out = append(out, '[')
	for i, v := range c {
		if i > 0 {
			out = append(out, ',')
		}
		switch {
		case math.IsNaN(v):
			out = append(out, "null"...)
		case math.IsInf(v, 0):
			return nil, fmt.Errorf("column value %d is infinite", i)
		default:
			out = strconv.AppendFloat(out, v, 'g', -1, 64)
		}
	}
	return append(out, ']'), nil
}

// UnmarshalJSON reads null as NaN.
func (c *Column) UnmarshalJSON(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		*c = nil
		return nil
	}
	var values []*float64
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	*c = make(Column, len(values))
	for i, v := range values {
		if v == nil {
			(*c)[i] = math.NaN()
		} else {
			(*c)[i] = *v
		}
	}
	return nil
}
