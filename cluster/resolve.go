package cluster

import (
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
)

// The subresources that are more than a part of their object's kind.
const (
	subStatus = "status"
	subScale  = "scale"
)

// endpoint is what a request is about: a resource in one version, and a
// subresource of it.
type endpoint struct {
	kind     *schema.Kind
	strategy *kinds.Strategy
	// sub is the subresource, "" for the resource itself.
	sub string
	// body is the kind of what is sent and answered: kind, or Scale.
	body *schema.Kind
}

// what names the resource in messages.
func (e *endpoint) what() groupResource { return groupResource{e.kind.Group, e.kind.Resource} }

// whatKind names the kind in messages about invalid objects.
func (e *endpoint) whatKind() groupResource { return groupResource{e.kind.Group, e.kind.Kind} }

// key returns where an object is stored; name "" gives the scope of all of the
// namespace, or of all namespaces where that is empty too.
func (e *endpoint) key(namespace, name string) string {
	var b strings.Builder
	b.WriteString("/registry/" + e.strategy.StorageName() + "/")
	if e.kind.Namespaced && namespace != "" {
		b.WriteString(namespace + "/")
	}
	b.WriteString(name)
	return b.String()
}

// resolve finds what a request is about, and refuses what is not served.
func (p *pipeline) resolve(r *Request) (*endpoint, *Status) {
	kind, ok := p.kinds.Resource(r.Group, r.Version, r.Resource)
	if !ok || kind.Resource == "" {
		return nil, noResource()
	}
	return p.endpoint(kind, r)
}

// endpoint returns what a request to an object of a kind is about, and refuses
// what is not served.
func (p *pipeline) endpoint(kind *schema.Kind, r *Request) (*endpoint, *Status) {
	if !kind.Namespaced && r.Namespace != "" {
		return nil, noResource()
	}
	ep := &endpoint{kind: kind, strategy: p.strategy(kind), sub: r.Subresource, body: kind}
	verbs := kind.Verbs
	if r.Subresource != "" {
		var st *Status
		if verbs, st = p.resolveSub(ep, r); st != nil {
			return nil, st
		}
	}
	if !slices.Contains(verbs, r.Verb.String()) || kind.Builtin && needsName(r) != (r.Name != "") {
		return nil, wrongMethod(ep, r)
	}
	if needsName(r) && r.Name == "" {
		return nil, badRequest("the request names no object of " + ep.what().String())
	}
	if kind.Namespaced && r.Namespace == "" && (r.Verb != List && r.Verb != Watch || r.Name != "") {
		return nil, p.noNamespace(kind, r)
	}
	return ep, nil
}

// needsName reports whether a request is about one object that it names. (A
// watch may be either.)
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

// resolveSub finds a subresource and returns its verbs.
func (p *pipeline) resolveSub(ep *endpoint, r *Request) ([]string, *Status) {
	kind := ep.kind
	if !kind.Builtin {
		switch {
		case r.Subresource == subStatus && kind.Status, r.Subresource == subScale && kind.Scale != nil:
		default:
			return nil, notFound(ep.what(), r.Name)
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
	return nil, notServed(ep, r.Subresource)
}

// wrongMethod answers a verb that is not served: custom resources have other
// words for it than built-in ones.
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

// noNamespace answers a request without a namespace for a resource that needs
// one: the path of built-in ones exists for lists.
func (p *pipeline) noNamespace(kind *schema.Kind, r *Request) *Status {
	if kind.Builtin && r.Name == "" {
		return notAllowedHere()
	}
	return noResource()
}
