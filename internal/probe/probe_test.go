package probe

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// machine lays out a root directory from path and content.
func machine(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, content := range files {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestHost(t *testing.T) {
	host := Host(machine(t, map[string]string{
		"proc/sys/kernel/arch":      "riscv64\n",
		"proc/sys/kernel/osrelease": "6.18.0\n",
		"proc/cpuinfo":              "processor\t: 0\nmodel name\t: A CPU\n\nprocessor\t: 1\nmodel name\t: B\n",
		"proc/sys/net/ipv4/tcp_available_congestion_control":  "reno cubic\n",
		"proc/sys/net/ipv4/tcp_rmem":                          "4096\t131072\t6291456\n",
		"sys/module/tcp_cubic/srcversion":                     "ABC\n",
		"sys/module/tcp_cubic/parameters/hystart":             "1\n",
		"sys/module/tcp_cubic/parameters/beta":                "717\n",
		"proc/sys/net/ipv4/tcp_a_setting_nobody_has_heard_of": "1\n",
	}))
	if host.Machine != "riscv64" || Host(machine(t, nil)).Machine == "" {
		t.Errorf("machine %q", host.Machine)
	}
	if host.Kernel != "6.18.0" || host.CPU != "A CPU" || host.ClockSource != "" {
		t.Errorf("got kernel %q, cpu %q, clock %q", host.Kernel, host.CPU, host.ClockSource)
	}
	wantModules := map[string]string{"tcp_reno": "builtin", "tcp_cubic": "ABC beta=717 hystart=1"}
	if !maps.Equal(host.Modules, wantModules) {
		t.Errorf("modules: got %v, want %v", host.Modules, wantModules)
	}
	wantSysctl := map[string]string{"net.ipv4.tcp_rmem": "4096 131072 6291456"}
	if !maps.Equal(host.Sysctl, wantSysctl) {
		t.Errorf("sysctls: got %v, want %v", host.Sysctl, wantSysctl)
	}
	if !slices.Equal(host.Available, []string{"reno", "cubic"}) || len(host.Allowed) != 0 {
		t.Errorf("got available %v, allowed %v", host.Available, host.Allowed)
	}
}

func TestUserNamespaces(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"user.max_user_namespaces is 0":         {"proc/sys/user/max_user_namespaces": "0\n"},
		"user.max_net_namespaces is 0":          {"proc/sys/user/max_net_namespaces": "0\n"},
		"kernel.unprivileged_userns_clone is 0": {"proc/sys/kernel/unprivileged_userns_clone": "0\n"},
		"AppArmor restricts them (kernel.apparmor_restrict_unprivileged_userns is 1)": {
			"proc/sys/user/max_user_namespaces": "9\n", "proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"},
		"": {"proc/sys/user/max_user_namespaces": "9\n", "proc/sys/kernel/unprivileged_userns_clone": "1\n"},
	} {
		reason, cure := UserNamespaces(machine(t, files))
		if reason != name || (cure == "") != (name == "") {
			t.Errorf("with %v: got %q, cure %q; want %q", files, reason, cure, name)
		}
	}
}
