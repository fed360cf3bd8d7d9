package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A bad file and all that is reported for it, each as "line:column key: part
// of the problem". The lines are joined as they are.
var badFiles = []struct {
	name string
	text string
	want []string
}{
	// What is no YAML.
	{"empty", "", []string{"1:1 : the file is empty"}},
	{"only a comment", "# nothing\n", []string{"1:1 : the file is empty"}},
	{"only a document start", "---\n", []string{"1:1 : the file is empty"}},
	{"a list", "- version: 1\n", []string{"1:1 : the file is a list; it must be a mapping"}},
	{"a word", "\nversion\n", []string{"2:1 : the file is text; it must be a mapping"}},
	{"byte order mark", "\uFEFF" + minimal, []string{"1:1 : a byte order mark"}},
	{"UTF-16", "v\x00e\x00", []string{"1:2 : the character U+0000"}},
	{"not UTF-8", "version: 1\nname: caf\xe9\n", []string{"2:10 : not UTF-8"}},
	{"NUL", minimal + "name: a\x00b\n", []string{"3:8 : the character U+0000"}},
	{"escape", minimal + "# \u00e9\x1b[31m\n", []string{"3:4 : the character U+001B"}},
	{"too long", "#" + strings.Repeat("x", maxSize), []string{"1:0 : the file is longer than 1048576 bytes"}},
	{"bad indent", "version: 1\n  seed: 2\n", []string{"2:3 : not YAML: mapping values are not allowed"}},
	{"stray bracket", "version: 1\nseed: 1\n}\n", []string{"3:1 : not YAML: did not find expected key"}},
	{"stray bracket in a block", "version: 1\npath:\n  engine: direct\n  mtu: 1500\n  }\nseed: 1\n",
		[]string{"5:3 : not YAML: did not find expected key"}},
	{"open bracket", "version: 1\nalgorithms: [a, b\nseed: 1\n", []string{"2:1 : not YAML: did not find expected ',' or ']'"}},
	{"open quote", "version: 1\nname: \"x\nseed: 1\n\n", []string{"2:1 : not YAML: found unexpected end of stream"}},
	{"tab", "version: 1\npath:\n\tengine: direct\n", []string{"3:1 : not YAML: a tab indents; YAML indents with spaces"}},
	{"first line", "@version: 1\n", []string{"1:1 : not YAML: found character that cannot start"}},
	{"unknown alias", minimal + "seed: *x\n", []string{"3:1 : not YAML: unknown anchor 'x'"}},
	{"text after the end", minimal + "...\nseed: 1\n", []string{"4:1 : not YAML: did not find expected <document start>"}},
	{"deep enough to break a reader", strings.Repeat("[", 20_000), []string{"1:1 : not YAML: exceeded max depth"}},

	// What YAML has and an experiment has not.
	{"second document", minimal + "---\nversion: 1\n", []string{"3:1 : a second document"}},
	{"anchor and alias", "version: 1\nalgorithms: &a [reno]\nbaseline: *a\n",
		[]string{"2:13 algorithms: an anchor (&)", "3:11 baseline: an alias (*)"}},
	{"alias in a list", "version: 1\nname: &n x\nalgorithms: [reno, *n]\n",
		[]string{"2:7 name: an anchor", "3:20 algorithms[1]: an alias"}},
	{"alias as a key", minimal + "name: &n seed\n*n : 1\n", []string{"3:7 name: an anchor", "4:1 : an alias"}},
	{"merge key", minimal + "path: {engine: direct, <<: {mtu: 1400}}\n", []string{"3:24 path: a merge key (<<)"}},
	{"duplicate key", minimal + "seed: 1\nseed: 2\n", []string{"4:1 seed: written twice, first on line 3; keep one"}},
	{"duplicate key inside", minimal + "drop:\n  mode: nth\n  every: 5\n  every: 6\n",
		[]string{"6:3 drop.every: written twice, first on line 5"}},
	{"explicit tag", minimal + "seed: !!int 1\n", []string{`3:7 seed: the tag "!!int"; leave tags out`}},
	{"own tag", minimal + "path: !mine {engine: direct}\n", []string{`3:7 path: the tag "!mine"`}},
	{"a list as a key", minimal + "[a, b]: 1\n", []string{"3:1 : a list as a key"}},
	{"too deep", minimal + "matrix: " + strings.Repeat("[", 12) + strings.Repeat("]", 12) + "\n",
		[]string{"3:9 matrix: is a list; it must be a mapping of keys to lists of values, such as", "3:19 matrix[0][0][0][0][0][0][0][0][0][0]: nested more than 10 deep"}},

	// Keys.
	{"unknown key", minimal + "repetitons: 5\n",
		[]string{"3:1 repetitons: unknown key (did you mean repetitions?); allowed: version, name, description, seed,"}},
	{"unknown key like no other", minimal + "colour: red\n", []string{"3:1 colour: unknown key; allowed: version,"}},
	{"unknown key in path", minimal + "path:\n  engine: direct\n  mut: 1500\n",
		[]string{"5:3 path.mut: unknown key (did you mean mtu?); allowed: engine, rate, rtt, buffer, mtu, overhead"}},
	{"keys of path and drop at the root", minimal + "rtt: 10ms\nrate: 1mbit\nbuffer: 1bdp\nmode: nth\nevery: 5\nProbability: 1%\noverhaed: 1\n",
		[]string{"3:1 rtt: unknown key (did you mean path.rtt?); allowed: version,", "4:1 rate: unknown key (did you mean path.rate?)",
			"5:1 buffer: unknown key (did you mean path.buffer?)", "6:1 mode: unknown key (did you mean drop.mode?)",
			"7:1 every: unknown key (did you mean drop.every?)", "8:1 Probability: unknown key (did you mean drop.probability?)",
			"9:1 overhaed: unknown key (did you mean path.overhead?)"}},
	{"keys of elsewhere in path", minimal + "path: {engine: direct, every: 5, duration: 10s, colour: red}\n",
		[]string{"3:24 path.every: unknown key (did you mean drop.every?); allowed: engine,", "3:34 path.duration: unknown key (did you mean duration, outside of path?)",
			"3:49 path.colour: unknown key; allowed"}},
	{"a dotted key in a file", minimal + "path.rtt: 10ms\n", []string{"3:1 path.rtt: unknown key (a file has it as path: {rtt: ...}); allowed: version,"}},
	{"key with a line break", minimal + "\"a\\nb\": 1\n", []string{`3:1 "a\nb": unknown key`}},
	{"empty key", minimal + "\"\": 1\n", []string{`3:1 "": unknown key`}},
	{"numeric key", minimal + "7: 1\n", []string{"3:1 7: unknown key"}},
	{"keys of path that are to come",
		minimal + "path:\n  engine: userspace\n  loss: {}\n  queue: fifo\n  rate_reverse: 1mbit\n  sender_qdisc: fq\n",
		[]string{"5:3 path.loss: not supported yet", "6:3 path.queue: not supported yet",
			"7:3 path.rate_reverse: not supported yet", "8:3 path.sender_qdisc: not supported yet"}},
	{"no value", minimal + "seed:\nflows: ~\n", []string{"3:1 seed: has no value", "4:1 flows: has no value"}},
	{"case", "Version: 1\nalgorithms: [reno]\n",
		[]string{"1:1 Version: unknown key (did you mean version?)", "1:1 version: missing; write version: 1"}},

	// Version and names.
	{"no version", "algorithms: [reno]\n", []string{"1:1 version: missing; write version: 1"}},
	{"newer version says nothing else", "version: 2\nsurprise: 1\nseed: &a 1\n", []string{"1:10 version: version 2 needs a newer ccbench"}},
	{"version 0", "version: 0\nalgorithms: [reno]\n", []string{"1:10 version: is 0; allowed: 1 to"}},
	{"version as text", "version: \"1\"\nalgorithms: [reno]\n", []string{"1:10 version: is text; allowed: a whole number"}},
	{"version 1.0", "version: 1.0\nalgorithms: [reno]\n", []string{`1:10 version: "1.0" is not a decimal whole number`}},
	{"name with a blank", minimal + "name: my test\n", []string{`3:7 name: "my test"; allowed: 1 to 64 of A-Z`}},
	{"name like a path", minimal + "name: ../x\n", []string{`3:7 name: "../x"; allowed`}},
	{"name is a number", minimal + "name: 2024\n", []string{`3:7 name: "2024" is not text in YAML; put it in quotes`}},
	{"name is a list", minimal + "name: [a]\n", []string{"3:7 name: is a list; it must be a single value"}},
	{"name too long", minimal + "name: " + strings.Repeat("n", 65) + "\n", []string{"3:7 name: "}},
	{"description with an escape", minimal + "description: \"a\\e[31mb\"\n", []string{"3:14 description: has control characters"}},

	// Numbers.
	{"octal", minimal + "repetitions: 010\n", []string{`3:14 repetitions: "010" is not a decimal whole number; allowed: 1 to 10000`}},
	{"hexadecimal", minimal + "flows: 0x10\n", []string{`3:8 flows: "0x10" is not a decimal`}},
	{"underscore", minimal + "repetitions: 1_000\n", []string{`3:14 repetitions: "1_000" is not a decimal`}},
	{"exponent", minimal + "repetitions: 1e2\n", []string{`3:14 repetitions: "1e2" is not a decimal`}},
	{"fraction", minimal + "repetitions: 2.5\n", []string{`3:14 repetitions: "2.5" is not a decimal`}},
	{"plus", minimal + "seed: +1\n", []string{`3:7 seed: "+1" is not a decimal`}},
	{"quoted number", minimal + "flows: '2'\n", []string{"3:8 flows: is text; allowed: a whole number from 1 to 1024, without quotes"}},
	{"negative seed", minimal + "seed: -1\n", []string{"3:7 seed: is -1; allowed: 0 to 18446744073709551615"}},
	{"seed beyond 64 bits", minimal + "seed: 18446744073709551616\n", []string{"3:7 seed: is 18446744073709551616; allowed"}},
	{"no repetitions", minimal + "repetitions: 0\n", []string{"3:14 repetitions: is 0; allowed: 1 to 10000"}},
	{"many repetitions", minimal + "repetitions: 10001\n", []string{"3:14 repetitions: is 10001; allowed"}},
	{"many trials", "version: 1\nalgorithms: [a, b, c, d, e, f, g, h, i, j, k]\nrepetitions: 10000\n",
		[]string{"3:14 repetitions: 10000 of 11 arms are 110000 trials; allowed: 100000"}},
	{"many connections", "version: 1\nalgorithms: [a, b]\nrepetitions: 1000\nflows: 501\n",
		[]string{"4:8 flows: 501 in each of 2000 trials are 1002000 connections; allowed: 1000000"}},
	{"flow groups", minimal + "flows: [{algorithm: cubic}]\n", []string{"3:8 flows: flow groups are not supported yet"}},
	{"many flows", minimal + "flows: 1025\n", []string{"3:8 flows: is 1025; allowed: 1 to 1024"}},

	// Times.
	{"duration without a unit", minimal + "duration: 10\n", []string{`3:11 duration: "10" is not a duration: it has no unit; write`}},
	{"unit that is none", minimal + "duration: 10sec\n", []string{`3:11 duration: "10sec" is not a duration`}},
	{"short duration", minimal + "duration: 99ms\n", []string{"3:11 duration: is 99ms; allowed: 100ms to 24h0m0s"}},
	{"long duration", minimal + "duration: 25h\n", []string{"3:11 duration: is 25h; allowed"}},
	{"negative warmup", minimal + "warmup: -1s\n", []string{`3:9 warmup: "-1s" is negative`}},
	{"short interval", minimal + "interval: 0.5ms\n", []string{"3:11 interval: is 0.5ms; allowed: 1ms to 1s"}},
	{"interval beyond the duration", minimal + "duration: 500ms\ninterval: 600ms\n",
		[]string{"4:11 interval: is 600ms, longer than the duration of 500ms"}},
	{"more samples than memory", minimal + "duration: 24h\ninterval: 1ms\n",
		[]string{"4:11 interval: is 1ms, which makes 86402000 samples a trial"}},
	{"more samples by default", minimal + "duration: 10m\nflows: 1024\n", []string{"1:1 interval: is 10ms, which makes"}},

	// Arms.
	{"nothing to compare", "version: 1\n", []string{"1:1 algorithms: missing; write algorithms: [newreno, cubic], or arms"}},
	{"arms of no value", "version: 1\narms:\n", []string{"2:1 arms: has no value"}},
	{"both forms", minimal + "arms:\n  - {name: a, algorithm: bbr}\n", []string{"3:1 arms: excludes algorithms (lines 2 and 3)"}},
	{"no list", "version: 1\nalgorithms: cubic\n", []string{"2:13 algorithms: must be a list of 1 to 64, such as [newreno, cubic]"}},
	{"empty list", "version: 1\nalgorithms: []\n", []string{"2:13 algorithms: must be a list of 1 to 64"}},
	{"capitals", "version: 1\nalgorithms: [reno, CUBIC]\nbaseline: CUBIC\n", []string{`2:20 algorithms[1]: "CUBIC" cannot be an algorithm (did you mean cubic?); allowed: 1 to 15 of a-z`}},
	{"capitals of an arm", "version: 1\narms: [{algorithm: BBR}]\n", []string{`2:20 arms[0].algorithm: "BBR" cannot be an algorithm (did you mean bbr?); allowed`}},
	{"capitals are not all", "version: 1\nalgorithms: [New Reno, _BBR]\n",
		[]string{`2:14 algorithms[0]: "New Reno" cannot be an algorithm; allowed`, `2:24 algorithms[1]: "_BBR" cannot be an algorithm; allowed`}},
	{"long algorithm", "version: 1\nalgorithms: [abcdefghijklmnop]\n", []string{"2:14 algorithms[0]: \"abcdefghijklmnop\" cannot be an algorithm"}},
	{"algorithm that is no label", "version: 1\nalgorithms: [_bbr]\n", []string{`2:14 algorithms[0]: "_bbr" cannot be an algorithm`}},
	{"algorithm is no text", "version: 1\nalgorithms: [1, ~, [a], true]\n",
		[]string{`2:14 algorithms[0]: "1" is not text`, "2:17 algorithms[1]: has no value", "2:20 algorithms[2]: is a list; it must be a single value", `2:25 algorithms[3]: "true" is not text`}},
	{"same algorithm twice", "version: 1\nalgorithms: [bbr, cubic, bbr]\n",
		[]string{"2:26 algorithms[2]: the name bbr is that of algorithms[0] (line 2) too"}},
	{"same algorithm by two names", "version: 1\nalgorithms:\n  - reno\n  - newreno\n",
		[]string{"4:5 algorithms[1]: newreno and reno (line 3) are identical arms: the kernel's reno with the same sysctls, the same thing measured twice"}},
	{"same arm by two names", "version: 1\nsysctl: {net.ipv4.tcp_rmem: 1 2 3}\narms:\n  - {name: a, algorithm: cubic}\n  - {name: b, algorithm: cubic, sysctl: {net.ipv4.tcp_rmem: \"1\\t2 3\"}}\n",
		[]string{"5:5 arms[1]: b and a (line 4) are identical arms"}},
	{"two arms of one name", "version: 1\narms:\n  - {name: a, algorithm: cubic}\n  - {name: a, algorithm: bbr}\n",
		[]string{"4:5 arms[1]: the name a is that of arms[0] (line 3) too"}},
	{"arm without an algorithm", "version: 1\narms:\n  - {name: a}\n", []string{"3:5 arms[0].algorithm: missing; write the congestion control"}},
	{"arm that is a word", "version: 1\narms: [cubic]\n", []string{"2:8 arms[0]: is text; it must be a mapping with name, algorithm, sysctl"}},
	{"unknown key of an arm", "version: 1\narms:\n  - {name: a, algoritm: cubic}\n",
		[]string{"3:5 arms[0].algorithm: missing", "3:15 arms[0].algoritm: unknown key (did you mean algorithm?)"}},
	{"name of an arm", "version: 1\narms:\n  - {name: \"a b\", algorithm: cubic}\n", []string{`3:12 arms[0].name: "a b"; allowed`}},
	{"baseline that is no arm", minimal + "baseline: cubik\n", []string{"3:11 baseline: cubik is no arm (did you mean cubic?); allowed: newreno, cubic"}},
	{"baseline by the kernel's name", minimal + "baseline: reno\n", []string{"3:11 baseline: reno is no arm; allowed: newreno, cubic"}},

	// Path.
	{"no engine", minimal + "path:\n  rate: 10mbit\n", []string{"4:3 path.engine: missing; allowed: userspace (ccbench's own relay), direct (a veth pair, unshaped)"}},
	{"engine to come", minimal + "path: {engine: kernel}\n", []string{"3:16 path.engine: kernel is not supported yet; allowed: userspace, direct"}},
	{"real network", minimal + "path: {engine: none}\n", []string{"3:16 path.engine: none is not supported yet"}},
	{"unknown engine", minimal + "path: {engine: user-space}\n", []string{`3:16 path.engine: "user-space" is unknown (did you mean userspace?)`}},
	{"path is a word", minimal + "path: userspace\n", []string{"3:7 path: is text; it must be a mapping with engine,"}},
	{"shaped veth", minimal + "path:\n  engine: direct\n  rate: 1gbit\n  rtt: 1ms\n  buffer: 1bdp\n  overhead: 14\n",
		[]string{"5:3 path.rate: contradicts engine direct", "6:3 path.rtt: contradicts engine direct",
			"7:3 path.buffer: contradicts engine direct", "8:3 path.overhead: contradicts engine direct"}},
	{"rate without a unit", minimal + "path: {engine: userspace, rate: 100}\n",
		[]string{`3:33 path.rate: "100" is not a rate: it has no unit; write a number and bit, kbit, mbit or gbit`}},
	{"rate in bytes", minimal + "path: {engine: userspace, rate: 100mbps}\n", []string{`3:33 path.rate: "100mbps": tc(8) takes mbps for bytes per second`}},
	{"slow", minimal + "path: {engine: userspace, rate: 999bit}\n", []string{"3:33 path.rate: is 999bit; allowed: 1kbit to 100gbit"}},
	{"fast", minimal + "path: {engine: userspace, rate: 101gbit}\n", []string{"3:33 path.rate: is 101gbit; allowed"}},
	{"short rtt", minimal + "path: {engine: userspace, rtt: 999us}\n", []string{"3:32 path.rtt: is 999us; allowed: 1ms to 10s"}},
	{"no rtt", minimal + "path: {engine: userspace, rtt: 0s}\n", []string{"3:32 path.rtt: is 0s; allowed"}},
	{"small mtu", minimal + "path: {engine: direct, mtu: 575}\n", []string{"3:29 path.mtu: is 575; allowed: 576 to 9000"}},
	{"large mtu", minimal + "path: {engine: direct, mtu: 65536}\n", []string{"3:29 path.mtu: is 65536; allowed"}},
	{"mtu with a unit", minimal + "path: {engine: direct, mtu: 1500B}\n", []string{`3:29 path.mtu: "1500B" is not a decimal whole number`}},
	{"overhead", minimal + "path: {engine: userspace, overhead: 1001}\n", []string{"3:37 path.overhead: is 1001; allowed: 0 to 1000"}},
	{"buffer without a unit", minimal + "path: {engine: userspace, buffer: 100}\n", []string{`3:35 path.buffer: "100" is not a buffer; write it as 1bdp, 250KB, 200pkt or 20ms`}},
	{"buffer in bits", minimal + "path: {engine: userspace, buffer: 250kb}\n", []string{`3:35 path.buffer: "250kb" is not a buffer`}},
	{"buffer of no size", minimal + "path: {engine: userspace, buffer: 1.5.5KB}\n", []string{`3:35 path.buffer: "1.5.5KB" is not a size`}},
	{"half a packet", minimal + "path: {engine: userspace, buffer: 0.5pkt}\n", []string{`3:35 path.buffer: "0.5pkt" is not a whole number of packets`}},
	{"negative buffer", minimal + "path: {engine: userspace, buffer: -1bdp}\n", []string{`3:35 path.buffer: "-1bdp" is not a number of BDPs`}},
	{"no buffer", minimal + "path: {engine: userspace, buffer: 0bdp}\n", []string{"3:35 path.buffer: 0bdp is 0 B, less than one packet (mtu + overhead: 1514 B)"}},
	{"one byte short of a packet", minimal + "path: {engine: userspace, overhead: 38, buffer: 1537B}\n", []string{"3:49 path.buffer: 1537B is 1537 B, less than one packet (mtu + overhead: 1538 B)"}},
	{"default buffer too small", minimal + "path:\n  engine: userspace\n  rate: 100kbit\n", []string{"4:3 path.buffer: 1bdp is 500 B, less than one packet"}},
	{"buffer beyond socket buffers", minimal + "path: {engine: userspace, buffer: 1GiB}\n",
		[]string{"3:35 path.buffer: 1GiB is 1073741824 B, with the path's 500000 B (rate x rtt) more than socket buffers allow for; allowed together: 536870911 B"}},
	{"buffer beyond 64 bits", minimal + "path: {engine: userspace, buffer: 9999999999999999999999bdp}\n", []string{"3:35 path.buffer: 9999999999999999999999bdp is "}},
	{"path beyond socket buffers", minimal + "path: {engine: userspace, rate: 100gbit, rtt: 1s}\n", []string{"3:7 path: rate x rtt is 12500000000 B, more than socket buffers allow for; allowed, the buffer included: 536870911 B"}},
	{"path and buffer beyond socket buffers", minimal + "path: {engine: userspace, rate: 100gbit, rtt: 1s, buffer: 1GiB}\n",
		[]string{"3:7 path: rate x rtt is", "3:59 path.buffer: 1GiB is 1073741824 B, more than socket buffers allow for; allowed, rate x rtt included: 536870911 B"}},
	{"buffer in capitals", minimal + "path: {engine: userspace, buffer: 0.5BDP}\n",
		[]string{`3:35 path.buffer: "0.5BDP" is not a buffer: units are lower case (did you mean 0.5bdp?); write it as 1bdp, 250KB`}},
	{"packets in capitals", minimal + "path: {engine: userspace, buffer: 200Pkt}\n", []string{`3:35 path.buffer: "200Pkt" is not a buffer: units are lower case (did you mean 200pkt?)`}},
	{"time of a buffer in capitals", minimal + "path: {engine: userspace, buffer: 20MS}\n", []string{`3:35 path.buffer: "20MS" is not a buffer: units are lower case (did you mean 20ms?)`}},
	{"buffer in kB", minimal + "path: {engine: userspace, buffer: 250kB}\n", []string{`3:35 path.buffer: "250kB" is not a size: "kB" is not one of its units (did you mean 250KB?)`}},
	{"buffer in doubt", minimal + "path: {engine: userspace, buffer: 250Kb}\n", []string{`3:35 path.buffer: "250Kb" is not a buffer; write it as`}},
	{"rate in capitals", minimal + "path: {engine: userspace, rate: 1Gbit}\n", []string{`3:33 path.rate: "1Gbit" is not a rate: units are lower case (did you mean 1gbit?); write`}},
	{"rate with a blank", minimal + "path: {engine: userspace, rate: 20 mbit}\n", []string{`3:33 path.rate: "20 mbit" is not a rate; write it without the blank: 20mbit`}},
	{"buffer with a blank", minimal + "path: {engine: userspace, buffer: 0.5 bdp}\n", []string{`3:35 path.buffer: "0.5 bdp" is not a buffer; write it without the blank: 0.5bdp`}},
	{"size of a buffer with a blank", minimal + "path: {engine: userspace, buffer: 250 KB}\n", []string{`3:35 path.buffer: "250 KB" is not a buffer; write it without the blank: 250KB`}},
	{"time of a buffer with a blank", minimal + "path: {engine: userspace, buffer: 20 ms}\n", []string{`3:35 path.buffer: "20 ms" is not a buffer; write it without the blank: 20ms`}},
	{"packets with a blank and in capitals", minimal + "path: {engine: userspace, buffer: 200 Pkt}\n", []string{`3:35 path.buffer: "200 Pkt" is not a buffer: units are lower case (did you mean 200pkt?)`}},
	{"duration with a blank", minimal + "duration: 10 s\n", []string{`3:11 duration: "10 s" is not a duration; write it without the blank: 10s`}},
	{"percentage with a blank", minimal + "drop: {mode: random, probability: 1 %}\n", []string{`3:35 drop.probability: "1 %" is not a percentage; write it without the blank: 1%`}},
	{"key in capitals", minimal + "path: {engine: userspace, RTT: 10ms}\n", []string{"3:27 path.RTT: unknown key (did you mean rtt?)"}},

	// Lists where a matrix could vary the key.
	{"a list of rtts", minimal + "path: {engine: userspace, rtt: [15ms, 60ms]}\n",
		[]string{"3:32 path.rtt: is a list; it must be a single value; to vary it, write matrix: {path.rtt: [15ms, 60ms]}"}},
	{"lists of numbers", minimal + "flows: [1, 4]\ndrop: {mode: nth, every: [50, 100]}\nduration: [1s, 2s]\n",
		[]string{"3:8 flows: is a list; it must be a single value; to vary it, write matrix: {flows: [1, 4]}",
			"4:26 drop.every: is a list; it must be a single value; to vary it, write matrix: {drop.every: [50, 100]}",
			"5:11 duration: is a list; it must be a single value; to vary it, write matrix: {duration: [1s, 2s]}"}},
	{"a list in the one rule of a list", minimal + "drop: [{mode: [nth, random], every: [5, 6]}]\n",
		[]string{"3:15 drop[0].mode: is a list; it must be a single value; to vary it, write matrix: {drop.mode: [nth, random]}",
			"3:37 drop[0].every: is a list; it must be a single value; to vary it, write matrix: {drop.every: [5, 6]}"}},
	{"a list of a sysctl", minimal + "sysctl: {net.ipv4.tcp_ecn: [0, 1], net.ipv4.tcp_rmem: [1 2 3, 4 5 6]}\n",
		[]string{"3:28 sysctl.net.ipv4.tcp_ecn: is a list; it must be a single value; to vary it, write matrix: {sysctl.net.ipv4.tcp_ecn: [0, 1]}",
			"3:55 sysctl.net.ipv4.tcp_rmem: is a list; it must be a single value; to vary it, write matrix: {sysctl.net.ipv4.tcp_rmem: [1 2 3, 4 5 6]}"}},
	{"lists of no plain values", minimal + "warmup: [\"1s\", 2s]\nduration: [1s, 1s]\ninterval: []\npath: {engine: userspace, rtt: [1ms, [2ms]], mtu: [576, 577, 578, 579, 580, 581, 582, 583, 584]}\n",
		[]string{"3:9 warmup: is a list; it must be a single value; to vary it, write its values as in matrix: {path.rtt: [10ms, 40ms]}",
			"4:11 duration: is a list; it must be a single value; to vary it, write its values as in matrix: {path.rtt: [10ms, 40ms]}",
			"5:11 interval: is a list; it must be a single value; to vary it, write its values as in matrix: {path.rtt: [10ms, 40ms]}",
			"6:32 path.rtt: is a list; it must be a single value; to vary it, write its values as in", "6:51 path.mtu: is a list; it must be a single value; to vary it, write its values as in"}},

	// Drop.
	{"no mode", minimal + "drop: {every: 100}\n", []string{"3:7 drop.mode: missing; allowed: nth, random"}},
	{"empty rule", minimal + "drop: {}\n", []string{"3:7 drop.mode: missing"}},
	{"unknown mode", minimal + "drop: {mode: nht, every: 100}\n", []string{`3:14 drop.mode: "nht" is unknown (did you mean nth?); allowed: nth, random`}},
	{"nth without every", minimal + "drop: {mode: nth}\n", []string{"3:7 drop.every: missing: mode nth"}},
	{"nth with probability", minimal + "drop: {mode: nth, every: 5, probability: 1%}\n", []string{"3:29 drop.probability: belongs to mode random"}},
	{"random without probability", minimal + "drop: {mode: random}\n", []string{"3:7 drop.probability: missing: mode random drops each packet by chance; write a percentage such as 1%"}},
	{"random with every and first", minimal + "drop: {mode: random, probability: 1%, every: 5, first: 2}\n",
		[]string{"3:39 drop.every: belongs to mode nth", "3:49 drop.first: belongs to mode nth"}},
	{"every packet", minimal + "drop: {mode: nth, every: 1}\n", []string{"3:26 drop.every: is 1; allowed: 2 to 1000000000"}},
	{"first of none", minimal + "drop: {mode: nth, every: 5, first: 0}\n", []string{"3:36 drop.first: is 0; allowed: 1 to"}},
	{"first beyond every", minimal + "drop: {mode: nth, every: 5, first: 6}\n", []string{"3:36 drop.first: is 6; allowed: 1 to every, which is 5"}},
	{"probability as a number", minimal + "drop: {mode: random, probability: 0.01}\n", []string{`3:35 drop.probability: "0.01" is not a percentage: it has no % sign`}},
	{"no chance", minimal + "drop: {mode: random, probability: 0%}\n", []string{"3:35 drop.probability: is 0%; allowed: 0.0001% to 99.9999%"}},
	{"certainty", minimal + "drop: {mode: random, probability: 100%}\n", []string{"3:35 drop.probability: is 100%; allowed"}},
	{"super-packets", minimal + "drop: {mode: nth, every: 5, unit: skb}\n", []string{"3:35 drop.unit: skb is not supported yet; allowed: segment"}},
	{"two rules", minimal + "drop:\n  - {mode: nth, every: 100}\n  - {mode: nth, every: 50}\n",
		[]string{"5:5 drop[1]: the rules of lines 4 and 5 match the same data packets"}},
	{"wrong in a list", minimal + "drop:\n  - {mode: nth, every: one}\n", []string{`4:24 drop[0].every: "one" is not a decimal`}},
	{"no rules", minimal + "drop: []\n", []string{"3:7 drop: an empty list"}},
	{"drop is a number", minimal + "drop: 100\n", []string{"3:7 drop: is a single value; it must be a mapping with mode, every, first, probability, unit, such as {mode: nth, every: 100}"}},
	{"drop is a percentage", minimal + "drop: 1%\n", []string{"3:7 drop: is text; it must be a mapping with mode, every, first, probability, unit, such as {mode: nth, every: 100}"}},
	{"a percentage in a list", minimal + "drop: [1%]\n", []string{"3:8 drop[0]: is text; it must be a mapping with mode,"}},

	// Sysctls.
	{"algorithm by sysctl", minimal + "sysctl: {net.ipv4.tcp_congestion_control: bbr}\n",
		[]string{"3:10 sysctl.net.ipv4.tcp_congestion_control: the algorithm is set on each socket; name it in algorithms"}},
	{"ccbench's own", minimal + "sysctl: {net.mptcp.enabled: 1, net.ipv4.tcp_no_metrics_save: 0}\n",
		[]string{"3:10 sysctl.net.mptcp.enabled: ccbench sets it to 0", "3:32 sysctl.net.ipv4.tcp_no_metrics_save: ccbench sets it to 1"}},
	{"not the network's", minimal + "sysctl: {kernel.panic: 1}\n", []string{"3:10 sysctl.kernel.panic: not a key of a network namespace"}},
	{"climbing out", minimal + "sysctl: {net.ipv4.../../kernel: 1, net.ipv4..x: 1, net.core.: 1}\n",
		[]string{"3:10 sysctl.net.ipv4.../../kernel: not a sysctl key; allowed: a-z", "3:36 sysctl.net.ipv4..x: not a sysctl key: a part of it is empty", "3:52 sysctl.net.core.: not a sysctl key: a part"}},
	{"slashes", minimal + "sysctl: {net/ipv4/tcp_ecn: 1}\n", []string{"3:10 sysctl.net/ipv4/tcp_ecn: not a sysctl key"}},
	{"nested", minimal + "sysctl: {net.ipv4.x: {tcp_ecn: 1}}\n", []string{"3:22 sysctl.net.ipv4.x: is a mapping; it must be a single value"}},
	{"no mapping", minimal + "sysctl: [net.ipv4.tcp_ecn=1]\n", []string{"3:9 sysctl: is a list; it must be a mapping such as"}},
	{"values", minimal + "sysctl:\n  net.ipv4.a: yes\n  net.ipv4.b: true\n  net.ipv4.c: 010\n  net.ipv4.d:\n  net.ipv4.e: \"\"\n  net.ipv4.f: \"1\\n2\"\n",
		[]string{"5:15 sysctl.net.ipv4.b: true is a YAML truth value; write 0 or 1", `6:15 sysctl.net.ipv4.c: "010" can be read as several numbers`,
			"7:14 sysctl.net.ipv4.d: has no value", "8:15 sysctl.net.ipv4.e: has no value", `9:15 sysctl.net.ipv4.f: "1\n2" is not a sysctl value`}},
	{"the whole machine's", minimal + "sysctl:\n  net.core.rmem_max: 1000000\n  net.ipv4.tcp_mem: 1 2 3\n  net.core.optmem_max: 1000\n  net.core.somaxcon: 1\n  net.core.default_qdisc: fq\n",
		[]string{"4:3 sysctl.net.core.rmem_max: not a setting of a network namespace: net.core is the whole machine's, except for bypass_prot_mem,",
			"5:3 sysctl.net.ipv4.tcp_mem: not a setting of a network namespace: it is the whole machine's",
			"7:3 sysctl.net.core.somaxcon: not a setting of a network namespace (did you mean somaxconn?): net.core",
			"8:3 sysctl.net.core.default_qdisc: not a setting of a network namespace: net.core"}},
	{"of an arm", "version: 1\narms:\n  - algorithm: bbr\n    sysctl: {net.ipv4.tcp_ecn: 0x1}\n",
		[]string{`4:32 arms[0].sysctl.net.ipv4.tcp_ecn: "0x1" can be read as several numbers`}},

	// What is wrong is said whatever else is wrong.
	{"buffer of a bad path", minimal + "path: {engine: userspace, rate: 100, rtt: 1x, mtu: 1, buffer: 0.5BDP}\n",
		[]string{"3:33 path.rate:", "3:43 path.rtt:", "3:52 path.mtu:", `3:63 path.buffer: "0.5BDP" is not a buffer`}},
	{"size of a buffer on a bad path", minimal + "path: {engine: userspace, rate: 100, buffer: 1pkt, overhead: 1}\nwarmup: 5\n",
		[]string{"3:33 path.rate:", `4:9 warmup:`}},
	{"small buffer of a bad path", minimal + "path: {engine: userspace, rate: 100, buffer: 100B}\n",
		[]string{"3:33 path.rate:", "3:46 path.buffer: 100B is 100 B, less than one packet"}},
	{"large buffer of a bad path", minimal + "path: {engine: userspace, rate: 100, rtt: 1, mtu: 1, buffer: 1GiB}\n",
		[]string{"3:33 path.rate:", "3:43 path.rtt:", "3:51 path.mtu:", "3:62 path.buffer: 1GiB is 1073741824 B, more than"}},
	{"long path with a bad buffer", minimal + "path: {engine: userspace, rate: 100gbit, rtt: 1s, buffer: x}\n",
		[]string{"3:7 path: rate x rtt is 12500000000 B", `3:59 path.buffer: "x" is not a buffer`}},
	{"a buffer that waits for its path", minimal + "path: {engine: userspace, rate: 1Mbit, rtt: 10s, buffer: 1bdp}\n", []string{"3:33 path.rate:"}},
	{"a buffer that waits for a key's name", minimal + "path: {engine: userspace, rat: 100mbit, rtt: 10s, buffer: 100bdp}\n",
		[]string{"3:27 path.rat: unknown key (did you mean rate?)"}},
	{"interval with bad repetitions", minimal + "repetitions: 0\nduration: 500ms\ninterval: 600ms\n",
		[]string{"3:14 repetitions:", "5:11 interval: is 600ms, longer than the duration of 500ms"}},
	{"interval with a bad duration", minimal + "duration: 500\ninterval: 600ms\n", []string{"3:11 duration:"}},
	{"samples with bad repetitions", minimal + "repetitions: 0\nduration: 10m\nflows: 1024\n", []string{"1:1 interval: is 10ms, which makes", "3:14 repetitions:"}},
	{"both forms, and wrong", "version: 1\nalgorithms: [bbr, bbr]\nbaseline: x\narms:\n  - {name: a, algorithm: cubic}\n  - {name: a, algorithm: bbr}\n  - {algo: reno}\n  - {name: bbr, algorithm: bbr}\n",
		[]string{"2:19 algorithms[1]: the name bbr is that of algorithms[0]", "4:1 arms: excludes algorithms (lines 2 and 4)",
			"6:5 arms[1]: the name a is that of arms[0]", "7:5 arms[2].algorithm: missing", "7:6 arms[2].algo: unknown key",
			"8:5 arms[3]: bbr and a (line 6) are identical arms"}},
	{"both forms and a baseline of neither", "version: 1\nalgorithms: [bbr]\narms: [{algorithm: cubic}]\nbaseline: reno\n",
		[]string{"3:1 arms: excludes", "4:11 baseline: reno is no arm; allowed: bbr, cubic"}},
	{"names of bad arms", "version: 1\narms:\n  - {name: a, algorithm: CUBIC}\n  - {name: a, algorithm: bbr, sysctl: 1}\nbaseline: b\n",
		[]string{`3:26 arms[0].algorithm: "CUBIC"`, "4:5 arms[1]: the name a is that of arms[0]", "4:39 arms[1].sysctl: is a single value", "5:11 baseline: b is no arm; allowed: a, a"}},
	{"bad arms are not identical", "version: 1\narms:\n  - {name: a, algorithm: bbr, sysctl: {net.ipv4.x: }}\n  - {name: b, algorithm: bbr, sysctl: {net.ipv4.x: }}\n",
		[]string{"3:52 arms[0].sysctl.net.ipv4.x: has no value", "4:52 arms[1].sysctl.net.ipv4.x: has no value"}},
	{"baseline beside a bad arm", "version: 1\nalgorithms: [reno, 7]\nbaseline: a b\n", []string{"2:20 algorithms[1]:", `3:11 baseline: "a b"; allowed`}},
	{"baseline that may be the bad arm", "version: 1\nalgorithms: [reno, Cubic]\nbaseline: cubic\n", []string{"2:20 algorithms[1]:"}},
	{"trials with a bad arm", "version: 1\nalgorithms: [a, b, c, d, e, f, g, h, i, j, 7]\nrepetitions: 10000\n",
		[]string{"2:44 algorithms[10]:", "3:14 repetitions: 10000 of 11 arms"}},
	{"every and first", minimal + "drop: {mode: nth, first: x}\n", []string{"3:7 drop.every: missing", `3:26 drop.first: "x" is not`}},
	{"first beyond every of an unknown mode", minimal + "drop: {mode: nht, every: 5, first: 6}\n", []string{"3:14 drop.mode:", "3:36 drop.first: is 6; allowed: 1 to every"}},

	// Another kind of file.
	{"results", `{"type":"header","version":1}` + "\n" + strings.Repeat("x", maxSize), []string{"1:1 : a results file, not an experiment; print it with ccbench compare"}},
	{"results written by another", "\n{ \"type\": \"header\", \"version\": 1}\n{}\n", []string{"1:1 : a results file"}},
	{"a mapping in braces", "{type: header}\n", []string{"1:1 version: missing", "1:1 algorithms: missing", "1:2 type: unknown key"}},

	// All of them at once, in the order of the file.
	{"all at once", "version: 1\nflows: 0\nalgorithms: [reno]\ndrop: {mode: nth, every: 1}\npath: {engine: direct, rate: 1mbit, mtu: 1}\nsede: 1\nduration: 1\n",
		[]string{"2:8 flows:", "4:26 drop.every:", "5:24 path.rate:", "5:42 path.mtu:", "6:1 sede: unknown key (did you mean seed?)", "7:11 duration:"}},
}

