package compare

import (
	"slices"
	"testing"

	"ccbench/internal/result"
)

func TestHostWarnings(t *testing.T) {
	host := func(from int, release, version, module string, roles ...string) *result.Host {
		return &result.Host{Roles: roles, From: from, Kernel: release, Ccbench: version, BootID: release,
			Modules: map[string]string{"tcp_bbr": module, "tcp_vegas": release}}
	}
	header := &result.Header{Ccbench: "1", Arms: []result.Arm{{Name: "b", Kernel: "bbr"}}}
	for name, test := range map[string]struct {
		hosts []*result.Host
		want  []string
	}{
		"one":          {[]*result.Host{host(0, "6.1", "", "A", "sender")}, nil},
		"two ends":     {[]*result.Host{host(0, "6.1", "", "A", "sender"), host(0, "6.2", "", "B", "receiver")}, nil},
		"another boot": {[]*result.Host{host(0, "", "", "A", "sender"), host(4, "", "", "A", "sender")}, nil},
		"another module": {[]*result.Host{host(0, "6.1", "", "A", "sender"), host(4, "6.1", "", "B", "sender")},
			[]string{"trials from 4 on are not of one kind with those before: module tcp_bbr B after A"}},
		"not told before": {[]*result.Host{host(4, "6.1", "", "A", "sender")},
			[]string{"trials from 4 on are of kernel 6.1; of what those before are is not told"}},
		"other roles before": {[]*result.Host{host(0, "6.2", "", "A", "receiver"), host(4, "6.1", "", "A", "sender")},
			[]string{"trials from 4 on are of kernel 6.1; of what those before are is not told"}},
		"twice": {[]*result.Host{host(0, "6.1", "", "A", "sender"), host(4, "6.2", "2", "A", "sender"), host(7, "6.2", "3", "A", "sender")},
			[]string{"trials from 4 on are not of one kind with those before: kernel 6.2 after 6.1; ccbench 2 after 1",
				"trials from 7 on are not of one kind with those before: ccbench 3 after 2"}},
	} {
		if got := hostWarnings(&result.File{Header: header, Hosts: test.hosts}); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
