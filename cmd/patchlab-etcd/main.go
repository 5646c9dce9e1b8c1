// Command patchlab-etcd is patchlab with etcd's client, admission and the reference engine.
// patchlab executes it for 'patchlab serve --store etcd'.
package main

import (
	"context"
	"os"

	"k8s.io/klog/v2"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/admission/podsecurity"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/app/cli"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/linked"
	_ "github.com/patchlab-dev/patchlab/internal/app/startup" // no garbage collection before main
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/etcd"
)

func main() {
	os.Exit(cli.RunLinked(program.Linked{
		Reference: linked.Reference(),
		Admission: func(c *cluster.Config, o program.AdmissionOptions) error {
			return admission.Configure(c, admission.Options{RBAC: o.RBAC, Disabled: o.Disabled})
		},
		Plugins: []plugins.Plugin{podsecurity.Plugin()},
		Log:     klog.SetSlogLogger,
		Etcd:    open,
	}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// open connects to etcd and returns a store for the objects of a cluster.
func open(ctx context.Context, o program.EtcdOptions) (store.Store[*cluster.Record], error) {
	client, err := etcd.Dial(etcd.Access{Endpoints: o.Endpoints, CAFile: o.CAFile, CertFile: o.CertFile, KeyFile: o.KeyFile})
	if err != nil {
		return nil, err
	}
	s := etcd.New(client, etcd.Options[*cluster.Record]{
		Prefix: o.Prefix, Encode: (*cluster.Record).Encode, Decode: cluster.DecodeRecord, Unreadable: cluster.UnreadableRecord,
		Equal: cluster.Equal, UID: (*cluster.Record).UID, Lifetime: (*cluster.Record).Lifetime,
	})
	if err := s.Health(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}
