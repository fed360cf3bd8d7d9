// Package droprule drops data packets of one TCP port at their receiver by a
// firewall rule, counts what the rule saw and did, and takes it away again. It
// works by iptables (either backend) in the network namespace of the calling
// thread.
//
// A rule is a chain of its own, jumped to from the first place of INPUT, with
// three rules: one counts the flow's data packets, one counts those longer
// than the path's MTU (super-packets, which would make one drop count for many
// segments), and one drops. INPUT and not the sender's OUTPUT, because there
// the stack is told of the drop and no loss happens.
//
// A data packet is told from the rest by its length alone. With the headers
// Linux sends, a packet without payload has at most 60 bytes in IPv4 (a SYN:
// 20 of IP, 20 of TCP, 20 of options) and 80 in IPv6; a later ACK or FIN has
// 52 and 72. So what is longer carries payload. The reverse fails only for the
// last few bytes of a stream: a segment of less than 9 bytes is not counted.
//
// In a chain of iptables a rule without a target only counts.
package droprule

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
)

// The modes of a rule, as iptables' statistic match calls them.
const (
	Nth    = "nth"    // one in every so many, counted exactly
	Random = "random" // each with the same probability; cannot be seeded
)

// chainPrefix marks a chain as ours, so that one left behind can be found.
// With it a tag has room for what iptables allows in a chain's name: 28 bytes
// (XT_EXTENSION_MAXNAMELEN less the NUL).
const (
	chainPrefix = "ccbench-"
	maxTag      = 28 - len(chainPrefix)
)

// maxLength is the longest packet the length match can name.
const maxLength = 65535

// Rule says which data packets are dropped.
type Rule struct {
	Mode        string     // Nth or Random
	Every       int        // Nth: one in so many, at least 2
	First       int        // Nth: 1-based ordinal of the first dropped data packet, at most Every
	Probability float64    // Random: between 0 and 1, resolved by the kernel to 2^-31
	Source      netip.Addr // the sender
	Destination netip.Addr // the receiver, of the same IP version
	Port        int        // the receiver's TCP port
	MTU         int        // of the path, in bytes of IP
	Tag         string     // names the chain: 1 to 20 of a-z A-Z 0-9 - _
}

// Validate reports all that is wrong with the rule, nil when nothing is.
func (r Rule) Validate() error {
	return errors.Join(r.checkMode(), r.checkAddresses(), r.checkMTU(), r.checkTag())
}

func (r Rule) checkMode() error {
	switch r.Mode {
	case Nth:
		return r.checkNth()
	case Random:
		if t := threshold(r.Probability); t < 1 || t >= 1<<31 {
			return fmt.Errorf("drop rule: the probability is %v; it must be more than 0 (at least 2^-31) and less than 1", r.Probability)
		}
		return nil
	}
	return fmt.Errorf("drop rule: the mode is %q; it must be %q or %q", r.Mode, Nth, Random)
}

func (r Rule) checkNth() error {
	if r.Every < 2 || r.Every > math.MaxInt32 {
		return fmt.Errorf("drop rule: every is %d; it must be at least 2 and fit 31 bits", r.Every)
	}
	if r.First < 1 || r.First > r.Every {
		return fmt.Errorf("drop rule: first is %d; it counts from 1 and must be at most every, %d", r.First, r.Every)
	}
	return nil
}

func (r Rule) checkAddresses() error {
	for _, a := range []netip.Addr{r.Source, r.Destination} {
		if !a.IsValid() || a.Is4In6() || a.Zone() != "" || a.IsUnspecified() || a.IsMulticast() {
			return fmt.Errorf("drop rule: %v is not a plain IPv4 or IPv6 address of one host", a)
		}
	}
	if r.Source.Is4() != r.Destination.Is4() {
		return fmt.Errorf("drop rule: %v and %v are not of one IP version", r.Source, r.Destination)
	}
	if r.Port < 1 || r.Port > 65535 {
		return fmt.Errorf("drop rule: the port is %d; it must be from 1 to 65535", r.Port)
	}
	return nil
}

// checkMTU keeps the rule for over-long packets expressible (it names MTU+1)
// and apart from the bound of data packets.
func (r Rule) checkMTU() error {
	if r.MTU <= r.minData() || r.MTU >= maxLength {
		return fmt.Errorf("drop rule: the MTU is %d; it must be more than %d and less than %d", r.MTU, r.minData(), maxLength)
	}
	return nil
}

