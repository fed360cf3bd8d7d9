package compare

import (
	"slices"
	"strings"
)

// place is what a warning concerns; either part may be "".
type place struct {
	condition string // name
	what      string // arm, metric, comparison
}

func (p place) String() string {
	if p.condition == "" || p.what == "" {
		return p.condition + p.what
	}
	return p.condition + ", " + p.what
}

// weaknesses are warnings about numbers, each with the places that it concerns.
type weaknesses struct {
	conditions []string        // names of all
	silent     map[string]bool // those without a trial: one warning says it
	order      []string
	places     map[string][]place
}

// newWeaknesses knows which of a matrix' conditions were not begun.
func newWeaknesses(groups []armTrials, conditions int) *weaknesses {
	w := &weaknesses{silent: map[string]bool{}}
	arms := len(groups) / conditions
	for of := range slices.Chunk(groups, arms) {
		name := of[0].under
		w.conditions = append(w.conditions, name)
		begun := func(g armTrials) bool { return len(g.blocks) > 0 }
		if name != "" && !slices.ContainsFunc(of, begun) {
			w.silent[name] = true
		}
	}
	return w
}

// unbegun warns of the conditions without a trial, all in one line.
func (w *weaknesses) unbegun() []string {
	none := weaknesses{conditions: w.conditions}
	for _, name := range w.conditions {
		if w.silent[name] {
			none.add(place{name, ""}, "the file has none of the planned trials")
		}
	}
	return none.lines()
}

func (w *weaknesses) add(where place, warnings ...string) {
	if w.silent[where.condition] {
		return
	}
	if w.places == nil {
		w.places = map[string][]place{}
	}
	for _, text := range warnings {
		if w.places[text] == nil {
			w.order = append(w.order, text)
		}
		w.places[text] = append(w.places[text], where)
	}
}

// lines says each warning once.
func (w *weaknesses) lines() []string {
	var lines []string
	for _, text := range w.order {
		line := text
		if where := strings.Join(w.merged(w.places[text]), "; "); where != "" {
			line = where + ": " + text
		}
		lines = append(lines, line)
	}
	return lines
}

// merged names places. What is so under all conditions that have trials is
// named once, if they are several.
func (w *weaknesses) merged(places []place) []string {
	under := map[string][]string{} // by what, names of conditions
	for _, p := range places {
		under[p.what] = append(under[p.what], p.condition)
	}
	all, begun := "every condition", w.conditions
	if len(w.silent) > 0 {
		all = "every condition with trials"
		begun = slices.DeleteFunc(slices.Clone(w.conditions), func(name string) bool { return w.silent[name] })
	}
	var names []string
	for _, p := range places {
		switch everywhere := len(begun) > 1 && slices.Equal(under[p.what], begun); {
		case !everywhere:
			names = append(names, p.String())
		case p.condition == begun[0]:
			names = append(names, place{all, p.what}.String())
		}
	}
	return names
}
