package aggregation

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// Options configure an Aggregator. The zero value finds services by the Services in the cluster.
type Options struct {
	// Service returns the URL of a service, of which scheme, host and port are used; the Service need not exist.
	// With nil it is the name of an ExternalName Service, or the cluster IP. Connections to a cluster IP go to an
	// address in the EndpointSlices of the Service if there is one, as they would through kube-proxy.
	Service func(namespace, name string, port int32) (*url.URL, error)
}

// Aggregator forwards requests to extension API servers. It is safe for concurrent use.
type Aggregator struct {
	cluster   *cluster.Cluster
	options   Options
	client    tls.Certificate
	authority []byte
	// id marks the requests that this Aggregator forwards, so that one that comes back is recognized.
	id string

	// mu protects backends and running.
	mu       sync.Mutex
	backends map[string]*Backend // by name of the APIService
	// running is the context of the backends, nil before Run and after it, and started holds their goroutines.
	running context.Context
	started *sync.WaitGroup
	// first is closed when there is a backend.
	first     chan struct{}
	firstOnce sync.Once
	// routes are the backends by group and version. The map is never changed.
	routes atomic.Pointer[map[groupVersion]*Backend]

	// listing protects versions, which are those of the last list of APIServices; changed reports that there is a newer one.
	listing  sync.Mutex
	versions []Version
	changed  atomic.Bool
}

type groupVersion struct{ group, version string }

var apiServices = resource{Group, "v1", registrations}

// New returns an Aggregator for the APIServices in a cluster. Until [Aggregator.Run] is called, it forwards requests
// only for those that exist already. It must be called before the cluster is used concurrently.
func New(ctx context.Context, c *cluster.Cluster, o Options) (*Aggregator, error) {
	client, authority, err := proxyCertificate()
	if err != nil {
		return nil, err
	}
	a := &Aggregator{
		cluster: c, options: o, client: client, authority: authority, id: "patchlab-" + rand.Text(),
		backends: map[string]*Backend{}, first: make(chan struct{}),
	}
	a.changed.Store(true)
	c.OnChange(Group, []string{registrations}, func(context.Context) { a.changed.Store(true) })
	list, err := c.Do(ctx, apiServices.request(cluster.List))
	if err != nil {
		return nil, err
	}
	a.replace(ctx, list.Items())
	return a, nil
}

// Authority returns the certificate, in PEM, of the authority that has signed the client certificate with which
// requests are forwarded.
func (a *Aggregator) Authority() []byte { return a.authority }

// Names returns the names that the client certificate may have.
func (a *Aggregator) Names() []string { return []string{proxyName} }

// Run follows the APIServices, checks their services, and keeps their documents until the context ends.
func (a *Aggregator) Run(ctx context.Context) {
	var started sync.WaitGroup
	a.mu.Lock()
	a.running, a.started = ctx, &started
	for _, b := range a.backends {
		b.start()
	}
	a.mu.Unlock()
	started.Go(func() { a.followServices(ctx) })
	a.follow(ctx, apiServices, follower{
		replace: func(objects []document.Value) { a.replace(ctx, objects) },
		changed: func(object document.Value, deleted bool) { a.update(ctx, object, deleted) },
	})
	a.mu.Lock()
	a.running = nil
	a.mu.Unlock()
	started.Wait()
}

// replace brings the backends in line with all APIServices.
func (a *Aggregator) replace(ctx context.Context, objects []document.Value) {
	a.changed.Store(true)
	exists := map[string]bool{}
	for _, object := range objects {
		a.put(ctx, object)
		exists[nameOf(object)] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for name := range a.backends {
		if !exists[name] {
			a.remove(name)
		}
	}
}

func (a *Aggregator) update(ctx context.Context, object document.Value, deleted bool) {
	a.changed.Store(true)
	if !deleted {
		a.put(ctx, object)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(nameOf(object))
}

// put brings the backend of an APIService in line with it.
func (a *Aggregator) put(ctx context.Context, object document.Value) {
	r := registrationOf(object)
	if r.service == nil && !localAvailability.isIn(object) {
		_ = a.report(ctx, r, localAvailability) // what fails is left to the next change
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.service == nil {
		a.remove(r.name)
		return
	}
	b := a.backends[r.name]
	if b == nil {
		b = &Backend{aggregator: a, name: r.name, checks: make(chan struct{}, 1), discoveries: make(chan struct{}, 1)}
		a.backends[r.name] = b
		a.firstOnce.Do(func() { close(a.first) })
	}
	b.configure(r)
	if b.stop == nil {
		b.start()
	}
	a.reroute()
}

// remove removes a backend if there is one.
func (a *Aggregator) remove(name string) {
	b := a.backends[name]
	if b == nil {
		return
	}
	delete(a.backends, name)
	if b.stop != nil {
		b.stop()
	}
	a.reroute()
}

// reroute makes the routes anew. The versions of APIServices themselves are always served by the API server, so that a
// wrong one can be corrected.
func (a *Aggregator) reroute() {
	routes := make(map[groupVersion]*Backend, len(a.backends))
	for _, b := range a.backends {
		if r := b.current.Load(); r.group != Group {
			routes[groupVersion{r.group, r.version}] = b
		}
	}
	a.routes.Store(&routes)
}

// Find returns the extension API server for a version of a group, nil if the API server itself serves it or nobody does.
func (a *Aggregator) Find(group, version string) *Backend {
	if routes := a.routes.Load(); routes != nil {
		return (*routes)[groupVersion{group, version}]
	}
	return nil
}

// Backends returns the extension API servers.
func (a *Aggregator) Backends() []*Backend {
	routes := a.routes.Load()
	if routes == nil {
		return nil
	}
	backends := slices.Collect(maps.Values(*routes))
	slices.SortFunc(backends, func(x, y *Backend) int { return strings.Compare(x.name, y.name) })
	return backends
}

// Any reports whether there is an APIService with a service.
func (a *Aggregator) Any() bool {
	routes := a.routes.Load()
	return routes != nil && len(*routes) > 0
}

// Versions returns the versions that have an APIService in the order of discovery. The slice must not be changed.
func (a *Aggregator) Versions(ctx context.Context) ([]Version, error) {
	a.listing.Lock()
	defer a.listing.Unlock()
	if !a.changed.Swap(false) {
		return a.versions, nil
	}
	list, err := a.cluster.Do(ctx, apiServices.request(cluster.List))
	if err != nil {
		a.changed.Store(true)
		return nil, err
	}
	var all []registration
	for _, object := range list.Items() {
		all = append(all, registrationOf(object))
	}
	a.versions = sorted(all)
	return a.versions, nil
}
