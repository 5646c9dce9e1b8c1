package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/kinds"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server/internal/table"
)

// target is a resolved request path: the kind, the name of the object and the verb.
type target struct {
	place
	kind *schema.Kind
	verb cluster.Verb
}

// bodyKind returns the kind of a request's body.
func (t *target) bodyKind() schema.GroupVersionKind {
	switch t.verb {
	case cluster.Delete, cluster.DeleteCollection:
		return schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "DeleteOptions"}
	}
	if sub, ok := t.kind.Subresource(t.subresource); ok {
		return sub.Kind
	}
	return t.kind.GroupVersionKind
}

// refusedFirst reports whether the cluster refuses a request for its content type, or because
// its path has no name, which kube-apiserver checks before it negotiates the response.
func (t *target) refusedFirst(r *http.Request) bool {
	switch {
	case t.verb == cluster.Update:
		return t.name == ""
	case t.verb != cluster.Patch:
		return false
	case t.name == "":
		return true
	}
	format := bodyFormat(r)
	return format == cluster.UnknownFormat || format == cluster.StrategicPatch && !t.kind.Builtin
}

// deprecation returns the warning in every response to a request for a deprecated version, none if
// the version is not deprecated.
func (t *target) deprecation() []string {
	warning := ""
	if t.kind.Builtin {
		warning = kinds.For(t.kind).Deprecated
	} else if t.kind.Deprecated {
		warning = t.kind.Warning
	}
	if warning == "" {
		return nil
	}
	return []string{warning}
}

// route dispatches a request by its path.
func (s *Server) route(w *writer, r *http.Request) {
	parts := split(r.URL.Path)
	group, version, rest := ofObjects(parts)
	switch {
	case r.URL.Path == "", strings.HasPrefix(r.URL.Path, "//"), strings.HasPrefix(r.URL.Path, "/apis//"):
		s.fail(w, r, errNoPage)
	case len(parts) == 0, r.URL.Path == "/index.html":
		s.paths(w, r)
	case len(rest) > 0:
		s.serveAPI(w, r, group, version, rest)
	case parts[0] == "api" || parts[0] == "apis":
		s.discovery(w, r, parts)
	case parts[0] == "openapi":
		s.openAPI(w, r, parts[1:])
	case parts[0] == "version" && len(parts) == 1:
		s.version(w, r)
	case parts[0] == "version":
		s.fail(w, r, errNoResource)
	case strings.TrimSuffix(r.URL.Path, "/") == issuerPath:
		s.issuer(w, r)
	case strings.TrimSuffix(r.URL.Path, "/") == keysPath:
		s.keys(w, r)
	case r.URL.Path == "/metrics":
		s.metricsPage(w, r)
	default:
		s.fail(w, r, errNoPage)
	}
}

// serveAPI serves a request for objects.
func (s *Server) serveAPI(w *writer, r *http.Request, group, version string, parts []string) {
	if len(parts) == 1 && (parts[0] == "watch" || parts[0] == "proxy") {
		// kube-apiserver cannot read this path, whatever the group is, and refuses it before it
		// sets the header.
		w.Header().Del("Cache-Control")
		http.Error(w, fmt.Sprintf("Internal Server Error: %q: failed to create RequestInfo: unable to determine kind and namespace from url, %s", r.URL.RequestURI(), r.URL.RequestURI()), http.StatusInternalServerError)
		return
	}
	p := placeOf(group, version, parts)
	if b := s.backend(group, version); b != nil {
		s.delegate(w, r, p, b)
		return
	}
	if p.isProxy() {
		err := s.refusal(r, p, nil)
		if err == nil {
			err = s.proxyRefusal(r, p)
		}
		s.fail(w, r, err)
		return
	}
	t, err := s.target(r, p)
	if err != nil {
		s.fail(w, r, s.refusal(r, p, err))
		return
	}
	w.kind = requestKind{verb: t.verb.String(), group: t.group, resource: t.resource}
	if t.subresource != "" {
		w.kind.resource += "/" + t.subresource
	}
	if t.isStream() {
		s.stream(w, r, t)
		return
	}
	s.serveTarget(w, r, t)
}

