// Package compare turns the records of a results file into a table: arms under
// conditions by metrics, each arm held against the baseline under the same
// condition, with warnings beside it. It averages and judges; how the table
// looks is the report's business.
package compare

import (
	"ccbench/internal/result"
	"ccbench/internal/stats"
)

// Level is the confidence at which all intervals of a table hold together.
const Level = 0.95

// Primary is the metric that decides unless others are asked for.
const Primary = "goodput"

// described are the metrics shown beside the compared ones, where the file
// has them. Primary is among them: whatever decides, it is asked at which goodput.
var described = []string{Primary, "retransmits", "retransmit_ratio", "rtt_mean", "netpower"}

// margins are the differences that do not matter, as fractions of the baseline.
var margins = map[string]float64{Primary: 0.02}

const defaultMargin = 0.05

// Table is a results file made comparable.
type Table struct {
	Header   *result.Header
	Kernels  []string // releases, without repetition
	Baseline string   // name of an arm
	Arms     []Arm    // in the order of the file, counts over all conditions
	// Rows are the arms under each condition: conditions in the order of the
	// file, under each all arms, with trials or without.
	Rows []Row
	// Compared are judged; their intervals hold jointly at Level.
	Compared []Column
	// Described have summaries only.
	Described []Column
	// Comparisons is how many intervals Level covers.
	Comparisons int
	Warnings    []string
}

// Arm counts the trials of an arm.
type Arm struct {
	Name    string
	Planned int
	Usable  int // averaged: VALID and SUSPECT
	Suspect int
	Invalid int // in the file, never averaged
}

// Total is what Usable is to be seen against: the trials planned, or those in
// the file if they are more.
func (a Arm) Total() int { return max(a.Planned, a.Usable+a.Invalid) }

// Row is an arm under one condition, and counts its trials there.
type Row struct {
	Arm
	Condition int // index in Header.Conditions; 0 where there are none
}

// Column is one metric of all rows.
type Column struct {
	Metric result.Metric
	Margin float64 // a fraction of the baseline
	Cells  []Cell  // one a row, in the same order
}

// Cell is one metric of one row.
type Cell struct {
	Summary stats.Summary
	Suspect int // of the values in Summary, those of SUSPECT trials
	// Comparison with the baseline; nil for the baseline itself and in
	// described columns. No metric is ever negative, so the interval of the
	// relative difference is cut off at -1 (-100 %); its upper end stays.
	Comparison *stats.Comparison
	Verdict    stats.Verdict // None where the metric has no direction
	// Because is why Verdict is None where no repetition would change that;
	// "" where the lack of an interval or of a direction says it.
	Because string
	// More estimates the repetitions missing when Verdict is Inconclusive.
	More int
}
