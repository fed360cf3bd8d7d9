package droprule

import (
	"slices"
	"strings"
	"testing"
)

func TestListForeign(t *testing.T) {
	f := &fake{
		nft: []string{"nf_tables inet filter input"}, legacy: []string{"filter"},
		saved: "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j DROP\nCOMMIT\n",
	}
	found, err := ListForeign(t.Context(), f, true)
	if err != nil || len(found.NFTables) != 1 || !slices.Equal(found.Legacy, []string{
		"iptables-legacy -A INPUT -j DROP", "ip6tables-legacy -A INPUT -j DROP",
	}) {
		t.Errorf("got %+v, %v", found, err)
	}
	if !slices.Equal(f.ran, []string{"iptables-legacy-save", "ip6tables-legacy-save"}) {
		t.Errorf("it ran %q, want the two that list", f.ran)
	}
}

// What is not loaded is not asked: the question would load it.
func TestListForeignLoadsNothing(t *testing.T) {
	f := &fake{nft: []string{"the kernel was asked"}}
	found, err := ListForeign(t.Context(), f, false)
	if err != nil || len(found.NFTables)+len(found.Legacy) > 0 || len(f.ran) > 0 {
		t.Errorf("got %+v, %v, and it ran %s", found, err, strings.Join(f.ran, "; "))
	}
}
