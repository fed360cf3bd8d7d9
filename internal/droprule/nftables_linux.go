package droprule

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// NFTables dumps the rules of all families by netlink (NFT_MSG_GETRULE,
// include/uapi/linux/netfilter/nf_tables.h) rather than by iptables-nft-save,
// which is silent about tables that nft made. A kernel without nf_tables has none.
func (System) NFTables() ([]string, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_NETFILTER)
	if errors.Is(err, unix.EPROTONOSUPPORT) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening a netfilter netlink socket: %w", err)
	}
	defer unix.Close(fd)
	rules, err := dumpRules(fd)
	if errors.Is(err, unix.EINVAL) { // nfnetlink knows no such subsystem
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the rules of nf_tables: %w", err)
	}
	return rules, nil
}

const (
	getRule = unix.NFNL_SUBSYS_NFTABLES<<8 | unix.NFT_MSG_GETRULE
	// struct nfgenmsg: family, version, resource id.
	sizeofNfgenmsg = 4
	// An attribute's kind without its two flag bits (NLA_TYPE_MASK).
	nlaTypeMask = 0x3fff
)

// dumpRules asks for every rule and reads until the kernel says it is done.
func dumpRules(fd int) ([]string, error) {
	timeout := unix.Timeval{Sec: 5}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		return nil, err
	}
	if err := unix.Sendto(fd, dumpRequest(), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	var rules []string
	buf := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if errors.Is(err, unix.EINTR) { // the runtime's signals; a socket with a timeout is not restarted
			continue
		}
		if err != nil {
			return nil, err
		}
		more, done, err := parseRules(buf[:n])
		rules = append(rules, more...)
		if done || err != nil {
			return rules, err
		}
	}
}

// dumpRequest is a netlink header and an nfgenmsg of family "any" (all zero).
func dumpRequest() []byte {
	const length = unix.SizeofNlMsghdr + sizeofNfgenmsg
	req := make([]byte, length)
	binary.NativeEndian.PutUint32(req[0:], length)
	binary.NativeEndian.PutUint16(req[4:], getRule)
	binary.NativeEndian.PutUint16(req[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	return req
}

// parseRules reads one datagram of the dump.
func parseRules(datagram []byte) (rules []string, done bool, err error) {
	messages, err := syscall.ParseNetlinkMessage(datagram)
	if err != nil {
		return nil, false, err
	}
	for _, m := range messages {
		switch {
		case m.Header.Flags&unix.NLM_F_DUMP_INTR != 0:
			return nil, false, errors.New("the rules changed while they were listed")
		case m.Header.Type == unix.NLMSG_DONE:
			return rules, true, nil
		case m.Header.Type == unix.NLMSG_ERROR:
			return nil, false, netlinkError(m.Data)
		case len(m.Data) >= sizeofNfgenmsg:
			rules = append(rules, place(m.Data))
		}
	}
	return rules, false, nil
}

// netlinkError reads the negative errno that an error message starts with.
func netlinkError(data []byte) error {
	if len(data) < 4 {
		return errors.New("the kernel sent an error without a number")
	}
	return unix.Errno(-int32(binary.NativeEndian.Uint32(data)))
}

// place names family, table and chain of a rule message.
func place(data []byte) string {
	family := data[0]
	attrs := data[sizeofNfgenmsg:]
	return fmt.Sprintf("nf_tables %s %s %s", familyName(family),
		attribute(attrs, unix.NFTA_RULE_TABLE), attribute(attrs, unix.NFTA_RULE_CHAIN))
}

func familyName(family uint8) string {
	names := map[uint8]string{unix.NFPROTO_INET: "inet", unix.NFPROTO_IPV4: "ip", unix.NFPROTO_ARP: "arp",
		unix.NFPROTO_NETDEV: "netdev", unix.NFPROTO_BRIDGE: "bridge", unix.NFPROTO_IPV6: "ip6"}
	if name, ok := names[family]; ok {
		return name
	}
	return fmt.Sprintf("family %d", family)
}

// attribute is the text of the first attribute of a kind, "?" when there is none.
func attribute(attrs []byte, kind uint16) string {
	for len(attrs) >= unix.SizeofNlAttr {
		length := int(binary.NativeEndian.Uint16(attrs))
		if length < unix.SizeofNlAttr || length > len(attrs) {
			break
		}
		if binary.NativeEndian.Uint16(attrs[2:])&nlaTypeMask == kind {
			return string(bytes.TrimRight(attrs[unix.SizeofNlAttr:length], "\x00"))
		}
		attrs = attrs[min(len(attrs), (length+3)&^3):]
	}
	return "?"
}
