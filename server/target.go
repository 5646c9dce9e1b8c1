package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema"
)

// place is a parsed path below a group version. The resource need not exist.
type place struct {
	group, version                         string
	namespace, resource, name, subresource string
	// inNamespace is set if the path has a segment for the namespace, which may be empty, as in
	// namespaces//pods/web.
	inNamespace bool
	// watch and proxy are true for paths of the deprecated forms /watch/... and /proxy/....
	watch, proxy bool
	// deeper is set if the path has more segments after the subresource.
	deeper bool
}

// ofObjects splits the path of a request for objects into the group, the version and the remaining
// segments. For any other path these are empty.
func ofObjects(parts []string) (group, version string, rest []string) {
	switch {
	case len(parts) > 2 && parts[0] == "api":
		return "", parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		return parts[1], parts[2], parts[3:]
	}
	return "", "", nil
}

// placeOf parses the path segments after the group version, as kube-apiserver's RequestInfo
// does (apiserver/pkg/endpoints/request).
func placeOf(group, version string, parts []string) place {
	p := place{group: group, version: version}
	if len(parts) > 1 && (parts[0] == "watch" || parts[0] == "proxy") {
		p.watch, p.proxy = parts[0] == "watch", parts[0] == "proxy"
		parts = parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		p.namespace, p.inNamespace, parts = parts[1], true, parts[2:]
	}
	p.resource = parts[0]
	if len(parts) > 1 {
		p.name = parts[1]
	}
	if len(parts) > 2 && !p.proxy {
		p.subresource = parts[2]
	}
	p.deeper = len(parts) > 3
	return p
}

// verb returns the verb of a method for a path of a served kind. If there is none, the error
// is kube-apiserver's; for custom resources it is errNoPage, a plain text 404.
func (p place) verb(k *schema.Kind, r *http.Request) (cluster.Verb, error) {
	if k.Builtin {
		return p.builtinVerb(k, r)
	}
	return p.customVerb(k, r)
}

// builtinVerb is verb for built-in kinds. The router of kube-apiserver takes an empty segment
// before a subresource for a name, and one for the namespace likewise; the handler refuses it, but
// lists and watches all namespaces.
func (p place) builtinVerb(k *schema.Kind, r *http.Request) (cluster.Verb, error) {
	named := p.name != "" || p.subresource != ""
	if p.proxy || p.inNamespace && !k.Namespaced || p.deeper || named && k.Namespaced && !p.inNamespace || p.watch && p.subresource != "" {
		return 0, errNoResource
	}
	verbs := k.Verbs
	if p.subresource != "" {
		sub, ok := k.Subresource(p.subresource)
		if !ok {
			return 0, errNoResource
		}
		verbs = sub.Verbs
	}
	verb, ok := p.methodVerb(r, named)
	routes, routed := p.routes(k), verb.String()
	if verb == cluster.Watch && !p.watch {
		routed = "list" // the parameter watch does not change the route
	}
	if !ok || r.Method == http.MethodHead || !slices.Contains(routes, routed) || !slices.Contains(verbs, verb.String()) {
		if len(among(verbs, routes...)) == 0 {
			return 0, errNoResource
		}
		if verb == cluster.Watch && routed == "list" && r.Method == http.MethodGet && slices.Contains(verbs, routed) {
			return 0, errNoWatch(k)
		}
		return 0, errMethod
	}
	if p.subresource != "" && p.name == "" {
		return 0, badRequest("name must be provided")
	}
	if p.inNamespace && p.namespace == "" && verb != cluster.List && verb != cluster.Watch {
		return 0, badRequest("Namespace parameter required.")
	}
	return verb, nil
}

// The verbs that kube-apiserver serves at the paths of a resource that has them
// (apiserver/pkg/endpoints, installer.go).
var (
	watchRoutes       = []string{"watch"}
	subresourceRoutes = []string{"get", "create", "update", "patch", "delete"}
	objectRoutes      = []string{"get", "update", "patch", "delete"}
	everywhereRoutes  = []string{"list"}
	collectionRoutes  = []string{"list", "create", "deletecollection"}
)

