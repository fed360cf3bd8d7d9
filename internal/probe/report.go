package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// reportVersion is the version of Report's JSON form. A key more does not
// change it.
const reportVersion = 1

// Report is what a machine can do and what it cannot: for runs at all, or for
// one experiment.
type Report struct {
	Version    int    `json:"version"` // of this form
	Ccbench    string `json:"ccbench"` // version of the program
	Experiment string `json:"experiment"`
	// Able says that every required fact is a yes.
	Able  bool   `json:"able"`
	Facts []Fact `json:"facts"` // those of one need together, in the order of the needs
}

// NewReport orders facts and sums them up. experiment is the name of the one
// that they are for; "" for any.
func NewReport(ccbench, experiment string, facts []Fact) Report {
	order := []Need{Required, Some, Quality, Info}
	facts = slices.Clone(facts)
	slices.SortStableFunc(facts, func(a, b Fact) int {
		return cmp.Compare(slices.Index(order, a.Need), slices.Index(order, b.Need))
	})
	r := Report{Version: reportVersion, Ccbench: ccbench, Experiment: experiment, Facts: facts}
	r.Able = len(r.labels(Required, No, Unknown)) == 0
	return r
}

// labels are those of the facts of a need that have one of the answers, each once.
func (r Report) labels(need Need, answers ...Answer) []string {
	var labels []string
	for _, f := range r.Facts {
		label := f.label()
		switch {
		case f.Subject != "" && need == Required:
			label = strings.TrimSuffix(label, "s") + " " + f.Subject
		case f.Subject != "":
			label = "some " + label
		}
		if f.Need == need && slices.Contains(answers, f.Answer) && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	return labels
}

// Sentence is what it comes to.
func (r Report) Sentence() string {
	what := "runs"
	if r.Experiment != "" {
		what = r.Experiment
	}
	missing := r.labels(Required, No, Unknown)
	if r.Experiment == "" && slices.Equal(missing, []string{"TUN"}) {
		return "this machine cannot carry out runs with engine userspace: TUN; engine direct does without"
	}
	if !r.Able {
		return fmt.Sprintf("this machine cannot carry out %s: %s", what, strings.Join(missing, ", "))
	}
	sentence := "this machine can carry out " + what
	if limits := r.labels(Some, No, Unknown); len(limits) > 0 {
		sentence += ", not all: " + strings.Join(limits, ", ")
	}
	if weak := r.labels(Quality, No); len(weak) > 0 {
		sentence += "; what may spoil the numbers: " + strings.Join(weak, ", ")
	}
	return sentence
}
