package droprule

import (
	"context"
	"errors"
)

// Foreign are the rules that a network namespace has, whoever made them, each
// as its place or its listing.
type Foreign struct {
	NFTables []string // of every family
	Legacy   []string // of ip_tables and ip6_tables
}

// ListForeign lists the rules of the calling thread's network namespace and
// changes nothing. It asks nf_tables only if it may: where its module is not
// loaded there are no rules, and the question would load it.
func ListForeign(ctx context.Context, exec Executor, askNFTables bool) (Foreign, error) {
	var found Foreign
	var errs [3]error
	if askNFTables {
		found.NFTables, errs[0] = exec.NFTables()
	}
	for i, ipv6 := range []bool{false, true} {
		var rules []string
		rules, errs[1+i] = legacyRules(ctx, exec, ipv6)
		found.Legacy = append(found.Legacy, rules...)
	}
	return found, errors.Join(errs[:]...)
}