// routes returns the verbs of paths like this one.
func (p place) routes(k *schema.Kind) []string {
	switch {
	case p.watch:
		return watchRoutes
	case p.subresource != "":
		return subresourceRoutes
	case p.name != "":
		return objectRoutes
	case k.Namespaced && !p.inNamespace:
		return everywhereRoutes
	}
	return collectionRoutes
}

// customVerb is verb for custom resources. Like apiextensions-apiserver's handler it checks
// only scope and verb, so that a name in the path of a create is ignored. A path of the form
// /watch/... is a watch with every method, and needs no namespace.
func (p place) customVerb(k *schema.Kind, r *http.Request) (cluster.Verb, error) {
	verb, ok := p.methodVerb(r, p.name != "")
	name := verb.String()
	switch {
	case p.watch:
		verb, name, ok = cluster.Watch, "watch", true
	case p.proxy:
		name, ok = "proxy", false
	case !ok:
		name = ""
	}
	if p.namespace != "" && !k.Namespaced {
		return 0, errNoPage
	}
	if k.Namespaced && p.namespace == "" && name != "list" && name != "watch" {
		return 0, errNoPage
	}
	if p.name == "" && (verb == cluster.Update || verb == cluster.Patch) && ok {
		return verb, nil // the cluster refuses it after checking the content type
	}
	notHere := &cluster.Status{
		Code: http.StatusMethodNotAllowed, Reason: cluster.ReasonMethodNotAllowed,
		Details: &cluster.StatusDetails{Group: k.Group, Kind: k.Resource},
	}
	notHere.Message = name + " is not supported on resources of kind \"" + k.Resource + "." + k.Group + "\""
	if k.Deprecated {
		notHere.Warnings = []string{k.Warning}
	}
	if sub, known := k.Subresource(p.subresource); p.subresource != "" && !known {
		return 0, noSubresource(k, p.name)
	} else if !ok || known && !slices.Contains(sub.Verbs, name) {
		return 0, notHere
	}
	return verb, nil
}

// noSubresource returns the error for a subresource that a custom resource does not have: the same
// as for an object that does not exist.
func noSubresource(k *schema.Kind, name string) error {
	st := &cluster.Status{
		Code: http.StatusNotFound, Reason: cluster.ReasonNotFound,
		Message: k.Resource + "." + k.Group + " " + strconv.Quote(name) + " not found",
		Details: &cluster.StatusDetails{Name: name, Group: k.Group, Kind: k.Resource},
	}
	if k.Deprecated {
		st.Warnings = []string{k.Warning}
	}
	return st
}

// methodVerb returns the verb of a method. For GET and DELETE it depends on whether the path
// names an object.
func (p place) methodVerb(r *http.Request, named bool) (cluster.Verb, bool) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		switch {
		case p.watch || !named && asksToWatch(r):
			return cluster.Watch, true
		case !named:
			return cluster.List, true
		}
		return cluster.Get, true
	case http.MethodPost:
		return cluster.Create, true
	case http.MethodPut:
		return cluster.Update, true
	case http.MethodPatch:
		return cluster.Patch, true
	case http.MethodDelete:
		if !named {
			return cluster.DeleteCollection, true
		}
		return cluster.Delete, true
	}
	return 0, false
}

// hasLongSubresource reports whether requests to the subresource may take as long as their clients want.
func (p place) hasLongSubresource() bool {
	switch p.subresource {
	case "attach", "exec", "proxy", "log", "portforward":
		return true
	}
	return false
}

// isWatch reports whether a request is a watch: of a collection with the parameter watch, or
// of anything with the deprecated form of the path, whatever the method is. With a name in the
// path the parameter is ignored.
func isWatch(r *http.Request) bool {
	if !strings.Contains(r.URL.Path, "/watch/") && (writes(r) || !strings.Contains(r.URL.RawQuery, "watch")) {
		return false
	}
	_, _, rest := ofObjects(split(r.URL.Path))
	if len(rest) == 0 {
		return false
	}
	p := placeOf("", "", rest)
	return p.watch || p.name == "" && !p.proxy && !writes(r) && asksToWatch(r)
}

func asksToWatch(r *http.Request) bool {
	values := queryOf(r)["watch"]
	return len(values) > 0 && boolean(values)
}

// split splits a path at its slashes, ignoring those at the ends.
func split(path string) []string {
	if path = strings.Trim(path, "/"); path == "" {
		return nil
	}
	return strings.Split(path, "/")
}
