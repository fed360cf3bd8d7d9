package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// paths notes what differs of the path that the conditions share. What is on one
// side a matter of each condition differs as they do; only where they are the
// same it is told, for the first condition that tells.
func (d *differences) paths(h, now *Header, sameConditions bool) {
	before, after := undefaulted(h.Path), undefaulted(now.Path)
	maps.DeleteFunc(before, func(key, _ string) bool { return now.varies(key) })
	maps.DeleteFunc(after, func(key, _ string) bool { return h.varies(key) })
	d.notes("", before, after)
	if !sameConditions {
		return
	}
	for i, c := range h.Conditions {
		told := len(*d)
		d.notes(ConditionName(h.Factors, c.Labels)+": ", h.whole(i, now), now.whole(i, h))
		if len(*d) > told {
			return
		}
	}
}

// varies says whether a key of the path is a matter of each condition.
func (h *Header) varies(key string) bool {
	return slices.ContainsFunc(h.Conditions, func(c Condition) bool { _, own := c.Path[key]; return own })
}

// whole is the path of a condition as far as it varies in h or in another.
func (h *Header) whole(condition int, other *Header) map[string]string {
	all := undefaulted(h.Path)
	maps.Copy(all, undefaulted(h.Conditions[condition].Path))
	maps.DeleteFunc(all, func(key, _ string) bool { return !h.varies(key) && !other.varies(key) })
	return all
}

// mostConditions is how many conditions of one list are told.
const mostConditions = 3

// conditions notes of two lists what only one of them has; of two that have the
// same, their order.
func (d *differences) conditions(before, now []string) {
	gone, come := without(before, now), without(now, before)
	switch {
	case len(before) == 0 || len(now) == 0:
		d.note("conditions", some(before, "one"), some(now, "one"))
	case len(gone)+len(come) > 0:
		d.note("conditions that differ", some(gone, "none"), some(come, "none"))
	case !slices.Equal(before, now):
		i := 0
		for before[i] == now[i] {
			i++
		}
		d.note("order of conditions", some(before[i:], ""), some(now[i:], ""))
	}
}

// without is what a list has and another does not.
func without(list, other []string) (rest []string) {
	for _, name := range list {
		if !slices.Contains(other, name) {
			rest = append(rest, name)
		}
	}
	return rest
}

// some are the first names of a list.
func some(names []string, none string) string {
	text := cmp.Or(strings.Join(names[:min(len(names), mostConditions)], "; "), none)
	if more := len(names) - mostConditions; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
