package main

import (
	"context"
	"fmt"

	"ccbench/internal/plan"
	"ccbench/internal/result"
	"ccbench/internal/runner"
)

// wholeLab checks the machine for all that the plan needs, not for what is left
// of it: the description of the host, which depends on what was tried, is then
// comparable to the one in the file.
type wholeLab struct {
	runner.Lab
	whole *plan.Plan
}

func (l wholeLab) Check(ctx context.Context, _ *plan.Plan) ([]result.Host, error) {
	return l.Lab.Check(ctx, l.whole)
}

// goOn refuses to measure the rest of a file where, or with what, it was not
// begun, unless that is forced, and notes the hosts that are not in the file.
func (r *resumption) goOn(hosts []result.Host, force bool) error {
	if found := r.unlike(hosts); len(found) > 0 && !force {
		return &misfit{r.path, found}
	}
	var fresh []result.Host
	for _, h := range hosts {
		if last := result.LastHost(r.file.Hosts, h.Roles); last != nil && last.Same(&h) && r.file.MeasuredBy(last) == version {
			continue
		}
		if len(r.file.Trials) > 0 && len(r.rest.Trials) > 0 {
			h.From = r.rest.Trials[0].Index
		}
		if version != r.file.Header.Ccbench {
			h.Ccbench = version
		}
		fresh = append(fresh, h)
	}
	r.writer.Hosts(fresh)
	return nil
}

// unlike lists what is not as it was when the last trial in the file was measured.
func (r *resumption) unlike(hosts []result.Host) []string {
	if len(r.file.Trials) == 0 {
		return nil
	}
	var found []string
	for _, h := range hosts {
		last := result.LastHost(r.file.Hosts, h.Roles)
		if last == nil {
			found = append(found, "the file does not say on what machine its trials were measured")
			continue
		}
		for _, d := range last.Unlike(&h, r.file.Header.Algorithms()) {
			found = append(found, d.String())
		}
	}
	if was := r.file.MeasuredBy(result.LastHost(r.file.Hosts, hosts[0].Roles)); was != version {
		found = append(found, result.Difference{What: "ccbench", Before: was, Now: version}.String())
	}
	return found
}

// misfit is a file whose trials were not measured here as those to come would be.
type misfit struct {
	path  string
	found []string
}

func (m *misfit) Error() string {
	return fmt.Sprintf("resuming %s: its trials would not be comparable:%s", m.path, below(m.found))
}

func (m *misfit) Hint() string {
	return "run the experiment anew, or go on with --force: the file then says what changed, and where"
}
