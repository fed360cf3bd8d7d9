package droprule

import (
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// valid is a rule that tests change in one place.
func valid() Rule {
	return Rule{Mode: Nth, Every: 100, First: 4, MTU: 1500, Port: 5001, Tag: "r1t7",
		Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.2")}
}

func TestShellLines(t *testing.T) {
	check := func(r Rule, want string) {
		t.Helper()
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.ShellLines(), "\n"); got != strings.TrimSpace(want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	check(valid(), `
iptables -w 5 -N ccbench-r1t7
iptables -w 5 -A ccbench-r1t7 -m length --length 61:65535
iptables -w 5 -A ccbench-r1t7 -m length --length 1501:65535
iptables -w 5 -A ccbench-r1t7 -m length --length 61:65535 -m statistic --mode nth --every 100 --packet 3 -j DROP
iptables -w 5 -I INPUT 1 -s 10.0.0.1/32 -d 10.0.0.2/32 -p tcp -m tcp --dport 5001 -j ccbench-r1t7`)

	r := valid()
	r.Mode, r.Probability, r.Every, r.First = Random, 1e-7, 0, 0
	r.Source, r.Destination = netip.MustParseAddr("fd00::1"), netip.MustParseAddr("fd00::2")
	check(r, `
ip6tables -w 5 -N ccbench-r1t7
ip6tables -w 5 -A ccbench-r1t7 -m length --length 81:65535
ip6tables -w 5 -A ccbench-r1t7 -m length --length 1501:65535
ip6tables -w 5 -A ccbench-r1t7 -m length --length 81:65535 -m statistic --mode random --probability 0.0000001 -j DROP
ip6tables -w 5 -I INPUT 1 -s fd00::1/128 -d fd00::2/128 -p tcp -m tcp --dport 5001 -j ccbench-r1t7`)
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Rule)
		want   string // in the error; "": no error
	}{
		{"as it is", func(*Rule) {}, ""},
		{"smallest", func(r *Rule) { r.Every, r.First = 2, 1 }, ""},
		{"last phase", func(r *Rule) { r.First = 100 }, ""},
		{"longest tag", func(r *Rule) { r.Tag = strings.Repeat("a", 20) }, ""},
		{"random", func(r *Rule) { r.Mode, r.Probability = Random, 0.01 }, ""},
		{"every 1", func(r *Rule) { r.Every, r.First = 1, 1 }, "every is 1"},
		{"every too large", func(r *Rule) { r.Every = math.MaxInt32 + 1 }, "every is"},
		{"first 0", func(r *Rule) { r.First = 0 }, "first is 0"},
		{"first past every", func(r *Rule) { r.First = 101 }, "first is 101"},
		{"no mode", func(r *Rule) { r.Mode = "" }, `mode is ""`},
		{"probability 0", func(r *Rule) { r.Mode = Random }, "probability is 0"},
		{"probability 1", func(r *Rule) { r.Mode, r.Probability = Random, 1 }, "probability is 1"},
		{"probability NaN", func(r *Rule) { r.Mode, r.Probability = Random, math.NaN() }, "probability is NaN"},
		{"probability below the kernel's step", func(r *Rule) { r.Mode, r.Probability = Random, 1e-10 }, "2^-31"},
		{"no source", func(r *Rule) { r.Source = netip.Addr{} }, "invalid IP"},
		{"mixed", func(r *Rule) { r.Source = netip.MustParseAddr("fd00::1") }, "one IP version"},
		{"mapped", func(r *Rule) { r.Source = netip.MustParseAddr("::ffff:10.0.0.1") }, "not a plain"},
		{"zone", func(r *Rule) { r.Source = netip.MustParseAddr("fe80::1%eth0") }, "not a plain"},
		{"any", func(r *Rule) { r.Source = netip.MustParseAddr("0.0.0.0") }, "not a plain"},
		{"no port", func(r *Rule) { r.Port = 0 }, "port is 0"},
		{"port too large", func(r *Rule) { r.Port = 65536 }, "port is 65536"},
		{"MTU within the headers", func(r *Rule) { r.MTU = 61 }, "MTU is 61"},
		{"MTU too large", func(r *Rule) { r.MTU = 65535 }, "MTU is 65535"},
		{"no tag", func(r *Rule) { r.Tag = "" }, `tag is ""`},
		{"tag too long", func(r *Rule) { r.Tag = strings.Repeat("a", 21) }, "1 to 20"},
		{"tag with a space inside", func(r *Rule) { r.Tag = "a b" }, "tag is"},
		{"two at once", func(r *Rule) { r.Port, r.Tag = 0, "" }, "port is 0; it must be from 1 to 65535\ndrop rule: the tag"},
	} {
		r := valid()
		c.change(&r)
		err := r.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
	}
	r := valid()
	r.Tag = strings.Repeat("x", 20)
	if n := len(r.Chain()); n != 28 {
		t.Errorf("the longest chain name has %d bytes, want the 28 that iptables takes", n)
	}
}

func TestSameRule(t *testing.T) {
	check := func(want, got string, same bool) {
		t.Helper()
		if sameRule(want, got) != same {
			t.Errorf("%q and %q: got %v, want %v", want, got, !same, same)
		}
	}
	check("-A c --probability 0.01 -j DROP", "-A c --probability 0.00999999978 -j DROP", true)
	check("-A c --probability 0.01 -j DROP", "-A c --probability 0.01000000118 -j DROP", false)
	check("-A c --probability 0.01 -j DROP", "-A c --probability 0.01 -j DROP -c", false)
	check("-A c --every 100", "-A c --every 100", true)
	check("-A c --every 100", "-A c --every 100.0", false)
}

// listed is what iptables 1.8.9 printed for -v -S, either backend.
const listed = `-N ccbench-r1t7
-A ccbench-r1t7 -m length --length 61:65535 -c 315404 473106000
-A ccbench-r1t7 -m length --length 1501:65535 -c 2 65000
-A ccbench-r1t7 -m length --length 61:65535 -m statistic --mode nth --every 100 --packet 3 -c 3155 4732500 -j DROP
`

func TestParseCounts(t *testing.T) {
	got, err := valid().parseCounts(listed)
	if want := []int64{315404, 2, 3155}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and error %v, want %v", got, err, want)
	}
	check := func(name, listing, want string) {
		t.Helper()
		if _, err := valid().parseCounts(listing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", name, err, want)
		}
	}
	check("nothing", "", "somebody changed it")
	check("another phase", strings.Replace(listed, "--packet 3", "--packet 4", 1), "somebody changed it")
	check("one rule more", listed+"-A ccbench-r1t7 -c 0 0 -j ACCEPT\n", "somebody changed it")
	check("no counters", strings.Replace(listed, " -c 2 65000", "", 1), "no counters")
	check("cut off", "-A ccbench-r1t7 -c 5", "no counters")
	check("no number", strings.Replace(listed, "315404", "315K", 1), "no numbers")
}

