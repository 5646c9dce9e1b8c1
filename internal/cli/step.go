package cli

import (
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// step asks the request pipeline what becomes of live.
func (r *applyRun) step(live document.Value, request *cluster.Request) (*cluster.Response, error) {
	return cluster.Step(cluster.Config{Kinds: r.registry, NoDefaults: !r.o.defaults, Now: r.app.Now}, live, request)
}
