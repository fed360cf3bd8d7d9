package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Kernel names the running kernel.
func Kernel(root string) Fact {
	const name = "kernel"
	at := under(root)
	release := at.text("proc/sys/kernel/osrelease")
	if release == "" {
		return unknown(name, Info, "not told", "/proc/sys/kernel/osrelease cannot be read")
	}
	return yes(name, Info, fmt.Sprintf("%s %s, %s", release, at.machine(), at.text("proc/sys/kernel/version")))
}

// MPTCP says that it is out of the way, whatever the machine does with it.
func MPTCP(root string) Fact {
	const name = "mptcp"
	text, err := os.ReadFile(filepath.Join(root, "proc/sys/net/mptcp/enabled"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return yes(name, Info, "not in this kernel")
	case err != nil:
		return unknown(name, Info, "not told", err.Error())
	case len(text) > 0 && text[0] == '0':
		return yes(name, Info, "off")
	}
	return yes(name, Info, "on for this machine; ccbench switches it off in its own namespaces")
}

// ForeignRules counts the firewall rules of the machine's own network
// namespace: of nf_tables and of ip_tables. err is why they could not be counted.
func ForeignRules(nftables, legacy int, err error) Fact {
	const name, apart = "foreign_rules", "they do not apply in ccbench's own namespaces"
	if err != nil {
		return unknown(name, Info, apart, err.Error())
	}
	return yes(name, Info, fmt.Sprintf("%d of nf_tables, %d of ip_tables; %s", nftables, legacy, apart))
}
