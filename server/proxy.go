package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// isProxy reports whether a path has the subresource proxy of a pod, a service or a node. The rest of the path is that of
// the request which is to be passed on.
func (p place) isProxy() bool {
	if p.group != "" || p.version != "v1" || p.subresource != "proxy" || p.name == "" || p.watch {
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

// proxyRefusal returns the answer to a request for a proxy subresource. kube-apiserver looks for the object before it
// connects to it, and refuses one that has no address; there are no containers and nodes to connect to here. As there,
// the user of the request needs no right to read the object. Methods that the authorizer cannot decide about are refused.
func (s *Server) proxyRefusal(r *http.Request, p place) error {
	if _, ok := p.authorizedVerb(r); !ok {
		return errMethod
	}
	name, port, ok := splitProxyName(p.name)
	if !ok {
		return badRequest(fmt.Sprintf("invalid %s request %q", strings.TrimSuffix(p.resource, "s"), p.name))
	}
	object, err := s.lookUp(r.Context(), &cluster.Request{Version: p.version, Resource: p.resource, Namespace: p.namespace, Name: name})
	if err != nil {
		return err
	}
	switch p.resource {
	case "pods":
		if object.Lookup("status", "podIP").StringOr("") == "" {
			return badRequest("address not allowed")
		}
	case "nodes":
		if object.Lookup("status", "addresses").Len() == 0 {
			return &cluster.Status{Code: http.StatusInternalServerError, Message: "no preferred addresses found; known addresses: []"}
		}
	case "services":
		if err := s.checkEndpoints(r.Context(), p, object, port); err != nil {
			return err
		}
	}
	_, err = s.lookUp(r.Context(), &cluster.Request{
		Version: p.version, Resource: p.resource, Namespace: p.namespace, Name: name, Subresource: p.subresource,
	})
	return err
}

// checkEndpoints refuses a service that does not have a port, or has no address behind it.
func (s *Server) checkEndpoints(ctx context.Context, p place, service document.Value, port string) error {
	name := service.Lookup("metadata", "name").StringOr("")
	if number, err := strconv.ParseInt(port, 10, 64); err == nil && !hasPort(service, number) {
		return unavailable(fmt.Sprintf("no service port %d found for service %q", number, name))
	}
	endpoints, err := s.lookUp(ctx, &cluster.Request{Version: p.version, Resource: "endpoints", Namespace: p.namespace, Name: name})
	if err != nil {
		return &cluster.Status{
			Code: http.StatusNotFound, Reason: cluster.ReasonNotFound, Message: fmt.Sprintf("services %q not found", name),
			Details: &cluster.StatusDetails{Kind: p.resource, Name: name},
		}
	}
	subsets := endpoints.Get("subsets")
	for _, subset := range subsets.Items() {
		if subset.Get("addresses").Len() > 0 {
			return nil
		}
	}
	if subsets.Len() > 0 {
		name = p.name
	}
	return unavailable(fmt.Sprintf("no endpoints available for service %q", name))
}

func hasPort(service document.Value, number int64) bool {
	for _, port := range service.Lookup("spec", "ports").Items() {
		if n, ok := port.Get("port").Int(); ok && n == number {
			return true
		}
	}
	return false
}

func unavailable(message string) *cluster.Status {
	return &cluster.Status{Code: http.StatusServiceUnavailable, Reason: "ServiceUnavailable", Message: message}
}

// lookUp returns an object that the server itself reads.
func (s *Server) lookUp(ctx context.Context, request *cluster.Request) (document.Value, error) {
	response, err := s.cluster.Do(ctx, request.AsServer())
	if err != nil {
		return document.Value{}, err
	}
	return response.Object, nil
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
