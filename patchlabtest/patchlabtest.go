// Package patchlabtest runs a Kubernetes API server inside a Go test, without binaries, etcd
// or a cluster:
//
//	cfg := patchlabtest.Start(t, "config/crd")
//
// The config works with client-go, controller-runtime and anything else that takes a
// *rest.Config. The server stops at the end of the test. Each server has its own store, so
// tests may run in parallel.
//
// It answers as kube-apiserver does, for patches, server-side apply, managedFields,
// resourceVersion and conflicts, generation, status, finalizers, list and watch. CEL rules of
// CustomResourceDefinitions, admission policies, admission webhooks and conversion webhooks
// run, and changes to them apply from the next request on. The system namespaces, the Service
// kubernetes, the APIServices and other objects of a new cluster exist from the beginning
// (doc/server.md lists them). Unless [Options].StrictNamespaces is set, objects can be created in
// namespaces that do not exist.
//
// Two controllers of kube-controller-manager run: the namespace controller, which deletes the
// contents of terminating namespaces, and the garbage collector. [Options].RBAC adds the one
// that aggregates ClusterRoles, the admission plugin ResourceQuota the one that updates the usage in
// ResourceQuotas, and the plugin ServiceAccount the one that creates the account "default". No other
// controllers run: no Pods are created for a Deployment. Services get cluster IPs of 10.96.0.0/16 and
// node ports, in order of their creation, unless [Options].NoAddresses is set.
//
// A suite written for controller-runtime's envtest works with one changed line, which makes
// envtest use this server. It installs CRDs and webhooks as usual.
//
//	testEnv = &envtest.Environment{
//		UseExistingCluster: ptr.To(true), Config: server.Config(), // this line
//		CRDDirectoryPaths: …, WebhookInstallOptions: …,
//	}
//
// envtest's own API server has no controllers, but admission plugins and authorization by roles:
// [Options]{NoControllers: true, StrictNamespaces: true, AdmissionPlugins: []string{plugins.Default},
// RBAC: true} is closest to it. [Server.ConfigFor] takes the place of its AddUser, and flags that a suite
// sets for the API server have no effect; doc/envtest.md describes programs with which these work too.
//
// In addition to what envtest offers, [Server.Requests] returns the requests with their users,
// [Server.Inject] makes requests fail, [Clock] is a clock that the test advances, and
// [Options].RBAC enforces the roles of users.
package patchlabtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/patchlab-dev/patchlab/admission"
	"github.com/patchlab-dev/patchlab/admission/podsecurity"
	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/plugins"
	"github.com/patchlab-dev/patchlab/rbac"
	"github.com/patchlab-dev/patchlab/server"
)

