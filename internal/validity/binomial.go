package validity

import "math"

// binomialTail is the probability that at least k of n come out where the
// expected number is at most k, or at most k where it is above: the tail of
// the binomial distribution on k's own side. 0 <= k <= n and 0 < p < 1.
//
// It adds up the terms from k outwards. Each is less than the one before by a
// factor that itself falls, so the sum ends after some sqrt(n) terms, and is
// as exact as the first term: to 1e-4 of its value for n up to 1e9.
func binomialTail(n, k int64, p float64) float64 {
	if float64(k) < float64(n)*p {
		k, p = n-k, 1-p // at most k hits is at least n-k misses
	}
	term := math.Exp(logBinomial(n, k, p))
	sum := 0.0
	for term > 1e-17*sum {
		sum += term
		if k == n {
			break
		}
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
		k++
	}
	return min(sum, 1)
}

// logBinomial is the logarithm of the probability of exactly k of n.
func logBinomial(n, k int64, p float64) float64 {
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
}

func logFactorial(n int64) float64 {
	v, _ := math.Lgamma(float64(n) + 1) // never negative: n! > 0
	return v
}
