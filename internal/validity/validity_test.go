package validity

import (
	"slices"
	"testing"

	"ccbench/internal/result"
)

func num(v float64) *float64 { return &v }
func count(v int64) *int64   { return &v }

// goodTrial is a trial of two flows with which nothing is wrong.
func goodTrial() *result.Trial {
	at := func(time float64, sent int64) *result.TCP {
		return &result.TCP{T: time, BytesSent: count(sent), RwndLimited: num(0), SndbufLimited: num(0)}
	}
	flow := func(id int) result.Flow {
		return result.Flow{
			Flow: id, Requested: "cubic", BeforeConnect: "cubic", AfterConnect: "cubic", AtEnd: "cubic",
			Open: at(1, 100_000), Close: at(5, 500_000), Final: at(5.1, 510_000),
			ReceivedOpen: count(90_000), ReceivedClose: count(490_000), Received: count(505_000),
		}
	}
	direction := result.Direction{PacketsIn: 1010, PacketsOut: 1000, BytesOut: 1_500_000, DropsQueue: 7, Held: 3}
	return &result.Trial{
		Labels: map[string]string{"arm": "cubic"},
		Window: result.Window{Warmup: 1, Duration: 4, Sender: num(4.0001), Receiver: num(3.9999)},
		Flows:  []result.Flow{flow(0), flow(1)},
		Drop:   &result.Drop{Mode: "nth", Every: 100, First: 37, Final: &result.DropCounter{Matched: 1000, Hits: 10}},
		Path:   &result.Path{Data: direction, Ack: direction},
		Links:  []result.Link{{Side: result.Sender, Name: "ccb0"}, {Side: result.Receiver, Name: "ccb0"}},
	}
}

func pause(t *result.Trial, longest float64) {
	t.Path.Rate, t.Path.Buffer, t.Path.Data.LatenessMax = 10_000_000, 5000, num(longest)
}

// holes gives the first flow segments of 1000 bytes behind holes.
func holes(t *result.Trial, open, close int64) {
	for i := range t.Flows {
		t.Flows[i].MSS = count(1000)
		t.Flows[i].Open.Sacked, t.Flows[i].Close.Sacked = count(0), count(0)
	}
	t.Flows[0].Open.Sacked, t.Flows[0].Close.Sacked = count(open), count(close)
}

// spurious gives the trial so many retransmits of what was not lost.
func spurious(t *result.Trial, n, sent int64) {
	t.Flows[0].Final.DSACKDups, t.Flows[0].Final.DataSegsOut = count(n), count(sent)
	t.Flows[1].Final.DSACKDups, t.Flows[1].Final.DataSegsOut = count(0), count(0)
}

// spoiled is what a change to a good trial leads to: the verdict and, unless
// it is VALID, the only check that must fail.
type spoiled struct {
	name    string
	spoil   func(*result.Trial)
	verdict result.Verdict
	check   string
}

