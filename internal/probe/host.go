// Package probe reads facts of a machine under a root directory ("/", or a
// test's own). A fact that cannot be had is left empty, never guessed.
package probe

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ccbench/internal/result"
)

// recorded are the sysctls that change what a congestion control does or what
// is measured of it (Documentation/networking/ip-sysctl.rst). Keys that a
// kernel or namespace lacks are left out of the record.
var recorded = []string{
	"net.core.default_qdisc",
	"net.ipv4.tcp_adv_win_scale", "net.ipv4.tcp_autocorking", "net.ipv4.tcp_base_mss",
	"net.ipv4.tcp_congestion_control", "net.ipv4.tcp_dsack", "net.ipv4.tcp_early_retrans",
	"net.ipv4.tcp_ecn", "net.ipv4.tcp_ecn_fallback", "net.ipv4.tcp_frto",
	"net.ipv4.tcp_limit_output_bytes", "net.ipv4.tcp_min_rtt_wlen", "net.ipv4.tcp_min_tso_segs",
	"net.ipv4.tcp_moderate_rcvbuf", "net.ipv4.tcp_mtu_probing", "net.ipv4.tcp_no_metrics_save",
	"net.ipv4.tcp_notsent_lowat", "net.ipv4.tcp_pacing_ca_ratio", "net.ipv4.tcp_pacing_ss_ratio",
	"net.ipv4.tcp_recovery", "net.ipv4.tcp_reordering", "net.ipv4.tcp_rmem", "net.ipv4.tcp_sack",
	"net.ipv4.tcp_slow_start_after_idle", "net.ipv4.tcp_thin_linear_timeouts",
	"net.ipv4.tcp_timestamps", "net.ipv4.tcp_tso_rtt_log", "net.ipv4.tcp_tso_win_divisor",
	"net.ipv4.tcp_window_scaling", "net.ipv4.tcp_wmem",
}

// Host describes the machine as seen from the calling process's namespaces.
func Host(root string) result.Host {
	at := under(root)
	available := strings.Fields(at.text("proc/sys/net/ipv4/tcp_available_congestion_control"))
	return result.Host{
		Hostname:      at.text("proc/sys/kernel/hostname"),
		Kernel:        at.text("proc/sys/kernel/osrelease"),
		KernelVersion: at.text("proc/sys/kernel/version"),
		Machine:       at.machine(),
		BootID:        at.text("proc/sys/kernel/random/boot_id"),
		CPU:           at.cpu(),
		CPUs:          runtime.NumCPU(),
		ClockSource:   at.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		Available:     available,
		Allowed:       strings.Fields(at.text("proc/sys/net/ipv4/tcp_allowed_congestion_control")),
		Modules:       at.modules(available),
		Sysctl:        at.sysctls(),
	}
}

// under is a root directory.
type under string

// text is a file's content without the white space around it; "" when it
// cannot be read.
func (u under) text(path string) string {
	data, err := os.ReadFile(filepath.Join(string(u), path))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// machine is the architecture as uname(2) has it; kernels before 6.1 do not
// show it in a file, and then it is this program's.
func (u under) machine() string {
	if arch := u.text("proc/sys/kernel/arch"); arch != "" {
		return arch
	}
	return map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i686"}[runtime.GOARCH]
}

// cpu is the model name of the first processor (proc_cpuinfo(5)).
func (u under) cpu() string {
	for line := range strings.Lines(u.text("proc/cpuinfo")) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// modules identifies the code behind each congestion control: the module's
// srcversion, or "builtin", and its parameters.
func (u under) modules(algorithms []string) map[string]string {
	found := map[string]string{}
	for _, algorithm := range algorithms {
		name := "tcp_" + algorithm
		id := u.text(filepath.Join("sys/module", name, "srcversion"))
		if id == "" {
			id = "builtin"
		}
		found[name] = strings.Join(append([]string{id}, u.parameters(name)...), " ")
	}
	return found
}

func (u under) parameters(module string) []string {
	dir := filepath.Join("sys/module", module, "parameters")
	entries, err := os.ReadDir(filepath.Join(string(u), dir))
	if err != nil { // most modules have none
		return nil
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name()+"="+u.text(filepath.Join(dir, e.Name())))
	}
	slices.Sort(all)
	return all
}

func (u under) sysctls() map[string]string {
	found := map[string]string{}
	for _, key := range recorded {
		path := filepath.Join("proc/sys", strings.ReplaceAll(key, ".", "/"))
		if value := u.text(path); value != "" {
			found[key] = strings.Join(strings.Fields(value), " ")
		}
	}
	return found
}
