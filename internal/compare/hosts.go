package compare

import (
	"fmt"
	"slices"
	"strings"

	"ccbench/internal/result"
)

// kernels are the releases of all hosts, each once, in the order of the file.
func kernels(hosts []*result.Host) []string {
	var releases []string
	for _, h := range hosts {
		if !slices.Contains(releases, h.Kernel) {
			releases = append(releases, h.Kernel)
		}
	}
	return releases
}

// hostWarnings say from which trial on a resumed run was measured on another
// kind of machine, or by another ccbench: a difference between arms then may be
// one between machines, if their trials do not lie alike before and after.
func hostWarnings(file *result.File) []string {
	var warnings []string
	for i, h := range file.Hosts {
		if h.From == 0 {
			continue
		}
		before := result.LastHost(file.Hosts[:i], h.Roles)
		if before == nil {
			warnings = append(warnings, fmt.Sprintf("trials from %d on are of kernel %s; of what those before are is not told", h.From, h.Kernel))
			continue
		}
		var changes []string
		for _, d := range before.Unlike(h, file.Header.Algorithms()) {
			changes = append(changes, fmt.Sprintf("%s %s after %s", d.What, d.Now, d.Before))
		}
		if was, is := file.MeasuredBy(before), file.MeasuredBy(h); was != is {
			changes = append(changes, fmt.Sprintf("ccbench %s after %s", is, was))
		}
		if len(changes) > 0 {
			warnings = append(warnings, fmt.Sprintf("trials from %d on are not of one kind with those before: %s",
				h.From, strings.Join(changes, "; ")))
		}
	}
	return warnings
}