var cases = []spoiled{
	{"nothing", func(*result.Trial) {}, result.Valid, ""},
	{"error", func(t *result.Trial) { t.Error = "agent died" }, result.Invalid, "error"},
	{"error and all that follows", func(t *result.Trial) { *t = result.Trial{Error: "agent died"} }, result.Invalid, "error"},
	{"no flows", func(t *result.Trial) { t.Flows = nil }, result.Invalid, "flows"},
	{"a dead flow", func(t *result.Trial) { t.Flows[1].Error = "connection reset" }, result.Invalid, "flow_error"},

	{"other algorithm before", func(t *result.Trial) { t.Flows[1].BeforeConnect = "reno" }, result.Invalid, "algorithm"},
	{"other algorithm after", func(t *result.Trial) { t.Flows[1].AfterConnect = "reno" }, result.Invalid, "algorithm"},
	{"other algorithm at the end", func(t *result.Trial) { t.Flows[1].AtEnd = "reno" }, result.Invalid, "algorithm"},
	{"algorithm not read back", func(t *result.Trial) { t.Flows[0].AtEnd = "" }, result.Invalid, "algorithm"},
	{"algorithm nowhere", func(t *result.Trial) {
		f := &t.Flows[0]
		f.Requested, f.BeforeConnect, f.AfterConnect, f.AtEnd = "", "", "", ""
	}, result.Invalid, "algorithm"},
	{"mptcp", func(t *result.Trial) { t.Flows[1].MPTCP = true }, result.Invalid, "mptcp"},

	{"no sample at the open", func(t *result.Trial) { t.Flows[1].Open = nil }, result.Invalid, "samples"},
	{"no sample at the close", func(t *result.Trial) { t.Flows[1].Close = nil }, result.Invalid, "samples"},
	{"no sample at the end", func(t *result.Trial) { t.Flows[1].Final = nil }, result.Invalid, "samples"},
	{"open is close", func(t *result.Trial) { t.Flows[1].Open.T = 5 }, result.Invalid, "samples"},
	{"end is close", func(t *result.Trial) { t.Flows[1].Final.T = 5 }, result.Valid, ""},
	{"end before close", func(t *result.Trial) { t.Flows[1].Final.T = 4.9 }, result.Invalid, "samples"},

	{"sender's window 1 % short", func(t *result.Trial) { t.Window.Sender = num(4 * 0.9901) }, result.Valid, ""},
	{"sender's window shorter", func(t *result.Trial) { t.Window.Sender = num(4 * 0.9899) }, result.Invalid, "window"},
	{"receiver's window 1 % long", func(t *result.Trial) { t.Window.Receiver = num(4 * 1.0099) }, result.Valid, ""},
	{"receiver's window longer", func(t *result.Trial) { t.Window.Receiver = num(4 * 1.0101) }, result.Invalid, "window"},
	{"no sender's window", func(t *result.Trial) { t.Window.Sender = nil }, result.Invalid, "window"},
	{"no receiver's window", func(t *result.Trial) { t.Window.Receiver = nil }, result.Invalid, "window"},
	{"no duration", func(t *result.Trial) { t.Window.Duration = 0 }, result.Invalid, "window"},

	{"bytes not counted at the open", func(t *result.Trial) { t.Flows[1].ReceivedOpen = nil }, result.Invalid, "received"},
	{"bytes not counted at the close", func(t *result.Trial) { t.Flows[1].ReceivedClose = nil }, result.Invalid, "received"},
	{"bytes not counted at the end", func(t *result.Trial) { t.Flows[1].Received = nil }, result.Invalid, "received"},
	{"all that was written received", func(t *result.Trial) { t.Flows[1].Written = count(505_000) }, result.Valid, ""},
	{"more received than written", func(t *result.Trial) { t.Flows[1].Written = count(504_999) }, result.Invalid, "received"},
	{"nothing received", func(t *result.Trial) { receive(t, 0, 0, 0) }, result.Invalid, "received"},
	{"nothing in the window", func(t *result.Trial) { receive(t, 9, 9, 9) }, result.Invalid, "received"},
	{"one byte in the window", func(t *result.Trial) { receive(t, 9, 9, 10); *t.Flows[1].ReceivedClose = 10 }, result.Valid, ""},
	{"nothing before the window", func(t *result.Trial) { receive(t, 0, 10, 10) }, result.Valid, ""},
	{"counts run backwards", func(t *result.Trial) { receive(t, 10, 9, 10) }, result.Invalid, "received"},
	{"end below close", func(t *result.Trial) { receive(t, 9, 10, 9) }, result.Invalid, "received"},
	{"received all that was sent", func(t *result.Trial) { receive(t, 0, 510_000, 511_000) }, result.Valid, ""},
	{"received more than sent", func(t *result.Trial) { receive(t, 0, 510_001, 511_000) }, result.Invalid, "received"},
	{"sent bytes not counted", func(t *result.Trial) {
		receive(t, 0, 510_001, 511_000)
		t.Flows[0].Final.BytesSent, t.Flows[1].Final.BytesSent = nil, nil
	}, result.Valid, ""},
	{"received all that left the path", func(t *result.Trial) { t.Path.Data.BytesOut = 1_010_000 }, result.Valid, ""},
	{"received more than left the path", func(t *result.Trial) { t.Path.Data.BytesOut = 1_009_999 }, result.Invalid, "received"},

	// 980,000 bytes in 4.9999 s, less a packet of 9,000, are 971,000: at 1 % more than 1.5382 Mbit/s.
	{"rate filled", func(t *result.Trial) {
		t.Path.Rate = 1_539_000 // 980,000 bytes in 5 s, 784,000 of them in the window
		receive(t, 98_000, 490_000, 505_000)
	}, result.Valid, ""},
	{"rate exceeded", func(t *result.Trial) {
		t.Path.Rate = 1_538_000
		receive(t, 98_000, 490_000, 505_000)
	}, result.Invalid, "rate"},
	{"rate exceeded by payload", func(t *result.Trial) {
		// 1448 of 1514 bytes at most are payload.
		t.Path.Rate, t.Path.MTU, t.Path.Overhead = 1_600_000, 1500, 14
		t.Flows[0].MSS, t.Flows[1].MSS = count(1448), count(1448)
	}, result.Invalid, "rate"},

	{"rate exceeded in the window", func(t *result.Trial) {
		// 800,000 bytes in 4 s, and nothing before.
		t.Path.Rate = 1_566_000
		receive(t, 0, 400_000, 505_000)
	}, result.Invalid, "rate"},
	{"rate filled in the window", func(t *result.Trial) {
		t.Path.Rate = 1_567_000
		receive(t, 0, 400_000, 505_000)
	}, result.Valid, ""},

	// Of 800,000 bytes in the window.
	{"holes at the open", func(t *result.Trial) { holes(t, 40, 0) }, result.Valid, ""},
	{"large holes at the open", func(t *result.Trial) { holes(t, 41, 0) }, result.Suspect, "holes"},
	{"large holes at the close", func(t *result.Trial) { holes(t, 0, 41) }, result.Suspect, "holes"},
	{"huge holes at the close", func(t *result.Trial) { holes(t, 0, 81) }, result.Invalid, "holes"},
	{"huge holes at both", func(t *result.Trial) { holes(t, 500, 500) }, result.Valid, ""},

	{"few spurious", func(t *result.Trial) { spurious(t, 10, 100) }, result.Valid, ""},
	{"spurious", func(t *result.Trial) { spurious(t, 11, 11_000) }, result.Valid, ""},
	{"more spurious", func(t *result.Trial) { spurious(t, 12, 11_000) }, result.Suspect, "spurious"},
	{"mostly spurious", func(t *result.Trial) { spurious(t, 111, 11_000) }, result.Invalid, "spurious"},

	{"a rate and no rule", func(t *result.Trial) { t.Drop, t.Path.Rate = nil, 1e9 }, result.Valid, ""},
	{"a rule and no rate", func(t *result.Trial) { t.Path = nil }, result.Valid, ""},
	{"neither rate nor rule", func(t *result.Trial) { t.Drop, t.Path = nil, nil }, result.Suspect, "unlimited"},

	{"a device that drops", func(t *result.Trial) { t.Links[1].RxDropped = 1 }, result.Invalid, "rx_dropped"},
	{"a device that errs in receiving", func(t *result.Trial) { t.Links[1].RxErrors = 1 }, result.Invalid, "rx_dropped"},
	{"a device that errs in sending", func(t *result.Trial) { t.Links[0].TxErrors = 1 }, result.Invalid, "rx_dropped"},

	{"late by what is allowed", func(t *result.Trial) { t.Path.RTT, t.Path.Data.LatenessP99 = 0.04, num(0.002) }, result.Valid, ""},
	{"late", func(t *result.Trial) { t.Path.RTT, t.Path.Data.LatenessP99 = 0.04, num(0.00201) }, result.Suspect, "lateness"},
	{"late acks", func(t *result.Trial) { t.Path.RTT, t.Path.Ack.LatenessP99 = 0.04, num(0.01) }, result.Suspect, "lateness"},
	{"too late", func(t *result.Trial) { t.Path.RTT, t.Path.Data.LatenessP99 = 0.04, num(0.0101) }, result.Invalid, "lateness"},
	{"late on a short path", func(t *result.Trial) { t.Path.RTT, t.Path.Data.LatenessP99 = 0.001, num(0.0005) }, result.Valid, ""},
	{"too late on a short path", func(t *result.Trial) { t.Path.RTT, t.Path.Data.LatenessP99 = 0.001, num(0.0026) }, result.Invalid, "lateness"},
	// 10 Mbit/s empty a buffer of 5000 bytes in 4 ms.
	{"paused for less than the buffer", func(t *result.Trial) { pause(t, 0.004) }, result.Valid, ""},
	{"paused for more than the buffer", func(t *result.Trial) { pause(t, 0.0041) }, result.Suspect, "pause"},
	{"paused acks", func(t *result.Trial) {
		pause(t, 0.001)
		t.Path.Ack.LatenessMax = num(0.0041)
	}, result.Suspect, "pause"},
	// 1010 packets in and 1000 out are 2010 wake-ups.
	{"waited for a CPU", func(t *result.Trial) { t.Path.RTT, t.Path.Data.RunDelay = 0.04, num(2010*0.2e-3) }, result.Valid, ""},
	{"waited longer", func(t *result.Trial) { t.Path.RTT, t.Path.Ack.RunDelay = 0.04, num(2010*0.201e-3) }, result.Suspect, "run_delay"},
	{"waited too long", func(t *result.Trial) { t.Path.RTT, t.Path.Data.RunDelay = 0.04, num(2010*0.801e-3) }, result.Invalid, "run_delay"},
	{"waited on a short path", func(t *result.Trial) { t.Path.RTT, t.Path.Data.RunDelay = 0.001, num(2010*0.099e-3) }, result.Valid, ""},
	{"waited longer on a short path", func(t *result.Trial) { t.Path.RTT, t.Path.Data.RunDelay = 0.001, num(2010*0.101e-3) }, result.Suspect, "run_delay"},
	{"CPUs busy", func(t *result.Trial) { t.CPU = &result.CPU{CPUs: 2, Window: 4, Busy: 7.2} }, result.Valid, ""},
	{"CPUs busier", func(t *result.Trial) { t.CPU = &result.CPU{CPUs: 2, Window: 4, Busy: 7.3} }, result.Suspect, "cpu"},
	{"CPUs stolen", func(t *result.Trial) { t.CPU = &result.CPU{CPUs: 2, Window: 4, Steal: 0.41} }, result.Suspect, "cpu"},

	{"no rule", func(t *result.Trial) { t.Drop, t.Path.Rate = nil, 1e9 }, result.Valid, ""},
	{"rule not read", func(t *result.Trial) { t.Drop.Final = nil }, result.Invalid, "drop_matched"},
	{"no match", func(t *result.Trial) { t.Drop.Final.Matched, t.Drop.Final.Hits = 0, 0 }, result.Invalid, "drop_matched"},
	{"match before the first hit", func(t *result.Trial) { t.Drop.Final.Matched, t.Drop.Final.Hits = 36, 0 }, result.Valid, ""},
	{"first hit", func(t *result.Trial) { t.Drop.Final.Matched, t.Drop.Final.Hits = 37, 1 }, result.Valid, ""},
	{"first hit missed", func(t *result.Trial) { t.Drop.Final.Matched, t.Drop.Final.Hits = 37, 0 }, result.Invalid, "drop_hits"},
	{"second hit too early", func(t *result.Trial) { t.Drop.Final.Matched, t.Drop.Final.Hits = 136, 2 }, result.Invalid, "drop_hits"},
	{"second hit", func(t *result.Trial) { t.Drop.Final.Matched, t.Drop.Final.Hits = 137, 2 }, result.Valid, ""},
	{"a hit too many", func(t *result.Trial) { t.Drop.Final.Hits = 11 }, result.Invalid, "drop_hits"},
	{"a hit too few", func(t *result.Trial) { t.Drop.Final.Hits = 9 }, result.Invalid, "drop_hits"},
	{"super-packets", func(t *result.Trial) { t.Drop.Final.Overlong = 1 }, result.Invalid, "drop_overlong"},
	{"every packet", func(t *result.Trial) { t.Drop.Every, t.Drop.First, t.Drop.Final.Hits = 1, 1, 1000 }, result.Invalid, "drop_hits"},
	{"first is every", func(t *result.Trial) { t.Drop.First = 100 }, result.Valid, ""},
	{"first after every", func(t *result.Trial) { t.Drop.First, t.Drop.Final.Hits = 101, 9 }, result.Invalid, "drop_hits"},
	{"no first", func(t *result.Trial) { t.Drop.First, t.Drop.Final.Hits = 0, 11 }, result.Invalid, "drop_hits"},
	{"unknown mode", func(t *result.Trial) { t.Drop.Mode = "some" }, result.Invalid, "drop_hits"},

	// The bounds were computed in whole numbers by another program.
	{"random, low", func(t *result.Trial) { random(t, 10_000, 55, 0.01) }, result.Valid, ""},
	{"random, too low", func(t *result.Trial) { random(t, 10_000, 54, 0.01) }, result.Invalid, "drop_hits"},
	{"random, high", func(t *result.Trial) { random(t, 10_000, 152, 0.01) }, result.Valid, ""},
	{"random, too high", func(t *result.Trial) { random(t, 10_000, 153, 0.01) }, result.Invalid, "drop_hits"},
	{"random, none by chance", func(t *result.Trial) { random(t, 1000, 0, 0.01) }, result.Valid, ""},
	{"random, no probability", func(t *result.Trial) { random(t, 1000, 0, 0) }, result.Invalid, "drop_hits"},
	{"random, more than matched", func(t *result.Trial) { random(t, 1000, 1001, 0.99) }, result.Invalid, "drop_hits"},

	{"no sender's device", func(t *result.Trial) { t.Links = t.Links[1:] }, result.Invalid, "links"},
	{"no receiver's device", func(t *result.Trial) { t.Links = t.Links[:1] }, result.Invalid, "links"},
	{"device dropped", func(t *result.Trial) { t.Links[1].TxDropped = 1 }, result.Invalid, "tx_dropped"},
	{"qdisc dropped", func(t *result.Trial) { t.Links[0].QdiscDrops = 1 }, result.Invalid, "qdisc_drops"},

	{"no emulator", func(t *result.Trial) { t.Path = nil }, result.Valid, ""},
	{"packet lost", func(t *result.Trial) { t.Path.Data.PacketsIn++ }, result.Invalid, "path_account"},
	{"ACK made up", func(t *result.Trial) { t.Path.Ack.PacketsOut++ }, result.Invalid, "path_account"},
	{"not taken", func(t *result.Trial) { t.Path.Data.DropsWrite++; t.Path.Data.PacketsIn++ }, result.Invalid, "path_write"},
	{"too long", func(t *result.Trial) { t.Path.Ack.DropsOversize++; t.Path.Ack.PacketsIn++ }, result.Invalid, "path_oversize"},

	// Shares are over 4 s, the mean of two flows: 0.4 s of each is 10 %.
	{"5 % limited", func(t *result.Trial) { limit(t, 0.1, 0.0999) }, result.Valid, ""},
	{"over 5 % limited", func(t *result.Trial) { limit(t, 0.1, 0.1001) }, result.Suspect, "limited"},
	{"10 % limited", func(t *result.Trial) { limit(t, 0.3999, 0) }, result.Suspect, "limited"},
	{"over 10 % limited", func(t *result.Trial) { limit(t, 0, 0.4001) }, result.Invalid, "limited"},
	{"limits not known", func(t *result.Trial) { limit(t, 4, 4); t.Flows[0].Close.RwndLimited = nil }, result.Valid, ""},
}

