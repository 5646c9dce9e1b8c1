package program

import (
	"context"
	"log/slog"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/store"
)

// AdmissionOptions are those of package admission that commands set.
type AdmissionOptions struct {
	// RBAC is set if expressions may do what the roles in the cluster allow, and not everything.
	RBAC bool
	// Disabled are admission plugins that do not run.
	Disabled []string
}

// Linked holds the optional parts of a program, whose libraries are too large for every start
// of patchlab.
type Linked struct {
	// Reference is the reference engine if it is part of this program. If it is nil, commands
	// that need it execute another program.
	Reference *verify.Reference
	// Admission adds rules, policies and webhooks to the configuration of a cluster; nil if
	// this program does not include them.
	Admission func(*cluster.Config, AdmissionOptions) error
	// Policies is Admission without webhooks and other calls to servers, for scenarios.
	Policies func(*cluster.Config) error
	// Plugins are the admission plugins that serve knows besides those of package plugins.
	Plugins []plugins.Plugin
	// Etcd opens a store on etcd if its client is part of this program. If it is nil, 'serve
	// --store etcd' executes another program.
	Etcd func(context.Context, EtcdOptions) (store.Store[*cluster.Record], error)

	// Log gives the logger of serve to libraries that have a log of their own; nil if there are
	// none.
	Log func(*slog.Logger)
}

// EtcdOptions are the connection options for etcd, as in the flags of kube-apiserver.
type EtcdOptions struct {
	Endpoints []string
	// CAFile, CertFile and KeyFile are PEM files: the CA that verifies etcd's certificate, and
	// the client certificate with its key.
	CAFile, CertFile, KeyFile string
	// Prefix is the prefix of all keys.
	Prefix string
}
