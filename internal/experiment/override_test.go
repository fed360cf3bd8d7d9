package experiment

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample is what the overrides of the tests below are set over.
const sample = `version: 1
algorithms: [newreno, cubic]
repetitions: 3
path:
  engine: userspace
  rate: 10mbit
drop: {mode: nth, every: 100}
sysctl: {net.ipv4.tcp_ecn: 1}
`

func TestOverrides(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want string // a file that means the same
	}{
		{[]string{"seed=7"}, sample + "seed: 7\n"},
		{[]string{"repetitions=5"}, strings.Replace(sample, "repetitions: 3", "repetitions: 5", 1)},
		{[]string{"path.rate=20mbit"}, strings.Replace(sample, "10mbit", "20mbit", 1)},
		{[]string{"path.rtt=10ms", "path.buffer=20pkt"}, strings.Replace(sample, "10mbit", "10mbit\n  rtt: 10ms\n  buffer: 20pkt", 1)},
		{[]string{"path={engine: direct}", "path.mtu=9000"}, strings.Replace(sample, "userspace\n  rate: 10mbit", "direct\n  mtu: 9000", 1)},
		{[]string{"path=engine: direct"}, strings.Replace(sample, "userspace\n  rate: 10mbit", "direct", 1)},
		{[]string{"drop.every=50", "drop.first=7"}, strings.Replace(sample, "every: 100", "every: 50, first: 7", 1)},
		{[]string{"drop={mode: random, probability: 1%}"}, strings.Replace(sample, "mode: nth, every: 100", "mode: random, probability: 1%", 1)},
		{[]string{"algorithms=[reno,cubic]"}, strings.Replace(sample, "newreno", "reno", 1)},
		{[]string{"sysctl.net.ipv4.tcp_ecn=0"}, strings.Replace(sample, "tcp_ecn: 1", "tcp_ecn: 0", 1)},
		{[]string{"sysctl.net.ipv4.tcp_sack=0"}, strings.Replace(sample, "tcp_ecn: 1", "tcp_ecn: 1, net.ipv4.tcp_sack: 0", 1)},
		{[]string{"sysctl={net.ipv4.tcp_sack: 0}"}, strings.Replace(sample, "tcp_ecn: 1", "tcp_sack: 0", 1)},
		{[]string{"sysctl.net.ipv4.tcp_rmem=1 2 3"}, strings.Replace(sample, "tcp_ecn: 1", "tcp_ecn: 1, net.ipv4.tcp_rmem: 1 2 3", 1)},
		{[]string{"description=a = b"}, sample + "description: a = b\n"},
		{[]string{"name='2024'"}, sample + "name: '2024'\n"},
		{[]string{"seed=7 # lucky"}, sample + "seed: 7\n"},
	} {
		got, err := Parse("x.yaml", []byte(sample), c.set...)
		if err != nil {
			t.Errorf("%q: %v", c.set, err)
			continue
		}
		check(t, "text", string(got.Text), sample)
		check(t, "overrides", got.Overrides, c.set)
		want, err := Parse("x.yaml", []byte(c.want))
		if err != nil {
			t.Fatal(err)
		}
		got.Text, got.Overrides, want.Text = nil, nil, nil
		check(t, strings.Join(c.set, " "), got, want)
	}
}

func TestOverrideOfTheOneRuleOfAList(t *testing.T) {
	e, err := Parse("x.yaml", []byte(minimal+"drop: [{mode: nth, every: 5}]\n"), "drop.every=6")
	if err != nil || e.Conditions[0].Drop.Every != 6 {
		t.Errorf("got %+v, %v", e, err)
	}
}