func receive(t *result.Trial, open, end, last int64) {
	for i := range t.Flows {
		f := &t.Flows[i]
		f.ReceivedOpen, f.ReceivedClose, f.Received = count(open), count(end), count(last)
	}
}

func random(t *result.Trial, matched, hits int64, p float64) {
	t.Drop = &result.Drop{Mode: "random", Probability: p, Final: &result.DropCounter{Matched: matched, Hits: hits}}
}

func limit(t *result.Trial, rwnd, sndbuf float64) {
	for i := range t.Flows {
		t.Flows[i].Close.RwndLimited, t.Flows[i].Close.SndbufLimited = num(rwnd), num(sndbuf)
	}
}

func TestJudge(t *testing.T) {
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			trial := goodTrial()
			test.spoil(trial)
			verdict, reasons := Judge(trial)
			if verdict != test.verdict {
				t.Errorf("got %s %+v, want %s", verdict, reasons, test.verdict)
			}
			if (len(reasons) == 0) != (test.check == "") {
				t.Errorf("reasons are %+v, want check %q", reasons, test.check)
			}
			for _, r := range reasons {
				if r.Check != test.check || r.Verdict != test.verdict || r.Detail == "" {
					t.Errorf("reason %+v, want check %s, verdict %s", r, test.check, test.verdict)
				}
			}
		})
	}
}

