package agent

import (
	"maps"
	"testing"
)

func TestNetstatParse(t *testing.T) {
	n := netstat{}
	err := n.parse("Tcp: RtoMin MaxConn RetransSegs\nTcp: 200 -1 7\nTcpExt: TCPTimeouts\nTcpExt: 2\n")
	if err != nil {
		t.Fatal(err)
	}
	want := netstat{"TcpRtoMin": 200, "TcpMaxConn": -1, "TcpRetransSegs": 7, "TcpExtTCPTimeouts": 2}
	if !maps.Equal(n, want) {
		t.Errorf("got %v, want %v", n, want)
	}
}

func TestNetstatParseRefuses(t *testing.T) {
	for _, text := range []string{
		"Tcp: A\n", "Tcp: A B\nTcp: 1\n", "Tcp: A\nUdp: 1\n", "Tcp: A\nTcp: x\n", "\n\n\n",
	} {
		if err := (netstat{}).parse(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestNetstatSince(t *testing.T) {
	now := netstat{"TcpRetransSegs": 9, "TcpInSegs": 4, "TcpCurrEstab": 1, "TcpExtNew": 3}
	got := now.since(netstat{"TcpRetransSegs": 7, "TcpInSegs": 4})
	want := map[string]int64{"TcpRetransSegs": 2, "TcpExtNew": 3}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