// What an override replaces needs not be right, in any way.
func TestOverrideCures(t *testing.T) {
	for _, c := range []struct{ text, set string }{
		{minimal + "duration: 10\n", "duration=4s"},
		{minimal + "duration:\n", "duration=4s"},
		{minimal + "duration: 4s\nduration: 5s\n", "duration=4s"},
		{minimal + "duration: !!str 5s\n", "duration=4s"},
		{minimal + "duration: &d 5s\n", "duration=4s"},
		{minimal + "&k duration: 5s\n", "duration=4s"},
		{minimal + "duration: [5s]\n", "duration=4s"},
		{"algorithms: [newreno, cubic]\nduration: 4s\n", "version=1"},
		{"version: 2\nalgorithms: [newreno, cubic]\nduration: 4s\n", "version=1"},
		{"version: 1\nalgorithms: cubic\nduration: 4s\n", "algorithms=[newreno, cubic]"},
		{"version: 1\nduration: 4s\n", "algorithms=[newreno, cubic]"},
		{minimal + "duration: 4s\npath: {engine: netem}\n", "path.engine=userspace"},
		{minimal + "duration: 4s\npath:\n", "path.engine=userspace"},
		{minimal + "duration: 4s\npath: fast\n", "path={engine: userspace}"},
	} {
		if _, err := Parse("x.yaml", []byte(c.text)); err == nil {
			t.Errorf("%q is right without an override", c.text)
		}
		e, err := Parse("x.yaml", []byte(c.text), c.set)
		if err != nil {
			t.Errorf("%q with %s: %v", c.text, c.set, err)
			continue
		}
		check(t, c.text+c.set, e.Conditions[0].Duration, 4*time.Second)
		check(t, c.text+c.set, e.ArmNames(), []string{"newreno", "cubic"})
	}
}

func TestOverriddenIsNotDefault(t *testing.T) {
	e, err := Parse("x.yaml", []byte(sample), "seed=1", "path.rtt=40ms")
	if err != nil {
		t.Fatal(err)
	}
	path := e.Conditions[0].Path
	if slices.Contains(e.Default, "seed") || slices.Contains(path.Default, "rtt") || !slices.Contains(path.Default, "mtu") {
		t.Errorf("default: %v and of the path %v", e.Default, path.Default)
	}
}