func TestBadFiles(t *testing.T) {
	for _, c := range badFiles {
		t.Run(c.name, func(t *testing.T) { checkBad(t, c.text, c.want) })
	}
}

// checkBad wants exactly the errors of want, in that order.
func checkBad(t *testing.T, text string, want []string) {
	t.Helper()
	e, err := Parse("bad.yaml", []byte(text))
	var got Errors
	if !errors.As(err, &got) || e != nil {
		t.Fatalf("got %v, %v, want errors and no experiment", e, err)
	}
	matches := func(e *Error, w string) bool {
		return strings.HasPrefix(fmt.Sprintf("%d:%d %s: %s", e.Line, e.Column, e.Key, e.Problem), w)
	}
	if !slices.EqualFunc(got, want, matches) {
		t.Errorf("got\n%v\nwant\n%s", got, strings.Join(want, "\n"))
	}
	for _, e := range got {
		if e.File != "bad.yaml" || strings.Contains(e.Error(), "\n") {
			t.Errorf("not one line of bad.yaml: %q", e.Error())
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  Error
		want string
	}{
		{Error{File: "a.yaml", Line: 3, Column: 7, Key: "path.rate", Problem: "is bad"}, "a.yaml:3:7: path.rate: is bad"},
		{Error{File: "a.yaml", Line: 3, Problem: "is bad"}, "a.yaml:3: is bad"},
		{Error{File: "a.yaml", Set: 2, Key: "path.rate", Problem: "is bad"}, "--set #2: path.rate: is bad"},
	} {
		check(t, "error", c.err.Error(), c.want)
	}
	check(t, "errors", Errors{{File: "a", Line: 1, Column: 1, Key: "x", Problem: "y"}, {File: "a", Line: 2, Column: 1, Key: "x", Problem: "z"}}.Error(), "a:1:1: x: y\na:2:1: x: z")
}

func TestNameFromTheFile(t *testing.T) {
	for _, file := range []string{"-", "my file.yaml", ".yaml", "<stdin>"} {
		if _, err := Parse(file, []byte(minimal)); err == nil || !strings.Contains(err.Error(), "name: missing") {
			t.Errorf("%s: got %v, want a missing name", file, err)
		}
		if _, err := Parse(file, []byte(minimal+"name: x\n")); err != nil {
			t.Errorf("%s with a name: %v", file, err)
		}
	}
}

// What no matrix can vary is not offered to one.
func TestNoMatrixForAll(t *testing.T) {
	_, err := Parse("x.yaml", []byte("version: 1\narms: [{algorithm: bbr, sysctl: {net.ipv4.tcp_ecn: [0, 1]}}]\nname: [a]\nseed: [1, 2]\nsysctl: {kernel.panic: [0, 1]}\n"))
	if err == nil || strings.Count(err.Error(), "is a list") != 4 || strings.Contains(err.Error(), "matrix") {
		t.Errorf("got %v", err)
	}
}
