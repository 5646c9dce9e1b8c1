package server

import (
	"net/http"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
)

// authorizePath returns the refusal of a request for a path that is not that of objects.
func (s *Server) authorizePath(r *http.Request) error {
	if _, _, rest := ofObjects(split(r.URL.Path)); len(rest) > 0 {
		return nil
	}
	who := s.identity(r)
	return s.options.Authorizer.AuthorizePath(r.Context(), who.user, who.impersonator, strings.ToLower(r.Method), r.URL.Path)
}

// unauthorized reports whether the authorizer refuses a request for objects. Others are forbidden by admission, for
// example.
func (s *Server) unauthorized(r *http.Request) bool {
	group, version, rest := ofObjects(split(r.URL.Path))
	return len(rest) > 0 && s.refusal(r, placeOf(group, version, rest), nil) != nil
}

// refusal returns the error for a request that is not passed to the cluster: the authorizer's refusal if the
// user may not send it, otherwise err.
func (s *Server) refusal(r *http.Request, p place, err error) error {
	verb, ok := p.authorizedVerb(r)
	if s.options.Authorizer == nil || !ok {
		return err
	}
	who := s.identity(r)
	request := &cluster.Request{
		Verb: verb, Group: p.group, Version: p.version, Resource: p.resource, Subresource: p.subresource,
		Namespace: p.namespace, Name: p.name, User: who.user, Impersonator: who.impersonator,
	}
	request.WatchByPath = p.watch
	if options, err := optionsOf(verb, queryOf(r), false); err == nil {
		request.FieldSelector = options.FieldSelector
	}
	if refused := s.options.Authorizer.Authorize(r.Context(), request); refused != nil {
		return refused
	}
	return err
}

// authorizedVerb returns the verb that the user of a request needs, whether or not the path supports
// it (apiserver/pkg/endpoints/request). It is false for methods that no path supports.
func (p place) authorizedVerb(r *http.Request) (cluster.Verb, bool) {
	if p.watch {
		return cluster.Watch, true
	}
	return p.methodVerb(r, p.name != "")
}
