package experiment

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"ccbench/internal/unit"
)

func TestMatrix(t *testing.T) {
	e := mustParse(t, minimal+`path: {engine: userspace, rate: 10mbit, buffer: 1bdp}
matrix:
  path.rtt: [10ms, 0.1s]
  drop.every: [30, 100]
drop: {mode: nth}
`)
	check(t, "factors", e.Factors, []string{"path.rtt", "drop.every"})
	check(t, "conditions", len(e.Conditions), 4)
	for i, want := range []struct {
		rtt    string
		buffer unit.Bytes
		every  int
	}{{"10ms", 12_500, 30}, {"10ms", 12_500, 100}, {"0.1s", 125_000, 30}, {"0.1s", 125_000, 100}} {
		c := e.Conditions[i]
		check(t, "labels", c.Labels, map[string]string{"path.rtt": want.rtt, "drop.every": fmt.Sprint(want.every)})
		check(t, "buffer", c.Path.Buffer.Bytes, want.buffer)
		check(t, "every", c.Drop.Every, want.every)
		check(t, "defaults of the path", c.Path.Default, []string{"mtu", "overhead"})
	}
}

func TestMatrixOfEverything(t *testing.T) {
	e := mustParse(t, minimal+`matrix:
  duration: [1s, 2s]
  warmup: [0s]
  interval: [1ms]
  flows: [1, 2]
  sysctl.net.ipv4.tcp_ecn: [0, 1]
`)
	check(t, "conditions", len(e.Conditions), 8)
	last := e.Conditions[7]
	check(t, "duration", last.Duration, 2*time.Second)
	check(t, "warmup", last.Warmup, time.Duration(0))
	check(t, "interval", last.Interval, time.Millisecond)
	check(t, "flows", last.Flows, 2)
	check(t, "sysctl", last.SysctlOf(e.Arms[0]), map[string]string{"net.ipv4.tcp_ecn": "1"})
	check(t, "defaults", last.Default, []string{})
}

// An engine decides which keys a path has.
func TestMatrixOfEngines(t *testing.T) {
	e := mustParse(t, minimal+"path: {mtu: 1400}\nmatrix: {path.engine: [userspace, direct]}\n")
	check(t, "path", e.Conditions[1].Path, Path{Engine: Direct, MTU: 1400, Default: []string{}})
	check(t, "rate", e.Conditions[0].Path.Rate, unit.BitRate(100_000_000))
}

func TestEmptyMatrixIsNone(t *testing.T) {
	e := mustParse(t, minimal+"matrix: {}\n")
	check(t, "conditions", len(e.Conditions), 1)
	check(t, "factors", len(e.Factors), 0)
}

func TestMatrixByOverride(t *testing.T) {
	const matrix = "matrix: {path.rtt: [10ms, 40ms]}\n"
	with := func(text string, set ...string) *Experiment {
		e, err := Parse("x.yaml", []byte(text), set...)
		if err != nil {
			t.Fatalf("%q with %q: %v", text, set, err)
		}
		return e
	}
	path := "path: {engine: userspace, rtt: 20ms}\n"
	check(t, "in place of the file's", len(with(minimal+path, "matrix.path.rtt=[10ms, 40ms]").Conditions), 2)
	check(t, "another list", len(with(minimal+"path: {engine: userspace}\n"+matrix, "matrix.path.rtt=[1ms, 2ms, 3ms]").Conditions), 3)
	check(t, "one more", len(with(minimal+"path: {engine: userspace}\n"+matrix, "matrix.flows=[1, 2]").Conditions), 4)
	check(t, "all at once", len(with(minimal+"path: {engine: userspace}\n"+matrix, "matrix={flows: [1, 2, 3]}").Conditions), 3)
	check(t, "none", len(with(minimal+"path: {engine: userspace}\n"+matrix, "matrix={}").Conditions), 1)
	check(t, "a sysctl", with(minimal, "matrix.sysctl.net.ipv4.tcp_ecn=[0, 1]").Conditions[1].Sysctl["net.ipv4.tcp_ecn"], "1")
	check(t, "in a rule of a list", with(minimal+"drop: [{mode: nth}]\n", "matrix.drop.every=[5, 6]").Conditions[1].Drop.Every, 6)
}

