package validity

import "fmt"

// The buffers that networks have, in bandwidth-delay products.
const smallBuffer, largeBuffer = 0.1, 10

// OddBuffer says what is odd about a buffer of so many bandwidth-delay products;
// "" where nothing is.
func OddBuffer(bdps float64) string {
	if bdps >= smallBuffer && bdps <= largeBuffer {
		return ""
	}
	return fmt.Sprintf("%.3g BDP; outside %g to %g it may decide more than the congestion control", bdps, smallBuffer, float64(largeBuffer))
}
