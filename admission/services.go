package admission

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	webhookutil "k8s.io/apiserver/pkg/util/webhook"

	"github.com/patchlab-dev/patchlab/document"
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

// services resolves a service from the Service in the cluster, with the errors of kube-apiserver
// (k8s.io/apiserver, pkg/util/proxy, ResolveCluster). That package is not imported, because it brings
// the clients of port forwarding with it.
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
	host, err := hostOf(service, port)
	if err != nil {
		return nil, err
	}
	return &url.URL{Scheme: "https", Host: net.JoinHostPort(host, strconv.Itoa(int(port)))}, nil
}

// hostOf returns the host to which requests to the port of a Service are sent.
func hostOf(service document.Value, port int32) (string, error) {
	spec := service.Get("spec")
	ip := spec.Get("clusterIP").StringOr("")
	switch kind := spec.Get("type").StringOr(""); {
	case kind == "ExternalName":
		return spec.Get("externalName").StringOr(""), nil
	case kind == "ClusterIP" && ip == corev1.ClusterIPNone:
		return "", errors.New(`cannot route to service with ClusterIP "None"`)
	case kind != "ClusterIP" && kind != "LoadBalancer" && kind != "NodePort":
		return "", fmt.Errorf("unsupported service type %q", kind)
	}
	for _, p := range spec.Get("ports").Items() {
		if n, _ := p.Get("port").Int(); n == int64(port) {
			return ip, nil
		}
	}
	return "", apierrors.NewServiceUnavailable(fmt.Sprintf("no service port %d found for service %q", port, service.Lookup("metadata", "name").StringOr("")))
}
