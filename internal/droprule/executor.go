package droprule

import (
	"context"
	"fmt"
	"strings"
)

// lockWait is how long iptables may wait for another user's lock, in seconds.
const lockWait = 5

// Executor is all that this package needs of the machine. System is the real one.
type Executor interface {
	// Run runs a command to its end. An exit status other than 0 is not an
	// error of Run; that the command could not be started (MissingError when
	// it is not installed) or did not end by itself is.
	Run(ctx context.Context, argv []string) (Output, error)
	// NFTables names the place of every rule that nf_tables holds in this
	// network namespace, whatever its family and whoever made it.
	NFTables() ([]string, error)
	// LegacyTables names the tables that the older ip_tables (or ip6_tables)
	// has in this network namespace, with rules or without.
	LegacyTables(ipv6 bool) ([]string, error)
}

// Output is what a command left.
type Output struct {
	Status int // exit status
	Stdout string
	Stderr string
}

// MissingError says that a program is not installed.
type MissingError struct{ Program string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is neither in PATH nor in %s", e.Program, strings.Join(sbin, " or "))
}

// Hint says what to do about it.
func (e *MissingError) Hint() string { return "apt-get install iptables (Debian, Ubuntu)" }

// sbin is where iptables lives; an ordinary user's PATH may lack it.
var sbin = []string{"/usr/sbin", "/sbin"}

// CommandError is a command that ended with an exit status other than 0.
type CommandError struct {
	Argv   []string
	Output Output
}

func (e *CommandError) Error() string {
	said := strings.Join(strings.Fields(e.Output.Stderr), " ")
	if said == "" {
		said = "it said nothing"
	}
	return fmt.Sprintf("%s: exit status %d: %s", strings.Join(e.Argv, " "), e.Output.Status, said)
}

// lockStatus is iptables' exit status RESOURCE_PROBLEM: the lock among others.
const lockStatus = 4

// Hint knows the failures that have a cure; "" for others.
func (e *CommandError) Hint() string {
	said := e.Output.Stderr
	switch {
	case e.Output.Status == lockStatus && strings.Contains(said, "holding the xtables lock"):
		return fmt.Sprintf("no rule was changed: another program held the lock for %d s; try again when it is done", lockWait)
	case strings.Contains(said, "you must be root"):
		return "it needs CAP_NET_ADMIN over this network namespace"
	case strings.Contains(said, "insmod"), strings.Contains(said, "missing kernel module"),
		strings.Contains(said, "No chain/target/match by that name"):
		return "the kernel needs xt_statistic, xt_length and xt_tcpudp: as root, modprobe -a xt_statistic xt_length xt_tcpudp, and iptable_filter or nft_compat"
	}
	return ""
}

// run runs a command that must succeed and returns its output.
func run(ctx context.Context, exec Executor, argv []string) (string, error) {
	out, err := exec.Run(ctx, argv)
	if err != nil {
		return "", err
	}
	if out.Status != 0 {
		return "", &CommandError{Argv: argv, Output: out}
	}
	return out.Stdout, nil
}

// Version is which iptables this is.
type Version struct {
	Line    string // as it says itself: iptables v1.8.9 (nf_tables)
	Number  string // 1.8.9
	Backend string // nf_tables or legacy
}

// ReadVersion asks iptables for its version, a MissingError when there is none.
func ReadVersion(ctx context.Context, exec Executor) (Version, error) {
	out, err := run(ctx, exec, []string{"iptables", "-V"})
	if err != nil {
		return Version{}, fmt.Errorf("asking iptables for its version: %w", err)
	}
	return parseVersion(out)
}

// parseVersion knows that before 1.8 there was one backend and no word for it.
func parseVersion(out string) (Version, error) {
	v := Version{Line: strings.TrimSpace(out), Backend: "legacy"}
	f := strings.Fields(out)
	if len(f) < 2 || !strings.HasPrefix(f[1], "v") {
		return Version{}, fmt.Errorf("iptables -V says %q, which has no version; is another program called iptables first in PATH?", v.Line)
	}
	v.Number = strings.TrimPrefix(f[1], "v")
	if len(f) > 2 {
		v.Backend = strings.Trim(f[2], "()")
	}
	return v, nil
}