// The beginning of each error, the file's or an override's.
var badMatrices = []struct {
	name string
	text string // after minimal, so from line 3 on
	set  []string
	want []string
}{
	{"text", "matrix: many\n", nil, []string{"bad.yaml:3:9: matrix: is text; it must be a mapping of keys to lists of values, such as {path.rtt: [10ms, 40ms]}"}},
	{"a list", "matrix: [10ms]\n", nil, []string{"bad.yaml:3:9: matrix: is a list; it must be a mapping"}},
	{"nothing", "matrix:\n", nil, []string{"bad.yaml:3:1: matrix: has no value; write one, or leave the key out"}},
	{"one value", "matrix: {flows: 1}\n", nil, []string{"bad.yaml:3:17: matrix.flows: must be a list of one or more values, such as [10ms, 40ms]"}},
	{"no value", "matrix: {flows: }\n", nil, []string{"bad.yaml:3:10: matrix.flows: must be a list of one or more values"}},
	{"no values", "matrix: {flows: []}\n", nil, []string{"bad.yaml:3:17: matrix.flows: must be a list of one or more values"}},
	{"an empty value", "matrix: {flows: [1, ]}\nmatrix2: 1\n", nil, []string{"bad.yaml:4:1: matrix2: unknown key (did you mean matrix?); allowed: version,"}},
	{"null", "matrix: {flows: [1, null]}\n", nil, []string{"bad.yaml:3:21: matrix.flows[1]: has no value; write one, or leave the item out"}},
	{"a list of lists", "matrix: {flows: [[1, 2]]}\n", nil, []string{"bad.yaml:3:18: matrix.flows[0]: is a list; a matrix varies single values"}},
	{"a list of mappings", "matrix: {drop.every: [{a: 1}]}\n", nil, []string{"bad.yaml:3:23: matrix.drop.every[0]: is a mapping; a matrix varies single values"}},
	{"twice", "matrix: {flows: [1, 2, 1]}\n", nil, []string{"bad.yaml:3:24: matrix.flows[2]: 1 is item [0] too; values must differ"}},
	{"the same in effect", "path: {engine: userspace}\nmatrix: {path.rtt: [10ms, 40ms, 0.01s]}\n", nil,
		[]string{"bad.yaml:4:33: matrix.path.rtt[2]: 0.01s is the same as 10ms; remove one"}},
	{"the same buffer", "path: {engine: userspace}\nmatrix: {path.buffer: [1bdp, 500KB]}\n", nil,
		[]string{"bad.yaml:4:30: matrix.path.buffer[1]: 500KB is the same as 1bdp; remove one"}},
	{"the same number", "matrix: {sysctl.net.ipv4.tcp_ecn: ['0', '00', '0x0']}\n", nil,
		[]string{"bad.yaml:3:41: matrix.sysctl.net.ipv4.tcp_ecn[1]: 00 is the same as 0; remove one", "bad.yaml:3:47: matrix.sysctl.net.ipv4.tcp_ecn[2]: 0x0 is the same as 0; remove one"}},
	{"a key twice", "matrix: {flows: [1, 2], flows: [3]}\n", nil, []string{"bad.yaml:3:25: matrix.flows: written twice, first on line 3; keep one"}},
	{"a merge key", "matrix: {<<: {flows: [1]}}\n", nil, []string{"bad.yaml:3:10: matrix: a merge key (<<)"}},
	{"an alias", "name: &n x\nmatrix: {flows: *n}\n", nil, []string{"bad.yaml:3:7: name: an anchor", "bad.yaml:4:17: matrix.flows: an alias (*)"}},
	{"an anchor", "matrix: {flows: [&a 1, *a]}\n", nil, []string{"bad.yaml:3:18: matrix.flows[0]: an anchor (&)", "bad.yaml:3:24: matrix.flows[1]: an alias (*)"}},

	{"an unknown key", "matrix: {path.rt: [10ms]}\n", nil, []string{"bad.yaml:3:10: matrix.path.rt: unknown key (did you mean path.rtt?); allowed: duration, warmup, interval, flows, path.engine,"}},
	{"the last part only", "matrix: {rtt: [10ms]}\n", nil, []string{"bad.yaml:3:10: matrix.rtt: unknown key (did you mean path.rtt?); allowed: duration,"}},
	{"in another section", "matrix: {path.every: [5]}\n", nil, []string{"bad.yaml:3:10: matrix.path.every: unknown key (did you mean drop.every?)"}},
	{"near what it cannot have", "matrix: {sede: [5]}\n", nil, []string{"bad.yaml:3:10: matrix.sede: unknown key; allowed: duration,"}},
	{"a later key", "matrix: {path.queue: [fifo]}\n", nil, []string{"bad.yaml:3:10: matrix.path.queue: not supported yet; this version reads duration,"}},
	{"path itself", "matrix: {path: [fast]}\n", nil, []string{"bad.yaml:3:10: matrix.path: has keys of its own; vary one of them, such as {path.rtt: [10ms, 40ms]}"}},
	{"sysctl itself", "matrix: {sysctl: [1]}\n", nil, []string{"bad.yaml:3:10: matrix.sysctl: has keys of its own"}},
	{"algorithms", "matrix: {algorithms: [reno, cubic]}\n", nil, []string{"bad.yaml:3:10: matrix.algorithms: what is compared is no condition; list it in algorithms"}},
	{"an arm", "matrix: {'arms[0].algorithm': [reno]}\n", nil, []string{"bad.yaml:3:10: matrix.arms[0].algorithm: unknown key"}},
	{"seed", "matrix: {seed: [1, 2]}\n", nil, []string{"bad.yaml:3:10: matrix.seed: is one for all conditions; allowed: duration, warmup,"}},
	{"repetitions", "matrix: {repetitions: [1, 2]}\n", nil, []string{"bad.yaml:3:10: matrix.repetitions: is one for all conditions"}},
	{"a bad sysctl", "matrix: {sysctl.kernel.pid_max: [1]}\n", nil, []string{"bad.yaml:3:10: sysctl.kernel.pid_max: not a key of a network namespace"}},

	{"fixed too", "path:\n  engine: userspace\n  rtt: 10ms\nmatrix: {path.rtt: [20ms]}\n", nil,
		[]string{"bad.yaml:6:10: matrix.path.rtt: path.rtt has one value on line 5; keep one of the two"}},
	{"fixed by --set", "path: {engine: userspace}\nmatrix: {path.rtt: [20ms]}\n", []string{"path.rtt=10ms"},
		[]string{"--set #1: path.rtt: is varied by matrix (line 4); set matrix.path.rtt=[...] instead"}},
	{"both by --set", "path: {engine: userspace}\n", []string{"path.rtt=10ms", "matrix.path.rtt=[10ms]"},
		[]string{"--set #2: matrix.path.rtt: path.rtt has one value in --set #1; keep one of the two"}},
	{"twice by --set", "", []string{"matrix.flows=[1]", "matrix={flows: [2]}"}, []string{"--set #2: matrix: replaces matrix.flows, which --set #1 has set; keep one"}},
	{"fixed in an arm", "", []string{"algorithms=[reno]", "matrix.flows=1"}, []string{"--set #2: matrix.flows: must be a list of one or more values"}},

	// Values are held to the rules of their keys.
	{"a bad value", "path: {engine: userspace}\nmatrix: {path.rtt: [10ms, 40]}\n", nil, []string{"bad.yaml:4:27: path.rtt: \"40\" is not a duration: it has no unit"}},
	{"a bad value, of two factors", "path: {engine: userspace}\nmatrix: {path.rtt: [10ms, 40], flows: [1, 2]}\n", nil, []string{"bad.yaml:4:27: path.rtt: \"40\" is not a duration: it has no unit"}},
	{"bad values", "matrix: {flows: [0, 2000]}\n", nil, []string{"bad.yaml:3:18: flows: is 0; allowed: 1 to 1024", "bad.yaml:3:21: flows: is 2000; allowed: 1 to 1024"}},
	{"without its section", "matrix: {path.rtt: [10ms]}\n", nil, []string{"bad.yaml:3:10: path.engine: missing; allowed: userspace"}},
	{"a rule without its mode", "matrix: {drop.every: [10]}\n", nil, []string{"bad.yaml:3:10: drop.mode: missing; allowed: nth, random"}},
	{"contradicts one condition", "path: {engine: userspace, buffer: 2000B}\nmatrix: {path.mtu: [1500, 9000], flows: [1, 2]}\n", nil,
		[]string{"bad.yaml:3:35: path.buffer: 2000B is 2000 B, less than one packet (mtu + overhead: 9014 B); allowed: that and more (where path.mtu is 9000)"}},
	{"contradicts a combination", "path: {engine: userspace}\nmatrix: {path.mtu: [1500, 9000], path.buffer: [2000B, 20KB]}\n", nil,
		[]string{"bad.yaml:4:48: path.buffer: 2000B is 2000 B, less than one packet (mtu + overhead: 9014 B); allowed: that and more (where path.mtu is 9000)"}},
	{"contradicts an engine", "path: {rtt: 10ms}\nmatrix: {path.engine: [userspace, direct]}\n", nil,
		[]string{"bad.yaml:3:8: path.rtt: contradicts engine direct, a veth pair that nothing shapes; leave it out, or use engine userspace (where path.engine is direct)"}},
	{"wrong in all conditions", "path: {engine: userspace, mtu: 1}\nmatrix: {flows: [1, 2]}\n", nil, []string{"bad.yaml:3:32: path.mtu: is 1; allowed: 576 to 9000"}},
	{"a section that is none", "path: fast\nmatrix: {path.rtt: [10ms]}\n", nil,
		[]string{"bad.yaml:3:7: path: is text; it must be a mapping", "bad.yaml:4:10: path.rtt: path is text on line 3, which has no keys; set path as a whole"}},
	{"by --set", "path: {engine: userspace}\n", []string{"matrix.path.rtt=[1ms, 2]"}, []string{"--set #1: path.rtt: \"2\" is not a duration: it has no unit"}},

	// What is wrong elsewhere is said whatever is wrong with the matrix.
	{"all at once", "duration: 10\npath: {rate: 20, bufer: 0.5bdp}\nmatrix: {flows: 1}\n", nil,
		[]string{`bad.yaml:3:11: duration: "10" is not a duration`, `bad.yaml:4:14: path.rate: "20" is not a rate`,
			"bad.yaml:4:18: path.bufer: unknown key (did you mean buffer?)", "bad.yaml:5:17: matrix.flows: must be a list"}},
	{"no mapping, and more", "drop: {mode: nth, every: 1}\nmatrix: [10ms]\n", nil, []string{"bad.yaml:3:26: drop.every: is 1", "bad.yaml:4:9: matrix: is a list"}},
	{"no matrix, and more", "flows: 0\nmatrix:\n", nil, []string{"bad.yaml:3:8: flows: is 0", "bad.yaml:4:1: matrix: has no value"}},
	{"another name, and more", "flows: 0\nmatrx: {drop.every: [5]}\ndrop: {mode: nth}\n", nil, []string{"bad.yaml:3:8: flows: is 0", "bad.yaml:4:1: matrx: unknown key (did you mean matrix?)"}},
	{"values of the sound factors", "path: {engine: userspace}\nmatrix: {flows: [1, 1], path.rtt: [10ms, 40], path.mtu: [9000, 1500], path.buffer: [2000B, 20KB]}\n", nil,
		[]string{"bad.yaml:4:21: matrix.flows[1]: 1 is item [0] too", `bad.yaml:4:42: path.rtt: "40" is not`,
			"bad.yaml:4:85: path.buffer: 2000B is 2000 B, less than one packet (mtu + overhead: 9014 B); allowed: that and more (where path.mtu is 9000)"}},
	{"missing is what a factor may have", "drop: {first: 0}\nmatrix: {drop.every: 5, drop.mode: nth}\n", nil,
		[]string{"bad.yaml:3:15: drop.first: is 0", "bad.yaml:4:22: matrix.drop.every: must be a list", "bad.yaml:4:36: matrix.drop.mode: must be a list"}},
	{"held against what is not known", "path: {engine: userspace, buffer: 400MB}\nmatrix: {path.rate: 100kbit, path.rtt: [1s, 10s]}\n", nil, []string{"bad.yaml:4:21: matrix.path.rate: must be a list"}},
	{"held against what was meant", "path: {engine: userspace, buffer: 2000B}\nmatrix: {mtuu: [1500], path.overhead: [600]}\n", nil,
		[]string{"bad.yaml:4:10: matrix.mtuu: unknown key (did you mean path.mtu?)"}},
	{"not meant where it is written", "path: {engine: userspace, rtt: 10}\nmatrix: {path.rt: [1s]}\n", nil,
		[]string{`bad.yaml:3:32: path.rtt: "10" is not a duration`, "bad.yaml:4:10: matrix.path.rt: unknown key (did you mean path.rtt?)"}},
	{"not meant where it is varied", "path: {engine: userspace}\nmatrix: {path.rt: [1s], path.rtt: [10]}\n", nil,
		[]string{"bad.yaml:4:10: matrix.path.rt: unknown key (did you mean path.rtt?)", `bad.yaml:4:36: path.rtt: "10" is not a duration`}},
	{"nothing of a key with two values", "duration: 10\nwarmup: 5\nmatrix: {duration: [1s]}\n", nil,
		[]string{`bad.yaml:4:9: warmup: "5" is not`, "bad.yaml:5:10: matrix.duration: duration has one value on line 3"}},
	{"nor of one varied twice", "warmup: 5\nmatrix: {interval: [1], interval: [2]}\n", nil, []string{`bad.yaml:3:9: warmup: "5" is not`, "bad.yaml:4:25: matrix.interval: written twice"}},
	{"nor of a mode that may be the other", "drop: {mode: nth, every: 5, probability: 1%}\nmatrix: {drop.mode: random}\n", nil,
		[]string{"bad.yaml:4:10: matrix.drop.mode: drop.mode has one value on line 3", "bad.yaml:4:21: matrix.drop.mode: must be a list"}},
	{"nor of a sysctl", "sysctl: {net.ipv4.tcp_ecn: true, net.ipv4.tcp_sack: true}\nmatrix: {sysctl.net.ipv4.tcp_ecn: [0, 1]}\n", nil,
		[]string{"bad.yaml:3:53: sysctl.net.ipv4.tcp_sack: true is a YAML truth value", "bad.yaml:4:10: matrix.sysctl.net.ipv4.tcp_ecn: sysctl.net.ipv4.tcp_ecn has one value"}},
	{"nor of one in a rule of a list", "drop: [{mode: nth, every: 1, first: x}]\nmatrix: {drop.every: [5, 5]}\n", nil,
		[]string{`bad.yaml:3:37: drop[0].first: "x" is not`, "bad.yaml:4:10: matrix.drop.every: drop.every has one value", "bad.yaml:4:26: matrix.drop.every[1]: 5 is item [0] too"}},
	{"the same in effect is not judged", "path: {engine: userspace}\nmatrix: {path.rate: 1gbit, path.buffer: [1bdp, 2bdp]}\n", nil, []string{"bad.yaml:4:21: matrix.path.rate: must be a list"}},
	{"too many conditions, and more", "warmup: 5\nmatrix:\n  flows: [0, " + numbers(32) + "]\n  drop.every: [" + numbers(32) + "]\n", nil,
		[]string{`bad.yaml:3:9: warmup: "5" is not`, "bad.yaml:5:3: matrix: 33 x 32 values are more than 1000 conditions", "bad.yaml:5:11: flows: is 0"}},
	{"in arms too", "baseline: x\nwarmup: 5\nmatrix: {flows: 1}\n", nil,
		[]string{"bad.yaml:3:11: baseline: x is no arm", "bad.yaml:4:9: warmup:", "bad.yaml:5:17: matrix.flows:"}},
	{"by --set, and more", "warmup: 5\n", []string{"matrix.flows=1", "duration=10"},
		[]string{"bad.yaml:3:9: warmup:", "--set #1: matrix.flows: must be a list", "--set #2: duration:"}},

	{"too many conditions", "matrix:\n  flows: [" + numbers(32) + "]\n  drop.every: [" + numbers(32) + "]\n", nil,
		[]string{"bad.yaml:4:3: matrix: 32 x 32 values are more than 1000 conditions; allowed: 1000"}},
	{"too many trials", "repetitions: 10000\nmatrix: {flows: [" + numbers(6) + "]}\n", nil,
		[]string{"bad.yaml:3:14: repetitions: 10000 of 2 arms under 6 conditions are 120000 trials; allowed: 100000"}},
	{"too many connections", "repetitions: 1000\nmatrix: {flows: [1, 1000]}\n", nil,
		[]string{"bad.yaml:4:9: matrix: flows of up to 1000 in each of 4000 trials are 2002000 connections; allowed: 1000000"}},
}

