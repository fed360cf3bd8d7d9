package testbed

import (
	"context"
	"errors"

	"ccbench/internal/agent/wire"
	"ccbench/internal/droprule"
	"ccbench/internal/plan"
	"ccbench/internal/probe"
)

// Survey tries what p needs, or without a plan what experiments may need, in
// a scratch namespace that is gone before it returns.
func (b *Testbed) Survey(ctx context.Context, p *plan.Plan) Survey {
	var s Survey
	s.Request, s.Settled = surveyRequest(p)
	var err error
	if s.Reply, err = b.probe(ctx, s.Request); err != nil {
		s.Failed = &wire.Problem{Message: err.Error()}
		var h interface{ Hint() string }
		if errors.As(err, &h) {
			s.Failed.Hint = h.Hint()
		}
	}
	return s
}

// ForeignRules counts the firewall rules of this process's own network
// namespace, which is the machine's when it is privileged there.
func ForeignRules(ctx context.Context, root string) probe.Fact {
	m := probe.ReadModules(root)
	if !m.MayAsk("nf_tables") && m.State("nf_tables") == probe.ModuleUnknown {
		return probe.ForeignRules(0, 0, errNFTables)
	}
	found, err := droprule.ListForeign(ctx, droprule.System{}, m.MayAsk("nf_tables"))
	return probe.ForeignRules(len(found.NFTables), len(found.Legacy), err)
}
