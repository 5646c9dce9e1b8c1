package admission

import (
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
)

// services returns the resolver for the services of webhooks. s may be nil and be set later.
func (o Options) services(s *source) webhookutil.ServiceResolver {
	if o.Service != nil {
		return resolver(o.Service)
	}
	r := &services{}
	r.source.Store(s)
	return r
}

type resolver func(namespace, name string, port int32) (*url.URL, error)

func (r resolver) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	return r(namespace, name, port)
}

// services resolves a service from the Service in the cluster. k8s.io/apiserver/pkg/util/proxy, which does so in
// kube-apiserver, is not imported, because it brings the clients of port forwarding with it.
type services struct {
	source atomic.Pointer[source] // nil until there is a cluster
}

func (s *services) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	from := s.source.Load()
	if from == nil {
		return webhookutil.NewDefaultServiceResolver().ResolveEndpoint(namespace, name, port)
	}
	service, err := from.get("", "v1", "services", namespace, name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, apierrors.NewNotFound(corev1.Resource("service"), name)
	case err != nil:
		return nil, err
	}
	host, err := kinds.ServiceHost(service, port)
	if err != nil {
		return nil, err
	}
	at := net.JoinHostPort(host, strconv.Itoa(int(port)))
	if ready := from.readyAddresses(service, port); len(ready) > 0 {
		at = ready[rand.N(len(ready))]
	}
	return &url.URL{Scheme: "https", Host: at}, nil
}

// readyAddresses returns the addresses of the ready endpoints of a Service with a cluster IP. No machine has its cluster IP,
// so that the connection goes to one of these, as kube-proxy directs it.
func (s *source) readyAddresses(service document.Value, port int32) (all []string) {
	name, ok := kinds.ServicePortName(service, int64(port))
	if !ok || service.Lookup("spec", "type").StringOr("") == "ExternalName" {
		return nil
	}
	metadata := service.Get("metadata")
	slices, err := s.list("discovery.k8s.io", "v1", "endpointslices", metadata.Get("namespace").StringOr(""))
	if err != nil {
		return nil
	}
	for _, slice := range slices {
		if slice.Lookup("metadata", "labels", kinds.ServiceLabel).StringOr("") != metadata.Get("name").StringOr("") {
			continue
		}
		addresses, number := kinds.ReadyAddresses(slice, name)
		for _, address := range addresses {
			all = append(all, net.JoinHostPort(address, strconv.FormatInt(number, 10)))
		}
	}
	return all
}