// badOverrides are set over sample, or a text of their own. want has the
// beginning of each error.
var badOverrides = []struct {
	text string // "": sample
	set  []string
	want []string
}{
	// Form.
	{"", []string{""}, []string{`--set #1: "" has no =; write key=value, such as path.rtt=10ms`}},
	{"", []string{"seed"}, []string{`--set #1: "seed" has no =`}},
	{"", []string{"seed=2", "path.rtt:10ms"}, []string{`--set #2: "path.rtt:10ms" has no =`}},
	{"", []string{"=1"}, []string{`--set #1: "": an empty key; write key=value`}},
	{"", []string{"path..rtt=1ms"}, []string{"--set #1: path..rtt: a part of the key is empty"}},
	{"", []string{"path.=1ms"}, []string{"--set #1: path.: a part of the key is empty"}},
	{"", []string{"sysctl.=1"}, []string{"--set #1: sysctl.: a part of the key is empty"}},
	{"", []string{"seed="}, []string{"--set #1: seed: has no value"}},
	{"", []string{"seed=# 1"}, []string{"--set #1: seed: has no value"}},
	{"", []string{"seed=~"}, []string{"--set #1: seed: has no value"}},
	{"", []string{"seed=1\n---\n2"}, []string{"--set #1: seed: several documents"}},
	{"", []string{"algorithms=[a, b"}, []string{"--set #1: algorithms: not YAML: did not find expected ',' or ']'"}},
	{"", []string{"path.rtt=\"10ms"}, []string{"--set #1: path.rtt: not YAML: found unexpected end of stream"}},
	{"", []string{"baseline=*a"}, []string{"--set #1: baseline: not YAML: unknown anchor 'a'"}},
	{"", []string{"name=caf\xe9"}, []string{"--set #1: name: not UTF-8"}},
	{"", []string{"name=a\x1bb"}, []string{"--set #1: name: the character U+001B"}},
	{"", []string{"\x1b=1"}, []string{`--set #1: "\x1b": unknown key`}},

	// The same strictness as in a file.
	{"", []string{"repetitions=010"}, []string{`--set #1: repetitions: "010" is not a decimal whole number; allowed: 1 to 10000`}},
	{"", []string{"repetitions='3'"}, []string{"--set #1: repetitions: is text; allowed: a whole number"}},
	{"", []string{"repetitions=0"}, []string{"--set #1: repetitions: is 0; allowed: 1 to 10000"}},
	{"", []string{"seed=!!int 1"}, []string{`--set #1: seed: the tag "!!int"; leave tags out`}},
	{"", []string{"seed=&a 1"}, []string{"--set #1: seed: an anchor (&)"}},
	{"", []string{"path={engine: direct, <<: {mtu: 1400}}"}, []string{"--set #1: path: a merge key (<<)"}},
	{"", []string{"drop={mode: nth, every: 5, every: 6}"}, []string{"--set #1: drop.every: written twice, first in --set #1; keep one"}},
	{"", []string{"duration=10"}, []string{`--set #1: duration: "10" is not a duration: it has no unit`}},
	{"", []string{"path.rate=10mbps"}, []string{`--set #1: path.rate: "10mbps": tc(8) takes mbps for bytes per second`}},
	{"", []string{"seed=1", "path.rtt=0.5ms"}, []string{"--set #2: path.rtt: is 0.5ms; allowed: 1ms to 10s"}},
	{"", []string{"name=2024"}, []string{`--set #1: name: "2024" is not text in YAML`}},
	{"", []string{"duration={s: 1}"}, []string{"--set #1: duration: is a mapping; it must be a single value"}},
	{"", []string{"sysctl.net.ipv4.tcp_ecn=true"}, []string{"--set #1: sysctl.net.ipv4.tcp_ecn: true is a YAML truth value; write 0 or 1"}},
	{"", []string{"sysctl.net.ipv4.tcp_congestion_control=cubic"}, []string{"--set #1: sysctl.net.ipv4.tcp_congestion_control: the algorithm is set on each socket"}},
	{"", []string{"sysctl.kernel.hostname=x"}, []string{"--set #1: sysctl.kernel.hostname: not a key of a network namespace"}},
	{"", []string{"algorithms=[]"}, []string{"--set #1: algorithms: must be a list of 1 to 64"}},
	{"", []string{"algorithms=[reno, newreno]"}, []string{"--set #1: algorithms[1]: newreno and reno (--set #1) are identical arms"}},
	{"", []string{"version=2"}, []string{"--set #1: version: version 2 needs a newer ccbench"}},

	// A list where a matrix could vary the key.
	{"", []string{"path.buffer=[0.5bdp, 4bdp]"},
		[]string{"--set #1: path.buffer: is a list; it must be a single value; to vary it, write --set 'matrix.path.buffer=[0.5bdp, 4bdp]'"}},
	{"", []string{"flows=[1, 4]"}, []string{"--set #1: flows: is a list; it must be a single value; to vary it, write --set 'matrix.flows=[1, 4]'"}},
	{"", []string{"flows=[{algorithm: cubic}]"}, []string{"--set #1: flows: flow groups are not supported yet"}},

	// Keys.
	{"", []string{"repetitons=3"}, []string{"--set #1: repetitons: unknown key (did you mean repetitions?); allowed: version,"}},
	{"", []string{"path.rrt=3ms"}, []string{"--set #1: path.rrt: unknown key (did you mean rtt?); allowed: engine,"}},
	{"", []string{"rtt=3ms"}, []string{"--set #1: rtt: unknown key (did you mean path.rtt?); allowed: version,"}},
	{"", []string{"path.every=3"}, []string{"--set #1: path.every: unknown key (did you mean drop.every?); allowed: engine,"}},
	{"", []string{"path.loss={}"}, []string{"--set #1: path.loss: not supported yet"}},
	{"", []string{"seed.x=1"}, []string{"--set #1: seed: is a mapping; it must be a single value"}},
	{"", []string{"repetitions.x=1"}, []string{"--set #1: repetitions.x: repetitions is a single value on line 3, which has no keys; set repetitions as a whole"}},
	{"", []string{"arms.cubic.sysctl={}"}, []string{"--set #1: arms.cubic.sysctl: an arm cannot be set in part; set them all"}},
	{"", []string{"arms[0].algorithm=bbr"}, []string{"--set #1: arms[0].algorithm: an arm cannot be set in part"}},
	{"", []string{"algorithms[1]=bbr"}, []string{"--set #1: algorithms[1]: an item of a list cannot be set; set the whole list"}},
	{"", []string{"algorithms.1=bbr"}, []string{"--set #1: algorithms.1: an item of a list cannot be set"}},
	{"", []string{"drop[0].every=5"}, []string{"--set #1: drop[0].every: an item of a list cannot be set"}},
	{minimal + "path: fast\n", []string{"path.rtt=1ms"},
		[]string{"x.yaml:3:7: path: is text; it must be a mapping", "--set #1: path.rtt: path is text on line 3, which has no keys"}},

	// Several, and together with the file.
	{"", []string{"seed=1", "seed=2"}, []string{"--set #2: seed: replaces seed, which --set #1 has set; keep one"}},
	{"", []string{"path.rtt=9ms", "path={engine: direct}"}, []string{"--set #2: path: replaces path.rtt, which --set #1 has set"}},
	{"", []string{"seed=x", "flows=y"}, []string{`--set #1: seed: "x" is not a decimal`, `--set #2: flows: "y" is not`}},
	{"", []string{"arms=[{name: a, algorithm: bbr}]"}, []string{"--set #1: arms: excludes algorithms (line 2 and --set #1)"}},
	{"version: 1\narms: [{algorithm: bbr}]\n", []string{"algorithms=[cubic]"}, []string{"--set #1: algorithms: excludes arms (line 2)"}},
	{"", []string{"baseline=bbr"}, []string{"--set #1: baseline: bbr is no arm; allowed: newreno, cubic"}},
	{sample + "baseline: newreno\n", []string{"algorithms=[reno, bbr]"}, []string{"x.yaml:9:11: baseline: newreno is no arm; allowed: reno, bbr; set baseline too, such as --set baseline=reno"}},
	{"version: 1\narms: [{name: a, algorithm: bbr}]\nbaseline: a\n", []string{"arms=[{name: b, algorithm: bbr}]"},
		[]string{"x.yaml:3:11: baseline: a is no arm; allowed: b; set baseline too, such as --set baseline=b"}},
	{"", []string{"path.engine=direct"}, []string{"x.yaml:6:3: path.rate: contradicts engine direct"}},
	{"", []string{"drop.mode=random"}, []string{"x.yaml:7:7: drop.probability: missing", "x.yaml:7:19: drop.every: belongs to mode nth"}},
	{"", []string{"drop.first=101"}, []string{"--set #1: drop.first: is 101; allowed: 1 to every, which is 100"}},
	{minimal, []string{"drop.every=50"}, []string{"--set #1: drop.mode: missing; allowed: nth, random"}},
	{minimal, []string{"path.rtt=10ms"}, []string{"--set #1: path.engine: missing; allowed: userspace"}},
	{minimal + "flows: 0\n", []string{"seed=-1"}, []string{"x.yaml:3:8: flows: is 0; allowed", "--set #1: seed: is -1; allowed"}},
	{minimal + "flows: 0\n", []string{"seed"}, []string{`--set #1: "seed" has no =`}},
	{"version: [\n", []string{"seed"}, []string{"x.yaml:1:1: not YAML", `--set #1: "seed" has no =`}},
}