func (r Rule) checkTag() error {
	outside := strings.Trim(r.Tag, tagChars) // what a tag may not have, and all between
	if r.Tag == "" || len(r.Tag) > maxTag || outside != "" {
		return fmt.Errorf("drop rule: the tag is %q; it must have 1 to %d letters, digits, - or _", r.Tag, maxTag)
	}
	return nil
}

// tagChars need no quoting in a shell.
const tagChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// Chain is the name of the rule's chain, at most 28 bytes.
func (r Rule) Chain() string { return chainPrefix + r.Tag }

// ShellLines are the commands that install the rule, in their order, as lines
// for a shell. No word of them needs quoting.
func (r Rule) ShellLines() []string {
	steps := r.steps()
	lines := make([]string, len(steps))
	for i, s := range steps {
		lines[i] = strings.Join(s.do, " ")
	}
	return lines
}

// step is one command and the one that undoes it; nil where an earlier step's
// undoing covers it.
type step struct{ do, undo []string }

// steps builds the chain to its end before anything is sent through it.
func (r Rule) steps() []step {
	chain := r.Chain()
	steps := []step{{do: r.command("-N", chain), undo: r.command("-X", chain)}}
	for i, spec := range r.specs() {
		s := step{do: r.command(append([]string{"-A", chain}, spec...)...)}
		if i == 0 {
			s.undo = r.command("-F", chain)
		}
		steps = append(steps, s)
	}
	return append(steps, step{
		do:   r.command(append([]string{"-I", "INPUT", "1"}, r.jump()...)...),
		undo: r.command(append([]string{"-D", "INPUT"}, r.jump()...)...),
	})
}

// command prepends the tool of the rule's IP version and a bounded wait for
// the lock that all users of ip_tables share.
func (r Rule) command(args ...string) []string {
	return append([]string{r.tool(), "-w", strconv.Itoa(lockWait)}, args...)
}

func (r Rule) tool() string { return tool(r.Destination.Is6()) }

func tool(ipv6 bool) string {
	if ipv6 {
		return "ip6tables"
	}
	return "iptables"
}

// jump is written as iptables lists it back, so that it can be compared.
func (r Rule) jump() []string {
	bits := "/" + strconv.Itoa(r.Destination.BitLen())
	return []string{"-s", r.Source.String() + bits, "-d", r.Destination.String() + bits,
		"-p", "tcp", "-m", "tcp", "--dport", strconv.Itoa(r.Port), "-j", r.Chain()}
}

// specs are the chain's rules; Read takes their counters in this order. A rule
// without a target counts and goes on.
func (r Rule) specs() [][]string {
	data := longerThan(r.minData() - 1)
	drop := append(longerThan(r.minData()-1), r.statistic()...)
	return [][]string{data, longerThan(r.MTU), append(drop, "-j", "DROP")}
}

func longerThan(bytes int) []string {
	return []string{"-m", "length", "--length", fmt.Sprintf("%d:%d", bytes+1, maxLength)}
}

// minData is the length of the shortest packet taken for data, in bytes of IP:
// one more than the longest SYN. See the package comment.
func (r Rule) minData() int {
	if r.Destination.Is6() {
		return 81
	}
	return 61
}

// statistic always gives both --every and --packet: some versions of iptables
// refuse the one without the other. --packet is how many packets pass before
// the first match (net/netfilter/xt_statistic.c counts up from every-1-packet
// and matches as it wraps at every-1), so it is the 1-based ordinal less one.
func (r Rule) statistic() []string {
	if r.Mode == Random {
		p := strconv.FormatFloat(r.Probability, 'f', -1, 64)
		return []string{"-m", "statistic", "--mode", Random, "--probability", p}
	}
	return []string{"-m", "statistic", "--mode", Nth,
		"--every", strconv.Itoa(r.Every), "--packet", strconv.Itoa(r.First - 1)}
}

// threshold is a probability as the kernel keeps it: the share of 2^31. It is
// -1 for what is not a number.
func threshold(p float64) int64 {
	if math.IsNaN(p) || math.Abs(p) > 1 {
		return -1
	}
	return int64(math.Round(p * (1 << 31)))
}
