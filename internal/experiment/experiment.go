package experiment

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// version is the schema version that is read.
const version = 1

const (
	// A results file of more would be of no use to anyone.
	maxTrials      = 100_000
	maxConnections = 1_000_000
	// maxSamples bounds what an agent keeps in memory during a trial, about
	// 200 bytes for each sample of each flow.
	maxSamples = 10_000_000
	day        = 24 * time.Hour
)

var rootKeys = schema{
	keys: []string{"version", "name", "description", "seed", "algorithms", "arms", "baseline", "repetitions",
		"duration", "warmup", "interval", "path", "drop", "flows", "sysctl", "matrix"},
}

// experiment reads the whole schema. Its result is of use only if nothing was
// reported.
func (d *decoder) experiment(root *yaml.Node) *Experiment {
	m := d.mapping(root, "", rootKeys)
	if newer := m.version(); newer != nil {
		d.errs = Errors{newer} // what else it says is not for this version to judge
		return nil
	}
	e := &Experiment{File: d.file}
	e.Default = m.missing("seed", "baseline", "repetitions")
	e.Name = m.name()
	e.Description = scalar(m, "description", "", prose)
	e.Seed = scalar(m, "seed", 1, integer(0, math.MaxUint64))
	e.Repetitions = count(m, "repetitions", 10, 1, 10_000)
	m.conditions(e)
	m.compared(e)
	m.size(e)
	return e
}

// size bounds the experiment as a whole. Arms count even where they are wrong.
func (m *mapping) size(e *Experiment) {
	if !m.sound("algorithms", "arms", "repetitions", "matrix") {
		return
	}
	each := len(e.Arms) * e.Repetitions
	trials := each * len(e.Conditions)
	connections, most := 0, 0
	for _, c := range e.Conditions {
		connections += each * c.Flows
		most = max(most, c.Flows)
	}
	key, what := "flows", fmt.Sprint(most)
	if slices.Contains(e.Factors, key) {
		key, what = "matrix", fmt.Sprintf("flows of up to %d", most)
	}
	switch {
	case trials > maxTrials:
		m.fail("repetitions", "%d of %d arms%s are %d trials; allowed: %d",
			e.Repetitions, len(e.Arms), underAll(e), trials, maxTrials)
	case connections > maxConnections:
		m.fail(key, "%s in each of %d trials are %d connections; allowed: %d", what, trials, connections, maxConnections)
	}
}

func underAll(e *Experiment) string {
	if len(e.Factors) == 0 {
		return ""
	}
	return fmt.Sprintf(" under %d conditions", len(e.Conditions))
}

// version checks the version, and returns the error if it is a newer one.
func (m *mapping) version() *Error {
	if !m.has("version") {
		m.fail("version", "missing; write version: %d", version)
		return nil
	}
	v := scalar(m, "version", version, integer(1, math.MaxInt32))
	if v == version {
		return nil
	}
	m.fail("version", "version %d needs a newer ccbench; this one reads version %d", v, version)
	return m.errs[len(m.errs)-1]
}

// name is the experiment's name, by default the file's without its extension.
func (m *mapping) name() string {
	base := filepath.Base(m.file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if !m.has("name") && !isName(base) {
		m.fail("name", "missing, and the file's name is none that could stand in for it; write name")
	}
	return scalar(m, "name", base, name)
}

// condition reads what a matrix can vary. m is the file's root, with the
// values of one condition in it.
func (m *mapping) condition() Condition {
	c := Condition{Default: m.missing("duration", "warmup", "interval", "flows")}
	c.Duration = span(m, "duration", 10*time.Second, 100*time.Millisecond, day)
	c.Warmup = span(m, "warmup", 2*time.Second, 0, day)
	c.Interval = span(m, "interval", 10*time.Millisecond, time.Millisecond, time.Second)
	c.Flows = m.flows()
	m.checkInterval(c)
	c.Path = m.networkPath()
	c.Drop = m.drop()
	if n := m.values["sysctl"]; n != nil {
		c.Sysctl = m.sysctl(n, "sysctl")
	}
	return c
}

func (m *mapping) checkInterval(c Condition) {
	fits := m.sound("interval", "duration")
	countable := fits && m.sound("warmup", "flows")
	if fits && c.Interval > c.Duration {
		m.fail("interval", "is %v, longer than the duration of %v", c.Interval, c.Duration)
	}
	samples := int64((c.Warmup+c.Duration)/c.Interval) * int64(c.Flows)
	if countable && samples > maxSamples {
		m.fail("interval", "is %v, which makes %d samples a trial (flows x time / interval); allowed: %d",
			c.Interval, samples, maxSamples)
	}
}

func (m *mapping) flows() int {
	const most = 1024
	n := m.values["flows"]
	if n != nil && !isSingle(n) && (n.Kind != yaml.SequenceNode || !allSingle(n.Content)) {
		m.fail("flows", "flow groups are not supported yet; allowed: a number from 1 to %d", most)
		return 1
	}
	return count(m, "flows", 1, 1, most)
}

// ArmNames lists the arms in the order of the file.
func (e *Experiment) ArmNames() []string {
	names := make([]string, len(e.Arms))
	for i, a := range e.Arms {
		names[i] = a.Name
	}
	return names
}