// Options configure a server. The zero value is a server of the default Kubernetes version
// without CRDs and objects.
type Options struct {
	// CRDs are files, and directories of files that end in .yaml, .yml or .json. Documents
	// other than CustomResourceDefinitions are skipped, as in envtest.
	// Of several definitions with the same name the last one is used.
	CRDs []string
	// Objects are files and directories of objects to create, such as a dump of a cluster. They keep
	// their uid, creationTimestamp, generation, status and managedFields, as do Values; one
	// without managedFields is owned by the field manager "patchlabtest". Those that
	// every cluster has from the beginning are skipped.
	Objects []string
	// Values are objects to create, CustomResourceDefinitions included: pointers to
	// typed objects, such as *appsv1.Deployment, *unstructured.Unstructured, apply
	// configurations, or lists of objects, such as those of another server, with whose objects
	// this one continues. A typed object without apiVersion and kind must be of a type in
	// Scheme. A namespaced object without a namespace is created in "default".
	Values []any
	// Scheme provides the kinds of the typed objects in Values; nil is client-go's
	// scheme.Scheme.
	Scheme runtime.ObjectTyper
	// NoControllers disables the controllers, so that the server is an API server alone: a
	// deleted namespace then remains Terminating, and dependents are not deleted.
	NoControllers bool
	// NoAddresses leaves the cluster IPs and node ports unset that a Service does not specify, as in a
	// scenario ('patchlab run').
	NoAddresses bool
	// StrictNamespaces refuses to create objects in namespaces that do not exist or
	// are being deleted, as kube-apiserver does with its default admission plugins.
	StrictNamespaces bool
	// AdmissionPlugins are the admission plugins of kube-apiserver to run, such as "LimitRanger",
	// or [plugins.Default] for PodSecurity and all of package plugins; nil runs none. They do not apply to
	// Objects and Values. With ResourceQuota, a controller sets the status of quotas, and with
	// ServiceAccount, one creates the account "default" of each namespace.
	AdmissionPlugins []string
	// Version is the Kubernetes minor version, such as "1.34"; "" is
	// schema.DefaultVersion.
	Version string
	// Now returns the time for creationTimestamp, deletionTimestamp and managedFields; nil is
	// time.Now. It must be safe for concurrent use.
	Now func() time.Time
	// Seed, if not 0, makes uids and the suffixes of generated names the same in every run
	// that creates objects in the same order. Concurrent requests have no such order, nor has the
	// controller that creates the account "default" of each namespace with the admission plugin
	// ServiceAccount: what is created while it runs may have other uids in every run.
	Seed uint64
	// Wrap returns the handler for requests, given the server's own. It may, for example,
	// fail, delay or record some of them. If Wrap is nil, the
	// server's own handler is used. Wrap must not return nil.
	Wrap func(http.Handler) http.Handler
	// NoAdmission disables CEL rules, admission policies, admission webhooks and conversion
	// webhooks.
	NoAdmission bool
	// Service returns the URL of a service in a webhook's client configuration or an APIService. With
	// nil, it is found by the Service in the cluster, which may be an ExternalName such as "localhost";
	// webhooks may also have a URL in their configuration, as envtest writes it.
	Service func(namespace, name string, port int32) (*url.URL, error)
	// RBAC refuses requests that are not allowed by the Roles and ClusterRoles bound to their
	// user, and creates the roles with which kube-apiserver begins (package rbac). The user of
	// [Server.Config] may do everything; [Server.ConfigFor] returns configs for other users, and
	// tokens of service accounts authenticate theirs.
	RBAC bool
}

// Start starts a server with the CRDs in the given files and directories, and returns the
// config for it. The server stops at the end of the test. An error fails the test with
// t.Fatal.
func Start(t testing.TB, crds ...string) *rest.Config {
	t.Helper()
	return StartWith(t, Options{CRDs: crds}).Config()
}

// StartWith starts a server with options. It stops at the end of the test. An error fails the
// test with t.Fatal.
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

// Server is a server in this process, listening on a free port of the loopback interface.
type Server struct {
	cluster *cluster.Cluster
	gate    *gate
	url     string
	stop    context.CancelFunc
	done    func() error
}

// New starts a server for use without a test, such as in TestMain. The caller must call Stop.
func New(o Options) (*Server, error) {
	// An object with the zero time is invalid: the JSON of a metav1.Time that is zero is null.
	if o.Now != nil && o.Now().IsZero() {
		return nil, errors.New("Options.Now returned the zero time; start the clock at another one, such as with NewClock(time.Now())")
	}
	tokens := &server.Tokens{}
	c, err := newCluster(o, tokens)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{cluster: c, stop: stop}
	if err := s.start(ctx, o, tokens); err != nil {
		stop()
		return nil, errors.Join(err, c.Close())
	}
	return s, nil
}

// newCluster returns the cluster that the options describe, without objects.
func newCluster(o Options, tokens *server.Tokens) (*cluster.Cluster, error) {
	config := cluster.Config{Version: o.Version, StrictNamespaces: o.StrictNamespaces, Addresses: !o.NoAddresses, Now: o.Now, Tokens: tokens}
	if o.Seed != 0 {
		ids := newIDs(o.Seed)
		config.UID, config.Suffix = ids.uid, ids.suffix
	}
	if !o.NoAdmission {
		if err := admission.Configure(&config, admission.Options{Service: o.Service, RBAC: o.RBAC}); err != nil {
			return nil, err
		}
	}
	if err := plugins.Configure(&config, o.AdmissionPlugins, podsecurity.Plugin()); err != nil {
		return nil, err
	}
	if o.RBAC {
		if err := rbac.Configure(&config); err != nil {
			return nil, err
		}
	}
	return cluster.New(config)
}

