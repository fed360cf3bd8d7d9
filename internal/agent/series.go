package agent

import (
	"fmt"

	"ccbench/internal/agent/wire"
	"ccbench/internal/result"
)

// part is the part of a flow's samples that a request asks for.
func part(all []result.Series, request wire.SeriesRequest) (any, error) {
	if request.From < 0 || request.Count < 1 {
		return nil, outOfTurn(fmt.Sprintf("%d samples from number %d on: there are none such", request.Count, request.From))
	}
	for _, one := range all {
		if one.Flow != request.Flow {
			continue
		}
		some := one
		some.Columns = make(map[string]result.Column, len(one.Columns))
		for name, column := range one.Columns {
			from := min(request.From, len(column))
			some.Columns[name] = column[from:min(from+request.Count, len(column))]
		}
		return some, nil
	}
	return nil, outOfTurn(fmt.Sprintf("there are no samples of flow %d", request.Flow))
}

// outOfTurn is the error of a request that came before another it needs.
func outOfTurn(what string) error {
	return &wire.Error{Code: wire.CodeProtocol, Message: what}
}
