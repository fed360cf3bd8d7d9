package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const rtts = "matrix: {path.rtt: [10ms, 20ms, 40ms]}"

const userspace = "path: {engine: userspace}"

// byCondition has the trials of each condition.
func byCondition(p *Plan) [][]Trial {
	all := make([][]Trial, len(p.Experiment.Conditions))
	for _, t := range p.Trials {
		all[t.Condition] = append(all[t.Condition], t)
	}
	return all
}

// what a trial is, without its place in the run.
func what(trials []Trial) (all []string) {
	for _, t := range trials {
		first := 0
		if t.Drop != nil {
			first = t.Drop.First
		}
		all = append(all, fmt.Sprintf("%s %d", t.Arm, first))
	}
	return all
}

// The plan of a seed is part of the format: these values must never change.
func TestMatrixGolden(t *testing.T) {
	p := newPlan(t, parse(t, 2, "repetitions: 3", nth100, userspace, rtts))
	var got []string
	for _, t := range p.Trials {
		got = append(got, fmt.Sprintf("%d:%d/%s/%s/%d", t.Index, t.Block, t.Labels["path.rtt"], t.Arm, t.Drop.First))
	}
	check(t, "trials", strings.Join(got, " "), "1:1/20ms/cc1/8 2:1/20ms/cc0/8 3:2/40ms/cc1/8 4:2/40ms/cc0/8 5:3/10ms/cc0/8 6:3/10ms/cc1/8 "+
		"7:4/10ms/cc1/90 8:4/10ms/cc0/90 9:5/20ms/cc0/90 10:5/20ms/cc1/90 11:6/40ms/cc0/90 12:6/40ms/cc1/90 "+
		"13:7/40ms/cc0/72 14:7/40ms/cc1/72 15:8/10ms/cc0/72 16:8/10ms/cc1/72 17:9/20ms/cc1/72 18:9/20ms/cc0/72")
	check(t, "hash", p.Hash, "3c74ec905b7e82323adbe6a6d6e7dcc0255c8b9abf158a60dcea98e27505afb1")
}

// In each repetition every condition has one block of all arms.
func TestMatrixBlocks(t *testing.T) {
	for seed := range 20 {
		e := parse(t, 3, "repetitions: 7", nth100, userspace, rtts, fmt.Sprintf("seed: %d", seed))
		p := newPlan(t, e)
		check(t, "trials", len(p.Trials), 7*3*3)
		for i, trial := range p.Trials {
			check(t, "index", trial.Index, i+1)
			check(t, "block", trial.Block, i/3+1)
			check(t, "condition of the block", trial.Condition, p.Trials[i/3*3].Condition)
			check(t, "phase of the block", trial.Drop.First, p.Trials[i/3*3].Drop.First)
			check(t, "label", trial.Labels["path.rtt"], e.Conditions[trial.Condition].Labels["path.rtt"])
			check(t, "path", trial.Path, e.Conditions[trial.Condition].Path)
		}
		for repetition := range 7 {
			var conditions []int
			for _, trial := range p.Trials[9*repetition : 9*repetition+9] {
				conditions = append(conditions, trial.Condition)
			}
			slices.Sort(conditions)
			check(t, "conditions", conditions, []int{0, 0, 0, 1, 1, 1, 2, 2, 2})
		}
	}
}

// Drift must not become a difference between conditions: in as many
// repetitions as there are conditions each is once at each position.
func TestMatrixPositionsAreBalanced(t *testing.T) {
	p := newPlan(t, parse(t, 1, "repetitions: 3", userspace, rtts))
	times := map[string]int{}
	for i, trial := range p.Trials {
		times[fmt.Sprint(i%3, trial.Condition)]++
	}
	check(t, "times at each position", len(times), 9)
}

// A condition more moves nothing of the others; each meets the same phases.
func TestConditionsDoNotMoveEachOther(t *testing.T) {
	alone := newPlan(t, parse(t, 3, nth100))
	three := byCondition(newPlan(t, parse(t, 3, nth100, userspace, rtts)))
	two := byCondition(newPlan(t, parse(t, 3, nth100, userspace, "matrix: {path.rtt: [10ms, 20ms]}")))
	check(t, "the first as without a matrix", what(three[0]), what(alone.Trials))
	check(t, "the first", what(three[0]), what(two[0]))
	check(t, "the second", what(three[1]), what(two[1]))
	for i := range three[0] {
		check(t, "phase", three[2][i].Drop.First, three[0][i].Drop.First)
	}
	if slices.Equal(what(three[0]), what(three[1])) {
		t.Error("two conditions have the same order of arms")
	}
}