// start creates the first objects, and starts the controllers and the server.
func (s *Server) start(ctx context.Context, o Options, tokens *server.Tokens) error {
	if err := controllers.Bootstrap(ctx, s.cluster, netip.AddrPort{}); err != nil {
		return err
	}
	if o.RBAC {
		if err := controllers.BootstrapRoles(ctx, s.cluster); err != nil {
			return err
		}
	}
	if err := load(ctx, s.cluster, o); err != nil {
		return err
	}
	aggregator, err := aggregate(ctx, s.cluster, o)
	if err != nil {
		return err
	}
	s.gate = &gate{Cluster: s.cluster, now: o.Now}
	if o.Now == nil {
		s.gate.now = time.Now
	}
	options := server.Options{User: admin(), Tokens: tokens, Now: o.Now, Aggregation: aggregator}
	if o.RBAC {
		authorized := rbac.Cluster{Cluster: s.cluster}
		s.gate.Cluster, options.Authorizer = authorized, authorized
	}
	api, err := wrapped(s.gate, options, o.Wrap)
	if err != nil {
		return err
	}
	l, err := listen()
	if err != nil {
		return err
	}
	s.url = "http://" + l.Addr().String()
	var controlled sync.WaitGroup
	var failed error
	controlled.Go(func() { aggregator.Run(ctx) })
	if !o.NoControllers {
		controlled.Go(func() {
			options := controllers.Options{Namespaces: true, GarbageCollection: true, Aggregation: o.RBAC, Extensions: aggregator}
			failed = controllers.Run(ctx, s.cluster, options.ForPlugins(o.AdmissionPlugins))
			if errors.Is(failed, context.Canceled) {
				failed = nil // the server was stopped while the controllers started
			}
		})
	}
	done := make(chan error, 1)
	go func() {
		err := api.Serve(ctx, l, nil)
		controlled.Wait()
		done <- errors.Join(err, failed, s.cluster.Close())
	}()
	s.done = sync.OnceValue(func() error { return <-done })
	return nil
}

// aggregate returns what forwards requests to extension API servers, and publishes the authority that these trust.
func aggregate(ctx context.Context, c *cluster.Cluster, o Options) (*aggregation.Aggregator, error) {
	a, err := aggregation.New(ctx, c, aggregation.Options{Service: o.Service})
	if err != nil {
		return nil, err
	}
	return a, controllers.PublishAuthorities(ctx, c, controllers.Authorities{Proxies: a.Authority(), ProxyNames: a.Names()})
}

// wrapped returns a server whose handler is the one that wrap returns.
func wrapped(g *gate, o server.Options, wrap func(http.Handler) http.Handler) (*server.Server, error) {
	if wrap == nil {
		return server.New(g, o), nil
	}
	var handler http.Handler
	o.Wrap = func(http.Handler) http.Handler { return handler }
	s := server.New(g, o)
	if handler = wrap(s); handler == nil {
		return nil, errors.New("Options.Wrap returned nil; a function that changes nothing returns its argument")
	}
	return s, nil
}

// listen listens on a free port, of IPv6 if there is no IPv4.
func listen() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		return l, nil
	}
	l, err6 := net.Listen("tcp", "[::1]:0")
	if err6 != nil {
		return nil, fmt.Errorf("listening on the loopback interface: %w", errors.Join(err, err6))
	}
	return l, nil
}

// Cluster returns the cluster behind the server. With it a test can send requests without
// HTTP, such as a write between two requests of a controller, and read stored objects. It is
// closed when the server stops.
func (s *Server) Cluster() *cluster.Cluster { return s.cluster }

// Config returns a new config for clients of the server. It does not limit the rate of
// requests (QPS is -1); client-go's default of five per second protects shared clusters.
func (s *Server) Config() *rest.Config {
	return &rest.Config{Host: s.url, QPS: -1}
}

// Stop stops the server: watches end, and running requests have a few seconds to finish.
// Further calls return the same error.
func (s *Server) Stop() error {
	s.stop()
	return s.done()
}
