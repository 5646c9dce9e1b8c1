package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema"
)

// place holds the parts of a path below a group and version. Whether the resource exists
// has not been checked.
type place struct {
	group, version                         string
	namespace, resource, name, subresource string
	// watch is set for a path of the deprecated form for watches, /watch/...
	watch bool
	// deeper is set if the path has more segments after the subresource.
	deeper bool
}

// placeOf reads the segments of a path behind the group version, as
// kube-apiserver's RequestInfo does (apiserver/pkg/endpoints/request).
func placeOf(group, version string, parts []string) place {
	p := place{group: group, version: version}
	if len(parts) > 1 && parts[0] == "watch" {
		p.watch, parts = true, parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		p.namespace, parts = parts[1], parts[2:]
	}
	p.resource = parts[0]
	if len(parts) > 1 {
		p.name = parts[1]
	}
	if len(parts) > 2 {
		p.subresource = parts[2]
	}
	p.deeper = len(parts) > 3
	return p
}

// verb decides what a method does to a place of a kind that is served. The
// error is what kube-apiserver answers where it does nothing; for custom
// resources errNoPage represents its plain text 404.
func (p place) verb(k *schema.Kind, r *http.Request) (cluster.Verb, error) {
	if k.Builtin {
		return p.builtinVerb(k, r)
	}
	return p.customVerb(k, r)
}

func (p place) builtinVerb(k *schema.Kind, r *http.Request) (cluster.Verb, error) {
	if p.namespace != "" && !k.Namespaced || p.deeper || p.name != "" && k.Namespaced && p.namespace == "" {
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
	verb, ok := p.methodVerb(r)
	ok = ok && r.Method != http.MethodHead
	everywhere := p.name == "" && k.Namespaced && p.namespace == ""
	switch {
	case !ok, everywhere && verb != cluster.List && verb != cluster.Watch:
		return 0, errMethod
	case p.name == "" && (verb == cluster.Update || verb == cluster.Patch), p.name != "" && p.subresource == "" && verb == cluster.Create:
		return 0, errMethod
	case !slices.Contains(verbs, verb.String()):
		return 0, errMethod
	}
	return verb, checkName(p.name)
}

// checkName refuses what kube-apiserver does not take for a name in a path.
func checkName(name string) error {
	switch {
	case name == "." || name == "..":
		return badRequest("Name parameter invalid: \"" + name + "\": may not be '" + name + "'")
	case strings.Contains(name, "%"):
		return badRequest("Name parameter invalid: \"" + name + "\": may not contain '%'")
	}
	return nil
}

// customVerb follows apiextensions-apiserver's handler, which looks at scope
// and verb only, so that a name in the path of a create does not matter.
func (p place) customVerb(k *schema.Kind, r *http.Request) (cluster.Verb, error) {
	verb, ok := p.methodVerb(r)
	if p.namespace != "" && !k.Namespaced {
		return 0, errNoPage
	}
	if k.Namespaced && p.namespace == "" && !(ok && p.name == "" && (verb == cluster.List || verb == cluster.Watch)) {
		return 0, errNoPage
	}
	if p.name == "" && (verb == cluster.Update || verb == cluster.Patch) && ok {
		return verb, nil // refused by the cluster, after the content type
	}
	notHere := &cluster.Status{
		Code: http.StatusMethodNotAllowed, Reason: cluster.ReasonMethodNotAllowed,
		Details: &cluster.StatusDetails{Group: k.Group, Kind: k.Resource},
	}
	name := verb.String()
	if !ok {
		name = ""
	}
	notHere.Message = name + " is not supported on resources of kind \"" + k.Resource + "." + k.Group + "\""
	if sub, known := k.Subresource(p.subresource); p.subresource != "" && !known {
		return cluster.Get, nil // the cluster knows no such subresource
	} else if !ok || known && !slices.Contains(sub.Verbs, name) {
		return 0, notHere
	}
	return verb, nil
}

// methodVerb is the verb of a method, which for GET and DELETE depends on
// whether one object is named.
func (p place) methodVerb(r *http.Request) (cluster.Verb, bool) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		switch {
		case p.watch || p.name == "" && asksToWatch(r):
			return cluster.Watch, true
		case p.name == "":
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
		if p.name == "" {
			return cluster.DeleteCollection, true
		}
		return cluster.Delete, true
	}
	return 0, false
}

// isWatch reports whether a request is a watch: of a collection by its
// parameter, or of anything by the old form of the path. The parameter does
// nothing where one object is named.
func isWatch(r *http.Request) bool {
	if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/watch/") && !strings.Contains(r.URL.RawQuery, "watch") {
		return false
	}
	parts := split(r.URL.Path)
	behind := 2 // of /api/v1
	if len(parts) > 0 && parts[0] == "apis" {
		behind = 3 // of /apis/GROUP/VERSION
	}
	if len(parts) <= behind {
		return false
	}
	p := placeOf("", "", parts[behind:])
	return p.watch || p.name == "" && asksToWatch(r)
}

func asksToWatch(r *http.Request) bool {
	values := r.URL.Query()["watch"]
	return len(values) > 0 && boolean(values)
}

// split takes a path apart at its slashes; those at the ends do not count.
func split(path string) []string {
	if path = strings.Trim(path, "/"); path == "" {
		return nil
	}
	return strings.Split(path, "/")
}