// serveTarget negotiates the form of the response, reads the request and has the cluster answer it.
func (s *Server) serveTarget(w *writer, r *http.Request, t target) {
	form, err := negotiate(r, offer{
		protobuf: encodable(t.kind), tables: table.Has(t.kind, t.subresource), routed: t.kind.Builtin,
		streams: t.verb == cluster.Watch || t.verb == cluster.List,
	})
	if err != nil && !t.refusedFirst(r) {
		if !errors.Is(err, errNoRoute) {
			warn(w.Header(), t.deprecation())
		}
		s.fail(w, r, s.refusal(r, t.place, err))
		return
	}
	query := queryOf(r)
	request, err := s.request(w, r, t, query)
	if err != nil {
		warn(w.Header(), t.deprecation())
		s.fail(w, r, s.refusal(r, t.place, err))
		return
	}
	if form.as == formTable && query.Get("includeObject") != "Object" && t.subresource == "" && !writes(r) {
		s.readStoredVersion(&t, request)
	}
	if t.verb == cluster.Watch {
		s.watch(w, r, form, t, request)
		return
	}
	if writes(r) && !s.admit(w, r, s.writes) {
		return
	}
	ctx := withDeadline(r.Context(), time.Now().Add(w.limit))
	defer ctx.end()
	if t.verb == cluster.Get || t.verb == cluster.List {
		s.read(ctx, w, r, form, t, request)
		return
	}
	response, err := s.cluster.Do(ctx, request)
	if err != nil && t.kind.Builtin && t.verb == cluster.Patch && request.Format == cluster.UnknownFormat {
		refused := *asStatus(err)
		refused.Warnings = nil // of a handler, which kube-apiserver's router does not reach
		err = &refused
	}
	if err != nil {
		s.fail(w, r, withinTime(ctx, err))
		return
	}
	s.answer(w, r, form, t, response)
}

// readStoredVersion changes a read of a table without whole objects, whose rows kube-apiserver
// makes of its internal version, into a read of the version in which objects are stored. Of the
// kinds with such a version, others may order a list differently.
func (s *Server) readStoredVersion(t *target, request *cluster.Request) {
	if !t.kind.Builtin {
		return
	}
	group, version, _ := schema.SplitAPIVersion(kinds.For(t.kind).StorageVersion)
	if stored, ok := s.cluster.Kinds().Resource(group, version, t.resource); ok && group == t.group {
		t.kind, request.Version = stored, version
	}
}

// target resolves the kind and the verb of a request.
func (s *Server) target(r *http.Request, p place) (target, error) {
	registry := s.cluster.Kinds()
	k, ok := registry.Resource(p.group, p.version, p.resource)
	if !ok && s.cluster.CatchUp(r.Context()) == nil {
		k, ok = registry.Resource(p.group, p.version, p.resource)
	}
	if !ok {
		if s.builtinGroup(p.group) {
			return target{}, errNoResource
		}
		return target{}, errNoPage
	}
	verb, err := p.verb(k, r)
	return target{place: p, kind: k, verb: verb}, err
}

// builtinGroup reports whether a group is one of Kubernetes' own. An unknown path in such a
// group is answered with a Status, any other with plain text.
func (s *Server) builtinGroup(group string) bool {
	for k := range s.cluster.Kinds().Kinds() {
		if k.Builtin && k.Group == group && k.Resource != "" {
			return true
		}
	}
	return false
}

// request converts an HTTP request into a request to the cluster.
func (s *Server) request(w *writer, r *http.Request, t target, query url.Values) (*cluster.Request, error) {
	name := t.name
	if t.verb == cluster.Create && t.subresource == "" {
		name = ""
	}
	who := s.identity(r)
	request := &cluster.Request{
		Verb: t.verb, Group: t.group, Version: t.version, Resource: t.resource,
		Namespace: t.namespace, Name: name, Subresource: t.subresource,
		UserAgent: r.UserAgent(), User: who.user, Impersonator: who.impersonator,
	}
	if writes(r) && t.verb != cluster.Watch {
		if err := s.readBody(w, r, t, request); err != nil {
			return nil, err
		}
	}
	var err error
	request.Options, err = optionsOf(t.verb, query, len(request.Body) > 0)
	request.WatchByPath = t.watch && !asksToWatch(r)
	return request, err
}

// readBody reads the body of a request and determines its format.
func (s *Server) readBody(w *writer, r *http.Request, t target, request *cluster.Request) error {
	var err error
	request.Format = bodyFormat(r)
	if request.Body, err = s.readAll(w, r); err != nil {
		return err
	}
	return readProtobuf(r, request, t.bodyKind())
}
