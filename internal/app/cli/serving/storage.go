package serving

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/store"
)

// etcdProgram is patchlab with etcd's client. It is a separate program because the client
// would make patchlab slower to start, and the library's dependencies larger (doc/store.md has
// the figures).
const etcdProgram = "patchlab-etcd"

// storeFlags select the storage of objects.
type storeFlags struct {
	name       string
	etcd       program.EtcdOptions
	compaction time.Duration // 0 for none
}

// defaultCompaction is that of kube-apiserver.
const defaultCompaction = 5 * time.Minute

func (o *storeFlags) add(c *cobra.Command) {
	f := c.Flags()
	program.OneOf(c, &o.name, "store", "", "memory", "storage of objects: memory, or etcd (run by "+etcdProgram+")", "memory", "etcd")
	f.StringSliceVar(&o.etcd.Endpoints, "etcd-endpoints", nil, "comma-separated list of URLs of the etcd members")
	f.StringVar(&o.etcd.CAFile, "etcd-cacert", "", "PEM file of the CA certificate that verifies the etcd server")
	f.StringVar(&o.etcd.CertFile, "etcd-cert", "", "PEM file of the client certificate for etcd")
	f.StringVar(&o.etcd.KeyFile, "etcd-key", "", "PEM file of the private key of --etcd-cert")
	f.StringVar(&o.etcd.Prefix, "etcd-prefix", "/patchlab", "prefix of all keys in etcd; servers with the same prefix serve the same objects")
	f.DurationVar(&o.compaction, "etcd-compaction-interval", defaultCompaction, "how long past revisions can be listed and watched at least, in memory as well, and at most twice as long; 0 keeps them without a limit of time")
}

func (o *storeFlags) check() error {
	given := len(o.etcd.Endpoints) > 0 || o.etcd.CAFile != "" || o.etcd.CertFile != "" || o.etcd.KeyFile != ""
	switch {
	case o.name == "etcd" && len(o.etcd.Endpoints) == 0:
		return program.Usage("--store etcd requires --etcd-endpoints, such as http://127.0.0.1:2379")
	case o.compaction < 0:
		return program.Usage("--etcd-compaction-interval " + o.compaction.String() + ": expected a duration such as 5m, or 0")
	case o.name != "etcd" && given:
		return program.Usage("the --etcd-… flags, except --etcd-compaction-interval, require --store etcd")
	case (o.etcd.CertFile == "") != (o.etcd.KeyFile == ""):
		return program.Usage("--etcd-cert and --etcd-key must be used together")
	}
	return nil
}

// elsewhere reports whether the storage is not part of this program.
func (o *storeFlags) elsewhere(a *program.App) bool { return o.name == "etcd" && a.Etcd == nil }

// open sets the store in a configuration, and its metrics and health check in the options of
// the server. For the store in memory there is nothing to set.
func (o *storeFlags) open(ctx context.Context, a *program.App, c *cluster.Config, options *server.Options) error {
	if o.name != "etcd" {
		return nil
	}
	s, err := a.Etcd(ctx, o.etcd)
	if err != nil {
		return err
	}
	m := &server.StoreMetrics{Revision: s.Revision}
	cache := store.NewCache(store.Observe(s, m.Observe), store.CacheOptions[*cluster.Record]{
		Size: (*cluster.Record).Size, WatchCompacted: cluster.WatchCompacted,
	})
	m.Restarts = cache.Restarts
	if s, ok := s.(interface{ WatchRestarts() int64 }); ok {
		m.Restarts = func() int64 { return cache.Restarts() + s.WatchRestarts() }
	}
	if s, ok := s.(interface{ Health(context.Context) error }); ok {
		options.Health = s.Health
	}
	c.Store, c.Shared, options.Store = cache, true, m
	return nil
}