// numbers are 2, 3, and so on, n of them.
func numbers(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(i+2))
	}
	return strings.Join(all, ", ")
}

func TestBadMatrices(t *testing.T) {
	for _, c := range badMatrices {
		t.Run(c.name, func(t *testing.T) { checkAllErrors(t, minimal+c.text, c.set, c.want) })
	}
	t.Run("an arm has it", func(t *testing.T) {
		checkAllErrors(t, "version: 1\narms:\n  - {algorithm: cubic}\n  - {algorithm: reno, sysctl: {net.ipv4.tcp_ecn: 1}}\nmatrix: {sysctl.net.ipv4.tcp_ecn: [0, 1]}\n", nil,
			[]string{"bad.yaml:5:10: matrix.sysctl.net.ipv4.tcp_ecn: arms[1] sets it for itself (line 4), so the matrix would not reach that arm; keep one of the two"})
	})
}

func checkAllErrors(t *testing.T, text string, set, want []string) {
	t.Helper()
	e, err := Parse("bad.yaml", []byte(text), set...)
	var got Errors
	if !errors.As(err, &got) || e != nil {
		t.Fatalf("got %v, %v, want errors and no experiment", e, err)
	}
	for i, g := range got {
		if i >= len(want) || !strings.HasPrefix(g.Error(), want[i]) {
			t.Errorf("got\n%v\nwant\n%s", got, strings.Join(want, "\n"))
			return
		}
	}
	if len(got) != len(want) {
		t.Errorf("got\n%v\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// However many factors there are, what is read of them has an end.
func TestFittingFactors(t *testing.T) {
	values := make([]*yaml.Node, 100)
	open := openKeys{}
	left := open.fitting([]factor{{name: "flows", values: values}, {name: "drop.every", values: values}, {name: "warmup", values: values[:10]}, {name: "interval", values: values[:2]}})
	if len(left) != 2 || left[0].name != "flows" || left[1].name != "warmup" {
		t.Errorf("got %v", left)
	}
	check(t, "left open", open, openKeys{"drop.every": true, "interval": true})
}
