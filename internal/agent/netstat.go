package agent

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// stackCounters are the files with the stack's counters; both follow the
// reader's network namespace (proc_net_snmp(5), Documentation/networking/snmp_counter.rst).
var stackCounters = []string{"/proc/net/snmp", "/proc/net/netstat"}

// netstat is a reading of the stack's counters by name, e.g. TcpExtTCPTimeouts.
type netstat map[string]int64

func readNetstat() (netstat, error) {
	all := netstat{}
	for _, path := range stackCounters {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading the stack's counters: %w", err)
		}
		if err := all.parse(string(text)); err != nil {
			return nil, fmt.Errorf("reading the stack's counters: %s: %w", path, err)
		}
	}
	return all, nil
}

// parse reads pairs of lines, names and values, each beginning with a group.
func (n netstat) parse(text string) error {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines)%2 != 0 {
		return fmt.Errorf("%d lines, not pairs of names and values", len(lines))
	}
	for i := 0; i < len(lines); i += 2 {
		names, values := strings.Fields(lines[i]), strings.Fields(lines[i+1])
		if len(names) == 0 || len(names) != len(values) || names[0] != values[0] {
			return fmt.Errorf("line %d has other fields than line %d", i+2, i+1)
		}
		group := strings.TrimSuffix(names[0], ":")
		for j := 1; j < len(names); j++ {
			value, err := strconv.ParseInt(values[j], 10, 64)
			if err != nil {
				return fmt.Errorf("line %d: %w", i+2, err)
			}
			n[group+names[j]] = value
		}
	}
	return nil
}

// settings are among the counters but count nothing.
var settings = map[string]bool{
	"IpForwarding": true, "IpDefaultTTL": true, "TcpRtoAlgorithm": true, "TcpRtoMin": true,
	"TcpRtoMax": true, "TcpMaxConn": true, "TcpCurrEstab": true,
}

// since returns what has moved since an earlier reading.
func (n netstat) since(before netstat) map[string]int64 {
	moved := map[string]int64{}
	for name, value := range n {
		if difference := value - before[name]; difference != 0 && !settings[name] {
			moved[name] = difference
		}
	}
	return moved
}