func TestParseVersion(t *testing.T) {
	check := func(line, number, backend string) {
		t.Helper()
		v, err := parseVersion(line + "\n")
		if want := (Version{Line: line, Number: number, Backend: backend}); err != nil || v != want {
			t.Errorf("got %+v and error %v, want %+v", v, err, want)
		}
	}
	check("iptables v1.8.9 (nf_tables)", "1.8.9", "nf_tables")
	check("iptables v1.8.7 (legacy)", "1.8.7", "legacy")
	check("iptables v1.6.1", "1.6.1", "legacy")
	for _, line := range []string{"", "iptables", "BusyBox says hello"} {
		if v, err := parseVersion(line); err == nil {
			t.Errorf("%q: got %+v, want an error", line, v)
		}
	}
}

func TestCommandErrorAdvises(t *testing.T) {
	check := func(status int, stderr, want string) {
		t.Helper()
		err := &CommandError{Argv: []string{"iptables", "-w", "5", "-N", "c"}, Output: Output{Status: status, Stderr: stderr}}
		if !strings.Contains(err.Hint(), want) || !strings.HasPrefix(err.Error(), "iptables -w 5 -N c: exit status ") {
			t.Errorf("got %q with hint %q, want %q in it", err, err.Hint(), want)
		}
	}
	check(4, "Another app is currently holding the xtables lock. Stopped waiting after 5s.\n", "no rule was changed")
	check(4, "iptables v1.8.9 (nf_tables): Could not fetch rule set generation id: Permission denied (you must be root)", "CAP_NET_ADMIN")
	check(3, "can't initialize iptables table `filter': Table does not exist (do you need to insmod?)", "modprobe")
	check(1, "", "")
	if err := (&CommandError{Argv: []string{"iptables"}}).Error(); !strings.Contains(err, "it said nothing") {
		t.Errorf("got %q", err)
	}
}
