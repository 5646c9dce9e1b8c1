package cluster

import (
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// Subresources with a kind or rules of their own.
const (
	subStatus = "status"
	subScale  = "scale"
)

// Subresources that are actions: a create changes or deletes the parent object, or returns an
// object that is not stored.
const (
	subBinding  = "binding"
	subEviction = "eviction"
	subToken    = "token"
)

// subLog is the subresource with what a container has written. The others that open a stream connect to
// a container.
const subLog = "log"

// subProxy is the subresource with which a client reaches a pod, a Service or a node.
const subProxy = "proxy"

// endpoint is the target of a request: a resource in one version, or a subresource.
type endpoint struct {
	kind     *schema.Kind
	strategy *kinds.Strategy
	// sub is the name of the subresource, "" for the resource itself.
	sub string
	// body is the kind of request and response bodies: kind, or Scale.
	body *schema.Kind
	// streams is true for the log of a container, and for connections to one, or to a Service or a
	// node; body is then the kind of the options.
	streams bool
}

// endpointOf returns the endpoint of the objects of a kind, for what the API server itself reads and
// writes.
func (p *pipeline) endpointOf(kind *schema.Kind) *endpoint {
	return &endpoint{kind: kind, strategy: p.strategy(kind), body: kind}
}

// what returns the qualified resource name for messages.
func (e *endpoint) what() groupResource { return groupResource{e.kind.Group, e.kind.Resource} }

// whatKind returns the qualified kind for messages about invalid objects.
func (e *endpoint) whatKind() groupResource { return groupResource{e.kind.Group, e.kind.Kind} }

// key returns the key of an object in the store. With name "" it is the prefix of all objects
// in the namespace, or in all namespaces if namespace is "", too.
func (e *endpoint) key(namespace, name string) string {
	if e.kind.Namespaced && namespace != "" {
		return "/registry/" + e.strategy.StorageName() + "/" + namespace + "/" + name
	}
	return "/registry/" + e.strategy.StorageName() + "/" + name
}

// scopeOf returns the prefix of the keys of all objects of a resource in the store.
func scopeOf(s *kinds.Strategy) string { return "/registry/" + s.StorageName() + "/" }

// resolve returns the endpoint of a request, or an error if it is not served.
func (p *pipeline) resolve(r *Request) (*endpoint, *Status) {
	kind, ok := p.kinds.Resource(r.Group, r.Version, r.Resource)
	if !ok || kind.Resource == "" {
		return nil, noResource()
	}
	return p.endpoint(kind, r)
}

// endpoint returns the endpoint of a request to an object of the kind, or an error if it is
// not served.
func (p *pipeline) endpoint(kind *schema.Kind, r *Request) (*endpoint, *Status) {
	if !kind.Namespaced && r.Namespace != "" {
		return nil, noResource()
	}
	ep := p.endpointOf(kind)
	ep.sub = r.Subresource
	verbs := kind.Verbs
	if r.Subresource != "" {
		var st *Status
		if verbs, st = p.resolveSub(ep, r); st != nil {
			return nil, st
		}
	}
	if r.Name != "" && isReview(kind) { // has no paths of single objects
		return nil, noResource()
	}
	if !slices.Contains(verbs, r.Verb.String()) || kind.Builtin && needsName(r) != (r.Name != "") {
		return nil, wrongMethod(ep, r)
	}
	if needsName(r) && r.Name == "" {
		if st := checkPatchFormat(r, ep); r.Verb == Patch && st != nil {
			return nil, ep.deprecated(st)
		}
		return nil, ep.deprecated(badRequest("name must be provided"))
	}
	if kind.Namespaced && r.Namespace == "" && r.Verb != List && r.Verb != Watch {
		return nil, noNamespace(kind, r)
	}
	return ep, nil
}

// needsName reports whether the verb requires a name. (For a watch it is optional.)
func needsName(r *Request) bool {
	switch r.Verb {
	case Create:
		return r.Subresource != ""
	case List, DeleteCollection:
		return false
	case Watch:
		return r.Name != ""
	}
	return true
}

// resolveSub resolves the subresource and returns its verbs.
func (p *pipeline) resolveSub(ep *endpoint, r *Request) ([]string, *Status) {
	kind := ep.kind
	if !kind.Builtin {
		switch {
		case r.Subresource == subStatus && kind.Status, r.Subresource == subScale && kind.Scale != nil:
		default:
			return nil, ep.deprecated(notFound(ep.what(), r.Name))
		}
	}
	sub, ok := kind.Subresource(r.Subresource)
	if !ok {
		return nil, noResource()
	}
	if !slices.Contains(sub.Verbs, r.Verb.String()) {
		return nil, wrongMethod(ep, r)
	}
	switch r.Subresource {
	case subStatus, "finalize", "approval", "ephemeralcontainers", "resize":
		return sub.Verbs, nil
	case subBinding, subEviction, subToken:
		body, ok := p.kinds.Kind(sub.Kind)
		if !ok {
			return nil, noResource()
		}
		ep.body = body
		return sub.Verbs, nil
	case subScale:
		scale, ok := p.kinds.Kind(schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"})
		if kind.Scale == nil || !ok {
			return nil, noResource()
		}
		ep.body = scale
		return sub.Verbs, nil
	}
	body := kinds.StreamOptions(r.Subresource)
	if r.Subresource == subProxy {
		body = kinds.ProxyOptions(kind)
	}
	if body != nil {
		ep.body, ep.streams = body, true
		return sub.Verbs, nil
	}
	return nil, notServed(ep)
}

// wrongMethod returns the error for a verb that is not supported. Custom resources have
// another message than built-in kinds.
func wrongMethod(ep *endpoint, r *Request) *Status {
	if !ep.kind.Builtin && ep.sub != "" {
		return methodNotAllowed(ep.what(), r.Verb.String())
	}
	return notAllowedHere()
}

func notAllowedHere() *Status {
	return &Status{Code: 405, Reason: ReasonMethodNotAllowed, Details: &StatusDetails{},
		Message: "the server does not allow this method on the requested resource"}
}

// noNamespace returns the error for a request to a namespaced resource that lacks the
// namespace. For built-in kinds the path without a namespace exists, for lists.
func noNamespace(kind *schema.Kind, r *Request) *Status {
	if kind.Builtin && r.Name == "" {
		return notAllowedHere()
	}
	return noResource()
}

// isAction reports whether a create at the endpoint is an action.
func (e *endpoint) isAction() bool {
	switch e.sub {
	case subBinding, subEviction, subToken:
		return true
	}
	return e.sub == "" && e.kind.Builtin && e.kind.Group == "" && e.kind.Resource == "bindings"
}

// ErrNotServed is the cause of a refusal that kube-apiserver does not have: of a subresource that this package does not
// serve, after all that it checks itself.
var ErrNotServed = errors.New("the subresource is not served")

// notServed returns the error for an endpoint whose subresource patchlab does not serve, such as log
// or exec.
func notServed(ep *endpoint) *Status {
	what := ep.what().String() + "/" + ep.sub
	why := what + " is not served by patchlab"
	switch ep.sub {
	case "attach", "exec", subLog, "portforward", subProxy:
		why = "patchlab runs no containers and no nodes, so " + what + " is not served"
	}
	return &Status{Code: 404, Reason: ReasonNotFound, Details: &StatusDetails{}, Message: why, Err: ErrNotServed}
}

// isReview reports whether a built-in kind is a review or a request rather than a stored object,
// such as SubjectAccessReview: it can only be created, and is not stored.
func isReview(k *schema.Kind) bool {
	return k.Builtin && slices.Contains(k.Verbs, "create") && !slices.Contains(k.Verbs, "get")
}