func TestBadOverrides(t *testing.T) {
	for _, c := range badOverrides {
		text := c.text
		if text == "" {
			text = sample
		}
		e, err := Parse("x.yaml", []byte(text), c.set...)
		var got Errors
		if !errors.As(err, &got) || e != nil {
			t.Errorf("%q: got %v, %v, want errors and no experiment", c.set, e, err)
			continue
		}
		begins := func(e *Error, w string) bool {
			return strings.HasPrefix(e.Error(), w) && !strings.ContainsAny(e.Error(), "\n\x1b")
		}
		if !slices.EqualFunc(got, c.want, begins) {
			t.Errorf("%q: got\n%v\nwant\n%s", c.set, got, strings.Join(c.want, "\n"))
		}
	}
}

// Only arms that are set leave a baseline of the file behind.
func TestBaselineThatIsSetToo(t *testing.T) {
	for _, set := range [][]string{{"algorithms=[reno, bbr]", "baseline=cubic"}, {"baseline=bbr"}} {
		_, err := Parse("x.yaml", []byte(sample+"baseline: newreno\n"), set...)
		if err == nil || !strings.Contains(err.Error(), "is no arm") || strings.Contains(err.Error(), "set baseline too") {
			t.Errorf("%q: got %v", set, err)
		}
	}
}
