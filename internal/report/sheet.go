package report

import (
	"math"

	"ccbench/internal/compare"
	"ccbench/internal/result"
	"ccbench/internal/stats"
)

// TableVersion is the major version of what JSON writes: keys may be added in
// one version, and none changes its meaning or unit.
const TableVersion = 1

// sheet is a comparison as unrounded numbers in base units; what is absent is
// nil. JSON prints it, CSV flattens it.
type sheet struct {
	Version     int               `json:"version"`
	Ccbench     string            `json:"ccbench"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Seed        uint64            `json:"seed"`
	Path        map[string]string `json:"path"`
	Kernels     []string          `json:"kernels"`
	Baseline    string            `json:"baseline"`
	Level       float64           `json:"level"`
	Comparisons int               `json:"comparisons"`
	Arms        []sheetArm        `json:"arms"`
	Factors     []string          `json:"factors,omitempty"`
	Conditions  []sheetCondition  `json:"conditions,omitempty"`
	Metrics     []sheetMetric     `json:"metrics"`
	Sentences   []string          `json:"sentences"`
	Warnings    []string          `json:"warnings"`
}

type sheetArm struct {
	Name      string            `json:"name"`
	Algorithm string            `json:"algorithm"`
	Kernel    string            `json:"kernel"`
	Sysctl    map[string]string `json:"sysctl"`
	Planned   int               `json:"planned"`
	Usable    int               `json:"usable"`
	Suspect   int               `json:"suspect"`
	Invalid   int               `json:"invalid"`
}

type sheetMetric struct {
	Name     string        `json:"name"`
	Unit     string        `json:"unit"`
	Better   result.Better `json:"better"`
	Compared bool          `json:"compared"`
	Margin   *float64      `json:"margin"`
	Cells    []sheetCell   `json:"cells"`
}

type sheetCell struct {
	Arm        string            `json:"arm"`
	Condition  map[string]string `json:"condition,omitempty"`
	N          int               `json:"n"`
	Total      int               `json:"total"`
	Suspect    int               `json:"suspect"`
	Mean       *float64          `json:"mean"`
	Stddev     *float64          `json:"stddev"`
	Median     *float64          `json:"median"`
	Min        *float64          `json:"min"`
	Max        *float64          `json:"max"`
	Comparison *sheetComparison  `json:"comparison"`
}

type sheetComparison struct {
	Delta          *float64      `json:"delta"`
	DeltaLow       *float64      `json:"delta_low"`
	DeltaHigh      *float64      `json:"delta_high"`
	Difference     *float64      `json:"difference"`
	DifferenceLow  *float64      `json:"difference_low"`
	DifferenceHigh *float64      `json:"difference_high"`
	Level          *float64      `json:"level"`
	Paired         *bool         `json:"paired"`
	Verdict        stats.Verdict `json:"verdict"`
	Because        *string       `json:"because"`
	More           *int          `json:"more"`
}

func newSheet(t *compare.Table) sheet {
	h := t.Header
	s := sheet{
		Version: TableVersion, Ccbench: h.Ccbench, Name: h.Name, Description: h.Description, Seed: h.Seed,
		Path: orEmpty(h.Path), Kernels: append([]string{}, t.Kernels...), Baseline: t.Baseline,
		Level: compare.Level, Comparisons: t.Comparisons,
		Sentences: []string{}, Warnings: append([]string{}, t.Warnings...),
	}
	for i, a := range t.Arms {
		resolved := h.Arms[i]
		s.Arms = append(s.Arms, sheetArm{
			Name: a.Name, Algorithm: resolved.Algorithm, Kernel: resolved.Kernel, Sysctl: orEmpty(resolved.Sysctl),
			Planned: a.Planned, Usable: a.Usable, Suspect: a.Suspect, Invalid: a.Invalid,
		})
	}
	s.Factors, s.Conditions = h.Factors, sheetConditions(t)
	for _, c := range t.Compared {
		s.Metrics = append(s.Metrics, newSheetMetric(t, c, true))
	}
	for _, c := range t.Described {
		s.Metrics = append(s.Metrics, newSheetMetric(t, c, false))
	}
	for _, sentence := range sentences(t) {
		s.Sentences = append(s.Sentences, asciiSigns.Replace(sentence))
	}
	return s
}

// orEmpty is for maps that are known to be empty, not absent.
func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func newSheetMetric(t *compare.Table, c compare.Column, compared bool) sheetMetric {
	m := sheetMetric{Name: c.Metric.Name, Unit: c.Metric.Unit, Better: c.Metric.Better, Compared: compared}
	if compared {
		m.Margin = &c.Margin
	}
	for i, cell := range c.Cells {
		s := cell.Summary
		m.Cells = append(m.Cells, sheetCell{
			Arm: t.Rows[i].Name, Condition: labels(t, t.Rows[i]), N: s.N, Total: t.Rows[i].Total(), Suspect: cell.Suspect,
			Mean: number(s.Mean), Stddev: number(s.Stddev), Median: number(s.Median), Min: number(s.Min), Max: number(s.Max),
			Comparison: newSheetComparison(cell),
		})
	}
	return m
}

func newSheetComparison(cell compare.Cell) *sheetComparison {
	c := cell.Comparison
	if c == nil {
		return nil
	}
	s := &sheetComparison{Delta: number(c.Delta.Value), Difference: number(c.Difference.Value), Verdict: cell.Verdict}
	s.DeltaLow, s.DeltaHigh = ends(c.Delta.Interval)
	s.DifferenceLow, s.DifferenceHigh = ends(c.Difference.Interval)
	if c.Difference.Interval != nil {
		s.Level, s.Paired = &c.Level, &c.Paired
	}
	if cell.Because != "" {
		s.Because = &cell.Because
	}
	if cell.Verdict == stats.Inconclusive && cell.More <= stats.MaxMore {
		s.More = &cell.More
	}
	return s
}

// number is nil for what is not one.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func ends(i *stats.Interval) (low, high *float64) {
	if i == nil {
		return nil, nil
	}
	return number(i.Low), number(i.High)
}
