package testbed

import (
	"maps"
	"slices"

	"ccbench/internal/agent/wire"
	"ccbench/internal/experiment"
	"ccbench/internal/plan"
)

// needs collects what the trials of p ask of the kernel, each thing once.
func needs(p *plan.Plan) wire.ProbeRequest {
	var request wire.ProbeRequest
	algorithms := map[string]bool{}
	for _, t := range p.Trials {
		for _, f := range t.Flows {
			if !algorithms[f.Kernel] {
				algorithms[f.Kernel] = true
				request.Algorithms = append(request.Algorithms, f.Kernel)
			}
		}
		values := sysctls(t)
		if !slices.ContainsFunc(request.Sysctl, func(v map[string]string) bool { return maps.Equal(v, values) }) {
			request.Sysctl = append(request.Sysctl, values)
		}
		request.TUN = request.TUN || t.Path.Engine == experiment.Userspace
		request.Veth = request.Veth || t.Path.Engine == experiment.Direct
		if t.Drop != nil && request.Drop == nil {
			rule := dropRequest(t, 9) // the discard service: nothing listens in a scratch namespace
			request.Drop = &rule
		}
	}
	return request
}
