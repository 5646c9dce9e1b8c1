package cli

import (
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// step asks the request pipeline what becomes of live.
func (r *applyRun) step(live document.Value, request *cluster.Request) (*cluster.Response, error) {
	config := r.config()
	r.o.engine.set(r.app, &config)
	return cluster.Step(config, live, request)
}

func (r *applyRun) config() cluster.Config {
	return cluster.Config{Kinds: r.registry, NoDefaults: !r.o.defaults, Now: r.app.Now, UID: r.app.UID}
}