// Every check is documented, seen to fail above, and rarely wrong.
func TestChecks(t *testing.T) {
	var names []string
	for _, c := range Checks() {
		if c.Rule == "" || c.FalseAlarm < 0 || c.FalseAlarm > 1e-4 || slices.Contains(names, c.Name) {
			t.Errorf("check %q: rule %q, false alarms %g, or twice", c.Name, c.Rule, c.FalseAlarm)
		}
		if !slices.ContainsFunc(cases, func(s spoiled) bool { return s.check == c.Name }) {
			t.Errorf("no case fails check %q", c.Name)
		}
		names = append(names, c.Name)
	}
}

func TestWorstVerdictWins(t *testing.T) {
	trial := goodTrial()
	limit(trial, 0.3, 0)
	trial.Links[0].TxDropped = 1
	verdict, reasons := Judge(trial)
	if verdict != result.Invalid || len(reasons) != 2 || reasons[0].Check != "tx_dropped" || reasons[1].Verdict != result.Suspect {
		t.Errorf("got %s, %+v", verdict, reasons)
	}
}

func TestDetailHasFigures(t *testing.T) {
	trial := goodTrial()
	trial.Drop.Final.Hits = 11
	_, reasons := Judge(trial)
	if want := "every 100, first 37: of 1000 data packets 11 were dropped, not 10"; reasons[0].Detail != want {
		t.Errorf("got %q, want %q", reasons[0].Detail, want)
	}
}

// The verdicts in the file were given by hand.
func TestJudgeAgreesWithFile(t *testing.T) {
	f, err := result.ReadFile("../result/testdata/results-v1-small.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range f.Trials {
		verdict, reasons := Judge(trial)
		if verdict != trial.Verdict || !slices.Equal(reasons, trial.Reasons) {
			t.Errorf("trial %d: got %s %+v, want %s %+v", trial.Trial, verdict, reasons, trial.Verdict, trial.Reasons)
		}
	}
}

func TestMachineChecksAreChecks(t *testing.T) {
	for _, name := range ofMachine {
		if !OfMachine(name) || !slices.ContainsFunc(Checks(), func(c Check) bool { return c.Name == name }) {
			t.Errorf("there is no check %q", name)
		}
	}
	if OfMachine("algorithm") {
		t.Error("another algorithm is said to be the machine's fault")
	}
}
