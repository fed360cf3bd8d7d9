package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"ccbench/internal/unit"
)

// owned are the keys whose value is no one's choice, and why.
var owned = map[string]string{
	"net.ipv4.tcp_congestion_control": "the algorithm is set on each socket; name it in algorithms, or as the algorithm of an arm",
	"net.ipv4.tcp_no_metrics_save":    "ccbench sets it to 1: what one trial leaves in the route's metrics would seed the next; leave it out",
	"net.mptcp.enabled":               "ccbench sets it to 0: with several subflows no one algorithm is in charge; leave it out",
}

// scopes are the parts of /proc/sys that a network namespace has for itself.
var scopes = []string{"net.ipv4.", "net.ipv6.", "net.core.", "net.mptcp.", "net.netfilter."}

// ownCore are the keys that a network namespace has of its own in net.core and
// can write (netns_core_table in the kernel's net/core/sysctl_net_core.c, and
// net/xfrm/xfrm_sysctl.c); bypass_prot_mem and txq_reselection_ms are newer
// than Linux 6.18.
var ownCore = []string{
	"bypass_prot_mem", "optmem_max", "rps_default_mask", "somaxconn", "tstamp_allow_data", "txq_reselection_ms",
	"txrehash", "xfrm_acq_expires", "xfrm_aevent_etime", "xfrm_aevent_rseqth", "xfrm_larval_drop",
}

// machine are keys elsewhere that a network namespace lacks, or can only read.
var machine = []string{
	"net.ipv4.inet_peer_maxttl", "net.ipv4.inet_peer_minttl", "net.ipv4.inet_peer_threshold",
	"net.ipv4.tcp_allowed_congestion_control", "net.ipv4.tcp_low_latency", "net.ipv4.tcp_max_orphans",
	"net.ipv4.tcp_mem", "net.ipv4.udp_mem", "net.netfilter.nf_conntrack_buckets",
	"net.netfilter.nf_conntrack_expect_max", "net.netfilter.nf_conntrack_max", "net.netfilter.nf_log_all_netns",
}

// sysctl reads a mapping of dotted keys to values. Values stay as written.
func (d *decoder) sysctl(n *yaml.Node, path string) map[string]string {
	if n.Kind != yaml.MappingNode {
		d.report(n, path, "is "+kindName(n)+"; it must be a mapping such as {net.ipv4.tcp_ecn: 1}")
		return nil
	}
	values := map[string]string{}
	for k, v := range pairs(n) {
		if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" || v.Kind == yaml.AliasNode {
			continue // reported by checkTree
		}
		key := join(path, k.Value)
		if d.open.has(key) {
			continue
		}
		if problem := sysctlKey(k.Value); problem != "" {
			d.report(k, key, problem)
		}
		value, err := single(v, sysctlValue)
		if err != nil {
			d.report(v, key, err.Error()+d.toVary(key, v))
		}
		values[k.Value] = value
	}
	return values
}

// RefusesSysctl says whether no experiment may set a key, whatever its value.
func RefusesSysctl(key string) bool { return sysctlKey(key) != "" }

// sysctlKey says what is wrong with a key, "" if nothing is.
func sysctlKey(key string) string {
	if why, found := owned[key]; found {
		return why
	}
	inScope := slices.ContainsFunc(scopes, func(s string) bool { return strings.HasPrefix(key, s) })
	switch {
	case strings.Trim(key, lower+decimal+"._-") != "":
		return "not a sysctl key; allowed: a-z 0-9 _ - and dots, such as net.ipv4.tcp_ecn"
	case strings.Contains(key, "..") || strings.HasSuffix(key, "."):
		return "not a sysctl key: a part of it is empty; write it as net.ipv4.tcp_ecn"
	case !inScope || len(key) > 128:
		return "not a key of a network namespace; allowed: those that begin with " + list(scopes)
	}
	return machineKey(key)
}

// machineKey says of a key that no namespace can set, "" of any other.
func machineKey(key string) string {
	const not = "not a setting of a network namespace"
	if slices.Contains(machine, key) {
		return not + ": it is the whole machine's"
	}
	name, core := strings.CutPrefix(key, "net.core.")
	if !core || slices.Contains(ownCore, name) {
		return ""
	}
	return not + hint(name, ownCore) + ": net.core is the whole machine's, except for " + list(ownCore)
}

func sysctlValue(n *yaml.Node) (string, error) {
	v := strings.TrimSpace(n.Value)
	switch {
	case v == "" || isNull(n):
		return "", fmt.Errorf("has no value; write one, or leave the key out")
	case len(v) > 256 || strings.ContainsFunc(v, isControl):
		return "", fmt.Errorf("%s is not a sysctl value; allowed: one line of up to 256 characters", unit.Quote(v))
	case n.Tag == "!!bool":
		return "", fmt.Errorf("%s is a YAML truth value; write 0 or 1", v)
	case isPlain(n) && n.Tag == "!!int" && !isDecimal(v):
		return "", fmt.Errorf("%s can be read as several numbers; write it in decimal", unit.Quote(v))
	}
	return v, nil
}

// SysctlOf is what is set for an arm under c: c's own sysctls, and over them
// the arm's. It is never nil.
func (c *Condition) SysctlOf(a Arm) map[string]string {
	all := map[string]string{}
	maps.Copy(all, c.Sysctl)
	maps.Copy(all, a.Sysctl)
	return all
}

// sameSysctl says whether settings are the same to the kernel, which splits
// values at any blanks and takes 0x10 and 020 for 16.
func sameSysctl(a, b map[string]string) bool {
	sameWord := func(v, w string) bool {
		n, err := strconv.ParseInt(v, 0, 64)
		m, otherErr := strconv.ParseInt(w, 0, 64)
		return v == w || err == nil && otherErr == nil && n == m
	}
	return maps.EqualFunc(a, b, func(v, w string) bool {
		return slices.EqualFunc(strings.Fields(v), strings.Fields(w), sameWord)
	})
}
