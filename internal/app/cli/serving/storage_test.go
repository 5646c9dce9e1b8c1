package serving

import (
	"context"
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/store"
)

// lostStore is a store whose etcd does not respond.
type lostStore struct {
	store.Store[*cluster.Record]
}

var errLost = errors.New("connection refused")

func (lostStore) Health(context.Context) error { return errLost }

// TestHealthIsTheStores checks that a server over etcd is as healthy as its etcd.
func TestHealthIsTheStores(t *testing.T) {
	a := &program.App{Linked: program.Linked{Etcd: func(context.Context, program.EtcdOptions) (store.Store[*cluster.Record], error) {
		return lostStore{store.NewMemory(store.MemoryOptions[*cluster.Record]{})}, nil
	}}}
	var config cluster.Config
	var options server.Options
	o := storeFlags{name: "etcd"}
	if err := o.open(t.Context(), a, &config, &options); err != nil {
		t.Fatal(err)
	}
	defer config.Store.Close()
	if options.Health == nil || !errors.Is(options.Health(t.Context()), errLost) {
		t.Error("the server is healthy without its etcd")
	}
	if options.Store == nil || !config.Shared {
		t.Error("the store has no metrics or is not shared with other servers")
	}
}
