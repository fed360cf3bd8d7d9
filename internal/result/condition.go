package result

import "strings"

// ConditionName tells a condition from the others: each factor with the value
// that the labels have for it, in the factors' order, as in
// "path.rtt=10ms, drop.every=100". It is "" where there are no factors.
func ConditionName(factors []string, labels map[string]string) string {
	var words []string
	for _, factor := range factors {
		words = append(words, factor+"="+labels[factor])
	}
	return strings.Join(words, ", ")
}
