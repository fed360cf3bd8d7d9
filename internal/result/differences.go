package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Difference is one thing that is not what it was.
type Difference struct{ What, Before, Now string }

// String reads "kernel: 6.12 in the file, 6.18 now".
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s in the file, %s now", d.What, d.Before, d.Now)
}

// PlanDifferences are what two headers of equal plans cannot differ in; paths and
// overrides can be written in several ways.
var PlanDifferences = []string{"arms", "seed", "trials planned", "repetitions", "conditions"}

// Differences says in what the plan behind the header now differs from that
// behind h. It knows only what headers say of a plan: two plans may differ and have none.
func (h *Header) Differences(now *Header) []Difference {
	var d differences
	d.note("arms", armTexts(h.Arms), armTexts(now.Arms))
	d.note("seed", h.Seed, now.Seed)
	d.note("trials planned", h.Trials, now.Trials)
	d.note("repetitions", h.Repetitions, now.Repetitions)
	before, after := conditionNames(h), conditionNames(now)
	d.paths(h, now, slices.Equal(before, after))
	d.conditions(before, after)
	d.note("overrides", overrideTexts(h.Overrides), overrideTexts(now.Overrides))
	return d
}

// Unlike says in what the host now is not the one that h describes, so that
// trials of both would not be of one kind: kernel, processors, and the code
// behind the congestion controls given. What either does not tell is no
// difference; another boot, name or sysctl is none either.
func (h *Host) Unlike(now *Host, algorithms []string) []Difference {
	var d differences
	d.known("kernel", h.Kernel, now.Kernel)
	d.known("kernel's build", h.KernelVersion, now.KernelVersion)
	d.known("architecture", h.Machine, now.Machine)
	d.known("processor", h.CPU, now.CPU)
	d.known("number of processors", digits(h.CPUs), digits(now.CPUs))
	for _, algorithm := range algorithms {
		module := "tcp_" + algorithm
		d.known("module "+module, h.Modules[module], now.Modules[module])
	}
	return d
}

// Same says whether two lines describe one host, whoever measured there and when.
func (h *Host) Same(now *Host) bool {
	a, aErr := json.Marshal(h.described())
	b, bErr := json.Marshal(now.described())
	return aErr == nil && bErr == nil && bytes.Equal(a, b)
}

// described is h without what is of its line, and with one way to write a list
// that is empty.
func (h *Host) described() Host {
	d := *h
	d.Type, d.From, d.Ccbench = "", 0, ""
	d.Roles, d.Available, d.Allowed = append([]string{}, h.Roles...), append([]string{}, h.Available...), append([]string{}, h.Allowed...)
	if len(d.Sysctl) == 0 {
		d.Sysctl = nil
	}
	return d
}

// LastHost is the last of hosts with the given roles; nil if there is none.
func LastHost(hosts []*Host, roles []string) *Host {
	for _, h := range slices.Backward(hosts) {
		if slices.Equal(h.Roles, roles) {
			return h
		}
	}
	return nil
}

// Algorithms are the arms' as the kernel knows them.
func (h *Header) Algorithms() []string {
	var names []string
	for _, a := range h.Arms {
		names = append(names, a.Kernel)
	}
	return names
}

// MeasuredBy is the version of ccbench that measured the trials on h.
func (f *File) MeasuredBy(h *Host) string {
	if h == nil {
		return f.Header.Ccbench
	}
	return cmp.Or(h.Ccbench, f.Header.Ccbench)
}

type differences []Difference

func (d *differences) note(what string, before, now any) {
	if before != now {
		*d = append(*d, Difference{what, fmt.Sprint(before), fmt.Sprint(now)})
	}
}

// known notes a difference between values that are both there.
func (d *differences) known(what, before, now string) {
	if before != "" && now != "" {
		d.note(what, before, now)
	}
}

func (d *differences) notes(where string, before, now map[string]string) {
	all := maps.Clone(before)
	maps.Copy(all, now)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		d.note(where+key, cmp.Or(before[key], "none"), cmp.Or(now[key], "none"))
	}
}

func digits(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// undefaulted forgets which values were defaults: that changes no plan.
func undefaulted(path map[string]string) map[string]string {
	plain := map[string]string{}
	for key, text := range path {
		plain[key] = strings.TrimSuffix(text, " (default)")
	}
	return plain
}

func armTexts(arms []Arm) string {
	var all []string
	for _, a := range arms {
		var more []string
		if a.Name != a.Algorithm {
			more = append(more, a.Algorithm)
		}
		for _, key := range slices.Sorted(maps.Keys(a.Sysctl)) {
			more = append(more, key+"="+a.Sysctl[key])
		}
		text := a.Name
		if len(more) > 0 {
			text += " (" + strings.Join(more, ", ") + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func conditionNames(h *Header) []string {
	var all []string
	for _, c := range h.Conditions {
		all = append(all, ConditionName(h.Factors, c.Labels))
	}
	return all
}

func overrideTexts(overrides []string) string { return cmp.Or(strings.Join(overrides, " "), "none") }
