// Package patchlabtest runs a Kubernetes API server inside a Go test, without
// binaries, etcd or a cluster:
//
//	cfg := patchlabtest.Start(t, "config/crd")
//
// The config is ready for client-go, controller-runtime and everything else
// that takes a *rest.Config; the server stops with the test. Each server has a
// store of its own, so tests may run side by side.
//
// It answers as kube-apiserver does: patches, server-side apply, managedFields,
// resourceVersion and conflicts, generation, status, finalizers, list and
// watch. CEL rules of CustomResourceDefinitions, admission policies, admission
// webhooks and conversion webhooks run, and count from the next request on. Of the
// controllers of kube-controller-manager two run: the one that empties namespaces
// which are deleted, and the garbage collector. There are no others: nothing makes
// Pods of a Deployment, and unless [Options].StrictNamespaces is set a namespace need
// not exist for objects to be created in it. The namespaces of the system, the Service
// kubernetes and the priority classes of the system exist.
//
// A suite written for envtest of controller-runtime runs against it unchanged but
// for one line, which tells envtest to use this server: its CRDs and webhooks are
// installed as ever.
//
//	testEnv = &envtest.Environment{
//		UseExistingCluster: ptr.To(true), Config: server.Config(), // this line
//		CRDDirectoryPaths: …, WebhookInstallOptions: …,
//	}
//
// Beyond what envtest can do, [Server.Requests] tells who sent what, [Server.Inject]
// makes requests fail, [Clock] is a clock that the test moves, and [Options].RBAC holds
// clients to their roles.
package patchlabtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/server"
)

// Options configure a server. The zero value is an empty server of the newest
// Kubernetes version.
type Options struct {
	// CRDs are files and folders of files that end in .yaml, .yml or .json. Documents
	// in them that are not a CustomResourceDefinition are skipped, as envtest does.
	CRDs []string
	// Objects are files and folders of objects to create.
	Objects []string
	// Values are objects to create, CustomResourceDefinitions included: pointers to
	// typed objects, such as *appsv1.Deployment, *unstructured.Unstructured, or apply
	// configurations. A typed object without apiVersion and kind must be of a type in
	// Scheme.
	Values []any
	// Scheme knows the kinds of the typed objects in Values; nil is client-go's
	// scheme.Scheme.
	Scheme runtime.ObjectTyper
	// NoControllers leaves out the controllers, as in an API server alone: then a
	// namespace that is deleted stays Terminating, and dependents stay.
	NoControllers bool
	// StrictNamespaces refuses to create objects in namespaces that do not exist or
	// are being deleted, as kube-apiserver does with its default admission plugins.
	StrictNamespaces bool
	// Version is the Kubernetes minor version, such as "1.34"; "" is the newest.
	Version string
	// Now is the clock that creationTimestamp, deletionTimestamp and the times in
	// managedFields are read from; nil is time.Now. It may be called by several
	// goroutines at once.
	Now func() time.Time
	// Seed, if it is not 0, makes uids and the suffixes of generated names the same in
	// every run in which objects are created in the same order.
	Seed uint64
	// Wrap returns the handler that requests go to, given the server's own: one that
	// fails, delays or records some of them, for example. nil is the server's own.
	Wrap func(http.Handler) http.Handler
	// NoAdmission leaves out CEL rules, admission policies, admission webhooks and
	// conversion webhooks.
	NoAdmission bool
	// Service returns the URL at which a service is reached that the configuration of
	// a webhook names; nil expects URLs in configurations, as envtest writes them.
	Service func(namespace, name string, port int32) (*url.URL, error)
	// RBAC refuses requests that the Roles and ClusterRoles bound to their user do not
	// allow. The user of [Server.Config] may do everything; [Server.ConfigFor] gives
	// others.
	RBAC bool
}

// Start starts a server that holds the CRDs of the named files and folders, and
// gives the config to reach it. The server stops when the test and its subtests
// have ended. What goes wrong ends the test.
func Start(t testing.TB, crds ...string) *rest.Config {
	t.Helper()
	return StartWith(t, Options{CRDs: crds}).Config()
}

// StartWith starts a server with options. It stops when the test and its subtests
// have ended. An error ends the test.
func StartWith(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Server is a server that runs in this process, for use without a test, such as
// in TestMain. It listens on a free port of the loopback interface.
type Server struct {
	cluster *cluster.Cluster
	gate    *gate
	url     string
	stop    context.CancelFunc
	done    func() error
}

// New starts a server. It must be stopped.
func New(o Options) (*Server, error) {
	config := cluster.Config{Version: o.Version, StrictNamespaces: o.StrictNamespaces, Now: o.Now}
	if o.Seed != 0 {
		ids := newIDs(o.Seed)
		config.UID, config.Suffix = ids.uid, ids.suffix
	}
	if !o.NoAdmission {
		if err := admission.Configure(&config, admission.Options{Service: o.Service}); err != nil {
			return nil, err
		}
	}
	c, err := cluster.New(config)
	if err != nil {
		return nil, err
	}
	g := &gate{Cluster: c, now: o.Now}
	if g.now == nil {
		g.now = time.Now
	}
	if o.RBAC {
		g.roles = &roles{c}
	}
	ctx, stop := context.WithCancel(context.Background())
	if err = controllers.Bootstrap(ctx, c, false); err == nil {
		err = load(ctx, c, o)
	}
	var l net.Listener
	if err == nil {
		l, err = listen()
	}
	if err != nil {
		stop()
		return nil, errors.Join(err, c.Close())
	}
	var controlled sync.WaitGroup
	var failed error
	if !o.NoControllers {
		controlled.Go(func() {
			failed = controllers.Run(ctx, c, controllers.Options{Namespaces: true, GarbageCollection: true})
			if errors.Is(failed, context.Canceled) {
				failed = nil // the server was stopped while the controllers started
			}
		})
	}
	done := make(chan error, 1)
	go func() {
		err := server.New(g, server.Options{User: admin(), Wrap: o.Wrap, Now: o.Now}).Serve(ctx, l, nil)
		controlled.Wait()
		done <- errors.Join(err, failed, c.Close())
	}()
	return &Server{
		cluster: c,
		gate:    g,
		url:     "http://" + l.Addr().String(),
		stop:    stop,
		done:    sync.OnceValue(func() error { return <-done }),
	}, nil
}

// listen takes a free port, on IPv6 where there is no IPv4.
func listen() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		return l, nil
	}
	l, err6 := net.Listen("tcp", "[::1]:0")
	if err6 != nil {
		return nil, fmt.Errorf("no port of the loopback interface is free: %w", errors.Join(err, err6))
	}
	return l, nil
}

// Cluster returns the cluster behind the server. A test can send it requests without
// HTTP, such as a write between two of a controller's requests, and read what it
// stores. It is closed when the server stops.
func (s *Server) Cluster() *cluster.Cluster { return s.cluster }

// Config returns a new config for clients of the server. The rate of requests is not
// limited (QPS is -1): client-go's default of five a second protects shared clusters.
func (s *Server) Config() *rest.Config {
	return &rest.Config{Host: s.url, QPS: -1}
}

// Stop stops the server: watches end, and requests that are being answered have a few
// seconds to finish. Further calls return the same error.
func (s *Server) Stop() error {
	s.stop()
	return s.done()
}
