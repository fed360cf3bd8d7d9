package testbed

import (
	"time"

	"ccbench/internal/agent/wire"
	"ccbench/internal/experiment"
	"ccbench/internal/plan"
	"ccbench/internal/probe"
)

// Survey is what was found out by trying in a scratch namespace. It goes
// through JSON: an ordinary user's is made by another process.
type Survey struct {
	Request wire.ProbeRequest `json:"request"`
	Reply   wire.ProbeReply   `json:"reply"`
	// Unprivileged says that nothing was tried, for want of privilege.
	Unprivileged bool `json:"unprivileged"`
	// Failed is why no namespace could be made, with the privilege; nil: one was.
	Failed *wire.Problem `json:"failed"`
	// Settled are facts about what was not tried, so as to load no module.
	Settled []probe.Fact `json:"settled"`
}

// surveyRequest is what is tried: for a plan exactly what Check tries;
// without one all that an experiment may ask for, short of what would load a
// module that no run needs.
func surveyRequest(p *plan.Plan) (wire.ProbeRequest, []probe.Fact) {
	if p != nil {
		return needs(p), nil
	}
	request := needs(usual())
	request.Veth, request.Algorithms = true, probe.Available("/")
	var settled []probe.Fact
	request.Qdiscs, settled = probe.ReadModules("/").SortQdiscs()
	return request, settled
}

// usual is a plan like most: the default path, and a drop rule.
func usual() *plan.Plan {
	return &plan.Plan{Trials: []plan.Trial{{
		Index: 1, Duration: time.Second, Interval: 10 * time.Millisecond,
		Path: experiment.Path{
			Engine: experiment.Userspace, Rate: 100_000_000, RTT: 40 * time.Millisecond,
			Buffer: experiment.Buffer{Bytes: 500_000}, MTU: 1500, Overhead: 14,
		},
		Drop: &experiment.Drop{Mode: experiment.Nth, Every: 100, First: 1},
	}}}
}

// NotTried is the survey of who has not the privilege to try anything.
func NotTried(p *plan.Plan) Survey {
	s := Survey{Unprivileged: true}
	s.Request, s.Settled = surveyRequest(p)
	return s
}
