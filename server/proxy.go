package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/kinds"
)

// isProxy reports whether a path has the subresource proxy of a pod, a service or a node. The rest of the path is that of
// the request which is to be passed on.
func (p place) isProxy() bool {
	if p.group != "" || p.version != "v1" || p.subresource != "proxy" || p.watch {
		return false
	}
	switch p.resource {
	case "pods", "services":
		return p.namespace != ""
	case "nodes":
		return p.namespace == ""
	}
	return false
}

// proxyRefusal returns the answer to a request for a proxy subresource. kube-apiserver looks for the object and its
// address before it connects to it (pkg/registry/core, ResourceLocation of pods, services and nodes); there are no
// containers and nodes to connect to here. As there, the user of the request needs no right to read the object. Methods
// that have no verb are refused, except OPTIONS, which is passed on.
func (s *Server) proxyRefusal(r *http.Request, p place) error {
	verb, ok := p.authorizedVerb(r)
	if !ok && r.Method != http.MethodOptions {
		return errMethod
	}
	if len(queryOf(r)["dryRun"]) > 0 {
		return badRequest("dryRun is not supported")
	}
	if p.name == "" {
		return badRequest("name must be provided")
	}
	admitted := s.admitProxy(r, p, verb)
	if !errors.Is(admitted, cluster.ErrNotServed) {
		return admitted
	}
	if err := s.proxyAddress(r.Context(), p); err != nil {
		refused := *asStatus(err)
		refused.Warnings = asStatus(admitted).Warnings
		return &refused
	}
	return admitted
}

// admitProxy returns the answer of the cluster to a request for a proxy subresource: that of admission, or one that wraps
// [cluster.ErrNotServed].
func (s *Server) admitProxy(r *http.Request, p place, verb cluster.Verb) error {
	who := s.identity(r)
	options := document.NewObject()
	if path := p.pathBehind(r.URL.Path); path != "" {
		options = options.With("path", text(path))
	}
	_, err := s.cluster.Do(r.Context(), &cluster.Request{
		Verb: verb, Version: p.version, Resource: p.resource, Namespace: p.namespace, Name: p.name, Subresource: p.subresource,
		UserAgent: r.UserAgent(), User: who.user, Impersonator: who.impersonator, Document: &document.Document{Root: options},
	})
	return err
}

// pathBehind returns what is behind the subresource in a path, as the field path of the options has it
// (apiserver/pkg/endpoints/handlers, getRequestOptions).
func (p place) pathBehind(path string) string {
	segments := 5 // api, v1, the resource, the name and the subresource
	if p.inNamespace {
		segments += 2
	}
	behind := ""
	if parts := strings.Split(strings.Trim(path, "/"), "/"); len(parts) > segments {
		behind = "/" + strings.Join(parts[segments:], "/")
	}
	if strings.HasSuffix(path, "/") && !strings.HasSuffix(behind, "/") {
		behind += "/"
	}
	return behind
}

// proxyAddress returns the error of the object to which a request would be passed on, or of its address.
func (s *Server) proxyAddress(ctx context.Context, p place) error {
	name, port, ok := splitProxyName(p.name)
	if !ok {
		return badRequest(fmt.Sprintf("invalid %s request %q", strings.TrimSuffix(p.resource, "s"), p.name))
	}
	switch p.resource {
	case "pods":
		return s.podAddress(ctx, p.namespace, name)
	case "services":
		return s.endpointAddress(ctx, p, name, port)
	}
	return s.nodeAddress(ctx, name)
}

// splitProxyName splits [http:|https:]NAME[:PORT], the name in the path of a proxy (apimachinery/pkg/util/net,
// SplitSchemeNamePort).
func splitProxyName(id string) (name, port string, ok bool) {
	parts := strings.Split(id, ":")
	if len(parts) == 3 && (parts[0] == "" || parts[0] == "http" || parts[0] == "https") {
		parts = parts[1:]
	}
	switch len(parts) {
	case 1:
		name = parts[0]
	case 2:
		name, port = parts[0], parts[1]
	}
	return name, port, name != ""
}