func TestMatrixOfPhases(t *testing.T) {
	p := newPlan(t, parse(t, 1, "repetitions: 30", "drop: {mode: nth}", "matrix: {drop.every: [5, 30]}"))
	for i, every := range []int{5, 30} {
		drawn := map[int]int{}
		for _, trial := range byCondition(p)[i] {
			check(t, "every", trial.Drop.Every, every)
			drawn[trial.Drop.First]++
		}
		check(t, "phases drawn", len(drawn), every) // each as often as any other
	}
}

func TestMatrixPathLabels(t *testing.T) {
	e := parse(t, 1, "path: {engine: userspace, rate: 10mbit}", "matrix: {path.rtt: [10ms, 20ms], flows: [1, 2]}")
	shared, own := PathLabels(e)
	check(t, "own", own, []map[string]string{
		{"rtt": "10ms", "buffer": "12500 B (1bdp) (default)", "flows": "1"}, {"rtt": "10ms", "buffer": "12500 B (1bdp) (default)", "flows": "2"},
		{"rtt": "20ms", "buffer": "25000 B (1bdp) (default)", "flows": "1"}, {"rtt": "20ms", "buffer": "25000 B (1bdp) (default)", "flows": "2"},
	})
	check(t, "shared rate", shared["rate"], "10mbit")
	for _, key := range []string{"rtt", "buffer", "flows"} {
		if text, found := shared[key]; found {
			t.Errorf("%s is shared: %s", key, text)
		}
	}
}

func TestMatrixText(t *testing.T) {
	s := summaryOf(t, 2, "repetitions: 1", "path: {engine: userspace, rate: 10mbit}", "matrix: {path.rtt: [10ms, 20ms]}", "drop: {mode: nth, every: 50}")
	s.Setups = []Setup{{Conditions: []int{1}, Arms: []string{"cc0", "cc1"}, Trial: 3}, {Conditions: []int{2}, Arms: []string{"cc0", "cc1"}, Trial: 1}}
	text := s.Text()
	for _, want := range []string{
		"\npath\n  engine    userspace", "\n  rate      10mbit from sender to receiver\n",
		"\n2 conditions, with all arms each\n  path.rtt=10ms\n    rtt     10ms, half each way\n    bdp     12500 B\n    buffer  1bdp: 12500 B,",
		"order: 4 trials, 1 of each arm under each condition, seed 1", "under path.rtt=20ms, first dropped packet 4: ",
		"setup of cc0, cc1 under path.rtt=10ms\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if shared, _, _ := strings.Cut(text, "2 conditions"); strings.Contains(shared, "rtt  ") {
		t.Errorf("the path that all share has an RTT:\n%s", shared)
	}
}

func TestMatrixSummary(t *testing.T) {
	s := summaryOf(t, 1, "repetitions: 1", "sysctl: {net.ipv4.tcp_sack: 0}", "matrix: {path.engine: [userspace, direct], sysctl.net.ipv4.tcp_ecn: [0, 1]}")
	check(t, "factors", s.Factors, []string{"path.engine", "sysctl.net.ipv4.tcp_ecn"})
	check(t, "labels", s.Conditions[2].Labels, map[string]string{"path.engine": "direct", "sysctl.net.ipv4.tcp_ecn": "0"})
	check(t, "sysctl", s.Conditions[3].Sysctl, map[string]string{"net.ipv4.tcp_ecn": "1", "net.ipv4.tcp_sack": "0"})
	if s.Conditions[2].Path.Rate != nil || s.Conditions[1].Path.Rate == nil || s.Expected.Path != nil {
		t.Errorf("paths of the engines: %+v, %+v, traffic %v", s.Conditions[1].Path, s.Conditions[2].Path, s.Expected.Path)
	}
	if slices.Contains(s.Default, "path.rate") || !slices.Contains(s.Default, "path.mtu") || !slices.Contains(s.Default, "flows") {
		t.Errorf("default under all conditions: %v", s.Default)
	}
}
