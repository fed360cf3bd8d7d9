package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ccbench/internal/result"
	"ccbench/internal/validity"
)

// fileWarnings are those that concern trials whatever the metric.
func fileWarnings(file *result.File, groups []armTrials, weak *weaknesses, kernels []string) []string {
	var warnings []string
	if file.Torn {
		warnings = append(warnings, "the file ends inside a trial, as after a kill: the trials before it are complete")
	}
	if len(kernels) > 1 {
		warnings = append(warnings, "the hosts run different kernels: "+strings.Join(kernels, ", "))
	}
	warnings = append(warnings, hostWarnings(file)...)
	warnings = append(warnings, bufferWarnings(file, weak.conditions)...)
	warnings = append(warnings, weak.unbegun()...)
	for i, g := range groups {
		where := place{g.under, g.row.Name}.String()
		if have := g.row.Usable + g.row.Invalid; have < g.row.Planned && !weak.silent[g.under] {
			warnings = append(warnings, fmt.Sprintf("%s: the file has %d of %d planned trials", where, have, g.row.Planned))
		}
		if len(weak.conditions) == 1 {
			warnings = append(warnings, verdictWarnings(groups[i:i+1], where+": ")...)
		}
	}
	if len(weak.conditions) > 1 {
		warnings = append(warnings, verdictWarnings(groups, "")...)
	}
	return warnings
}

// verdictWarnings say which trials of the groups, together, are not simply
// valid: in a matrix a line for each arm and condition would hide the table,
// whose column n has their numbers.
func verdictWarnings(groups []armTrials, where string) []string {
	var invalids, suspects int
	for _, g := range groups {
		invalids += g.row.Invalid
		suspects += g.row.Suspect
	}
	var warnings []string
	if invalids > 0 {
		warnings = append(warnings, fmt.Sprintf("%s%s INVALID and not averaged: %s", where, trials(invalids), reasons(groups, result.Invalid)))
	}
	if suspects > 0 {
		warnings = append(warnings, fmt.Sprintf("%s%s SUSPECT (?), averaged all the same: %s", where, trials(suspects), reasons(groups, result.Suspect)))
	}
	return warnings
}

func bufferWarnings(file *result.File, conditions []string) []string {
	warnings := map[string]string{} // by condition, the first
	for _, t := range file.Trials {
		condition := result.ConditionName(file.Header.Factors, t.Labels)
		if warning := bufferWarning(t.Path); warning != "" && warnings[condition] == "" {
			warnings[condition] = warning
		}
	}
	weak := weaknesses{conditions: conditions}
	for _, condition := range conditions {
		if warning := warnings[condition]; warning != "" {
			weak.add(place{condition, ""}, warning)
		}
	}
	return weak.lines()
}

func bufferWarning(p *result.Path) string {
	if p == nil {
		return ""
	}
	bdp := float64(p.Rate) / 8 * p.RTT
	if !(bdp > 0) {
		return ""
	}
	if odd := validity.OddBuffer(float64(p.Buffer) / bdp); odd != "" {
		return "the buffer is " + odd
	}
	return ""
}

func trials(n int) string {
	if n == 1 {
		return "1 trial"
	}
	return fmt.Sprintf("%d trials", n)
}

// reasons counts why trials have a verdict, the most frequent reason first,
// each with the figures of its first trial.
func reasons(groups []armTrials, verdict result.Verdict) string {
	count := map[string]int{}
	first := map[string]string{}
	for _, t := range ofVerdict(groups, verdict) {
		for _, check := range checks(t.Trial) {
			if count[check.Check]++; count[check.Check] == 1 {
				first[check.Check] = fmt.Sprintf("trial %d%s: %s", t.Trial.Trial, t.where, check.Detail)
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s in %d (%s)", name, count[name], first[name]))
	}
	return strings.Join(parts, "; ")
}

// placed is a trial and, where there are several groups, of which it is.
type placed struct {
	*result.Trial
	where string
}

// ofVerdict are the trials with a verdict, in the order of the run.
func ofVerdict(groups []armTrials, verdict result.Verdict) []placed {
	var all []placed
	for _, g := range groups {
		where := ""
		if len(groups) > 1 {
			where = ", " + place{g.under, g.row.Name}.String()
		}
		for _, trial := range g.blocks {
			if trial.Verdict == verdict {
				all = append(all, placed{trial, where})
			}
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return a.Trial.Trial - b.Trial.Trial })
	return all
}

// checks are the reasons that led to a trial's verdict, one a check.
func checks(trial *result.Trial) []result.Reason {
	var found []result.Reason
	for _, r := range trial.Reasons {
		same := func(o result.Reason) bool { return o.Check == r.Check }
		if r.Verdict == trial.Verdict && !slices.ContainsFunc(found, same) {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		found = append(found, result.Reason{Check: "unknown", Detail: "the record gives no reason"})
	}
	return found
}