// podAddress returns an error if there is no such pod, or if requests may not be passed on to its address.
func (s *Server) podAddress(ctx context.Context, namespace, name string) error {
	pod, err := s.coreObject(ctx, "pods", namespace, name)
	if err != nil {
		return err
	}
	status := pod.Get("status")
	if ips := status.Get("podIPs"); ips.Len() > 0 {
		return allowedAddress(ips.At(0).Get("ip").StringOr(""))
	}
	return allowedAddress(status.Get("podIP").StringOr(""))
}

// nodeAddress returns an error if there is no such node, or if requests may not be passed on to its address.
func (s *Server) nodeAddress(ctx context.Context, name string) error {
	node, err := s.coreObject(ctx, "nodes", "", name)
	if err != nil {
		return err
	}
	address, err := kinds.NodeAddress(node)
	if err != nil {
		return &cluster.Status{Code: http.StatusInternalServerError, Message: err.Error()}
	}
	if _, err := netip.ParseAddr(address); err != nil {
		return nil // the name of a host, which is not looked up
	}
	return allowedAddress(address)
}

// allowedAddress returns an error for anything but an IP of another machine.
func allowedAddress(ip string) error {
	if a, err := netip.ParseAddr(ip); err != nil || !a.IsGlobalUnicast() {
		return badRequest("address not allowed")
	}
	return nil
}

// endpointAddress returns an error if the Endpoints of a Service have no address of a pod for the port, which is
// a name, or the number of a port of the Service. Only the ready addresses of existing pods count.
func (s *Server) endpointAddress(ctx context.Context, p place, name, port string) error {
	if number, err := strconv.ParseInt(port, 10, 64); err == nil {
		service, err := s.coreObject(ctx, "services", p.namespace, name)
		if err != nil {
			return err
		}
		named := false
		if port, named = kinds.ServicePortName(service, number); !named {
			return unavailable(fmt.Sprintf("no service port %d found for service %q", number, name))
		}
	}
	endpoints, err := s.coreObject(ctx, "endpoints", p.namespace, name)
	if err != nil {
		if st := asStatus(err); st.Code != http.StatusNotFound {
			return st
		}
		return &cluster.Status{
			Code: http.StatusNotFound, Reason: cluster.ReasonNotFound, Message: fmt.Sprintf("services %q not found", name),
			Details: &cluster.StatusDetails{Kind: p.resource, Name: name},
		}
	}
	subsets := endpoints.Get("subsets")
	if subsets.Len() == 0 {
		return unavailable(fmt.Sprintf("no endpoints available for service %q", name))
	}
	for _, subset := range subsets.Items() {
		for _, one := range subset.Get("ports").Items() {
			if one.Get("name").StringOr("") == port && s.hasPod(ctx, p.namespace, subset.Get("addresses")) {
				return nil
			}
		}
	}
	return unavailable(fmt.Sprintf("no endpoints available for service %q", p.name))
}

// hasPod reports whether one of the addresses in Endpoints is that of a pod in the namespace.
func (s *Server) hasPod(ctx context.Context, namespace string, addresses document.Value) bool {
	for _, a := range addresses.Items() {
		ref := a.Get("targetRef")
		if !ref.Exists() || ref.Get("namespace").StringOr("") != namespace {
			continue
		}
		pod, err := s.coreObject(ctx, "pods", namespace, ref.Get("name").StringOr(""))
		if err != nil {
			continue
		}
		for _, ip := range pod.Lookup("status", "podIPs").Items() {
			if ip.Get("ip").StringOr("") == a.Get("ip").StringOr("") {
				return true
			}
		}
	}
	return false
}

func unavailable(message string) *cluster.Status {
	return &cluster.Status{Code: http.StatusServiceUnavailable, Reason: cluster.ReasonUnavailable, Message: message}
}

// coreObject returns an object of the core group that the server itself reads.
func (s *Server) coreObject(ctx context.Context, resource, namespace, name string) (document.Value, error) {
	return s.lookUp(ctx, &cluster.Request{Version: "v1", Resource: resource, Namespace: namespace, Name: name})
}

// lookUp returns an object that the server itself reads.
func (s *Server) lookUp(ctx context.Context, request *cluster.Request) (document.Value, error) {
	response, err := s.cluster.Do(ctx, request.AsServer())
	if err != nil {
		return document.Value{}, err
	}
	return response.Object, nil
}
