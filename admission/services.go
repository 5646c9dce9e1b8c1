package admission

import (
	"net"
	"net/url"
	"strconv"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"

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
	return &url.URL{Scheme: "https", Host: net.JoinHostPort(host, strconv.Itoa(int(port)))}, nil
}
