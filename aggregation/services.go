package aggregation

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
)

var (
	services         = resource{"", "v1", "services"}
	endpointSliceSet = resource{"discovery.k8s.io", "v1", "endpointslices"}
)

// followServices checks a backend again when its Service or an EndpointSlice of it changes. Nothing is followed as long
// as no APIService has a service.
func (a *Aggregator) followServices(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-a.first:
	}
	if a.options.Service != nil {
		return
	}
	a.started.Go(func() {
		a.follow(ctx, services, a.checking(nameOf))
	})
	a.follow(ctx, endpointSliceSet, a.checking(func(slice document.Value) string {
		return slice.Lookup("metadata", "labels", kinds.ServiceLabel).StringOr("")
	}))
}

// checking returns a follower that checks the backends of the Services that objects concern.
func (a *Aggregator) checking(service func(object document.Value) string) follower {
	return follower{
		replace: func([]document.Value) { a.checkBackends(func(serviceReference) bool { return true }) },
		changed: func(object document.Value, _ bool) {
			namespace, name := namespaceOf(object), service(object)
			a.checkBackends(func(s serviceReference) bool { return s.namespace == namespace && s.name == name })
		},
	}
}

func (a *Aggregator) checkBackends(of func(serviceReference) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, b := range a.backends {
		if of(*b.current.Load().service) {
			signal(b.checks)
		}
	}
}

// service returns the Service of a reference.
func (a *Aggregator) service(ctx context.Context, s serviceReference) (document.Value, error) {
	request := services.request(cluster.Get)
	request.Namespace, request.Name = s.namespace, s.name
	got, err := a.cluster.Do(ctx, request)
	if err != nil {
		return document.Value{}, err
	}
	return got.Object, nil
}

func (a *Aggregator) endpointSlices(ctx context.Context, s serviceReference) ([]document.Value, error) {
	request := endpointSliceSet.request(cluster.List)
	request.Namespace, request.LabelSelector = s.namespace, kinds.ServiceLabel+"="+s.name
	list, err := a.cluster.Do(ctx, request)
	if err != nil {
		return nil, err
	}
	return list.Items(), nil
}

// locate returns the URL of the service without a path (k8s.io/apiserver/pkg/util/proxy, ResolveCluster).
func (a *Aggregator) locate(ctx context.Context, s serviceReference) (*url.URL, error) {
	if a.options.Service != nil {
		u, err := a.options.Service(s.namespace, s.name, s.port)
		if err != nil {
			return nil, err
		}
		return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
	}
	service, err := a.service(ctx, s)
	if isNotFound(err) {
		return nil, errors.New("service " + strconv.Quote(s.name) + " not found")
	}
	if err != nil {
		return nil, err
	}
	host, err := kinds.ServiceHost(service, s.port)
	if err != nil {
		return nil, err
	}
	return &url.URL{Scheme: "https", Host: net.JoinHostPort(host, strconv.Itoa(int(s.port)))}, nil
}

// dial returns a function that connects to the service. address is that of the URL. No machine has a cluster IP, so
// that the connection goes to a ready endpoint of the Service if it has one, as kube-proxy directs it.
func (a *Aggregator) dial(s serviceReference) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: dialTime}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if a.options.Service == nil {
			address = a.endpoint(ctx, s, address)
		}
		return dialer.DialContext(ctx, network, address)
	}
}

// endpoint returns the address of a ready endpoint of the Service, or the given one if there is none.
func (a *Aggregator) endpoint(ctx context.Context, s serviceReference, address string) string {
	service, err := a.service(ctx, s)
	if err != nil || service.Lookup("spec", "type").StringOr("") == "ExternalName" {
		return address
	}
	port, ok := kinds.ServicePortName(service, int64(s.port))
	if !ok {
		return address
	}
	slices, err := a.endpointSlices(ctx, s)
	if err != nil {
		return address
	}
	if ready := readyAddresses(slices, port); len(ready) > 0 {
		return ready[rand.N(len(ready))]
	}
	return address
}

// readyAddresses returns the addresses of the ready endpoints in slices that have a port with the name.
func readyAddresses(endpointSlices []document.Value, port string) []string {
	var all []string
	for _, slice := range endpointSlices {
		addresses, number := kinds.ReadyAddresses(slice, port)
		for _, address := range addresses {
			all = append(all, net.JoinHostPort(address, strconv.FormatInt(number, 10)))
		}
	}
	return all
}
