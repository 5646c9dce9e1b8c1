package schema

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// ErrInvalidOpenAPI is the cause of all errors of FromOpenAPI.
var ErrInvalidOpenAPI = errors.New("invalid OpenAPI v3 document")

// FromOpenAPI returns the kinds in OpenAPI v3 documents, as printed by 'kubectl get --raw
// /openapi/v3/apis/apps/v1', sorted by group, version and kind. If several documents define
// a type with the same name, the first is used. Resources, scopes, verbs and subresources
// come from the paths: a request with a verb that they lack is refused with 405. Such
// documents lack short names and categories.
//
// Kinds of the API server's own groups become Builtin; how their Go types declare fields
// comes from the newest catalog if it has the type. Zero-value defaults of built-in kinds
// are omitted (see Field.Default). An error wraps ErrInvalidOpenAPI.
func FromOpenAPI(docs ...document.Value) ([]*Kind, error) {
	kinds, err := readOpenAPI(docs...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidOpenAPI, err)
	}
	if catalog, err := newest(); err == nil {
		adoptGoFields(kinds, catalog)
	}
	return kinds, nil
}

func readOpenAPI(docs ...document.Value) ([]*Kind, error) {
	var all document.ObjectBuilder
	seen := map[string]bool{}
	paths := pathReader{kinds: map[GroupVersionKind]*resourcePaths{}}
	for _, doc := range docs {
		if doc.Kind() != document.Object || !doc.Get("openapi").Exists() {
			return nil, errors.New(`there is no "openapi" member with the version; is it the document itself, not the index at /openapi/v3?`)
		}
		for name, s := range doc.Lookup("components", "schemas").Members() {
			if !seen[name] {
				seen[name] = true
				all.Set(name, s)
			}
		}
		paths.read(doc.Get("paths"))
	}
	schemas := all.Object()
	c := newConverter(schemas)
	var kinds []*Kind
	for name, s := range schemas.Members() {
		gvks := s.Get("x-kubernetes-group-version-kind")
		if gvks.Len() != 1 && paths.kinds[gvkOf(gvks)] == nil {
			continue // kinds that belong to every group, such as DeleteOptions and WatchEvent
		}
		gvk := gvkOf(gvks)
		if gvk.Kind == "" || strings.HasSuffix(gvk.Kind, "List") && s.Lookup("properties", "items").Exists() {
			continue
		}
		k := NewKind(gvk, c.reference(name))
		k.Builtin = builtinName(name)
		paths.describe(k)
		kinds = append(kinds, k)
	}
	sortKinds(kinds)
	return kinds, c.finish()
}

// gvkOf reads x-kubernetes-group-version-kind: an object in an operation; a list in a
// schema, of which the first item is used.
func gvkOf(v document.Value) GroupVersionKind {
	if v.Kind() == document.List {
		if v.Len() == 0 {
			return GroupVersionKind{}
		}
		v = v.At(0)
	}
	return GroupVersionKind{v.Get("group").StringOr(""), v.Get("version").StringOr(""), v.Get("kind").StringOr("")}
}

// less orders by group, version and kind.
func (g GroupVersionKind) less(h GroupVersionKind) bool {
	if g.Group != h.Group {
		return g.Group < h.Group
	}
	if g.Version != h.Version {
		return g.Version < h.Version
	}
	return g.Kind < h.Kind
}

// resourcePaths is the information about one kind from the document's paths.
type resourcePaths struct {
	resource     string
	namespaced   bool
	verbs        map[string]bool
	subresources map[string]*Subresource
}

type pathReader struct {
	kinds     map[GroupVersionKind]*resourcePaths
	resources map[string]*resourcePaths // by "group/version/plural"
}

// actionVerbs maps values of x-kubernetes-action to verbs.
var actionVerbs = [...][2]string{
	{"list", "list"}, {"get", "get"}, {"post", "create"}, {"put", "update"}, {"patch", "patch"},
	{"delete", "delete"}, {"deletecollection", "deletecollection"}, {"watch", "watch"},
	{"watchlist", "watch"}, {"connect", "connect"},
}

// splitPath splits a path such as
// /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale.
func splitPath(path string) (group, version string, rest []string, namespaced bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		version, rest = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		group, version, rest = parts[1], parts[2], parts[3:]
	}
	if len(rest) > 1 && rest[0] == "watch" {
		rest = rest[1:]
	}
	if len(rest) > 2 && rest[0] == "namespaces" && rest[1] == "{namespace}" {
		rest, namespaced = rest[2:], true
	}
	return group, version, rest, namespaced
}

func (r *pathReader) read(paths document.Value) {
	if r.resources == nil {
		r.resources = map[string]*resourcePaths{}
	}
	for path, item := range paths.Members() {
		group, version, rest, namespaced := splitPath(path)
		if len(rest) == 0 {
			continue
		}
		key := group + "/" + version + "/" + rest[0]
		res := r.resources[key]
		if res == nil {
			res = &resourcePaths{resource: rest[0], verbs: map[string]bool{}, subresources: map[string]*Subresource{}}
			r.resources[key] = res
		}
		res.namespaced = res.namespaced || namespaced
		for _, op := range item.Members() {
			r.operation(res, rest, op)
		}
	}
}

func (r *pathReader) operation(res *resourcePaths, rest []string, op document.Value) {
	gvk := gvkOf(op.Get("x-kubernetes-group-version-kind"))
	verb := ""
	for _, a := range actionVerbs {
		if a[0] == op.Get("x-kubernetes-action").StringOr("") {
			verb = a[1]
		}
	}
	if gvk.Kind == "" || verb == "" {
		return
	}
	if len(rest) <= 2 {
		r.kinds[gvk] = res
		res.verbs[verb] = true
		return
	}
	name := strings.Join(rest[2:], "/")
	sub := res.subresources[name]
	if sub == nil {
		sub = &Subresource{Name: name, Kind: gvk}
		res.subresources[name] = sub
	}
	if !slices.Contains(sub.Verbs, verb) {
		sub.Verbs = append(sub.Verbs, verb)
		sort.Strings(sub.Verbs)
	}
}

// describe sets the fields of a kind that come from the paths.
func (r *pathReader) describe(k *Kind) {
	res := r.kinds[k.GroupVersionKind]
	if res == nil {
		return
	}
	k.Resource, k.Namespaced = res.resource, res.namespaced
	k.Singular, k.ListKind = strings.ToLower(k.Kind), k.Kind+"List"
	if res.verbs["list"] && !k.Builtin {
		res.verbs["watch"] = true // the documents lack watch paths of custom resources
	}
	for v := range res.verbs {
		k.Verbs = append(k.Verbs, v)
	}
	sort.Strings(k.Verbs)
	for _, s := range res.subresources {
		k.Subresources = append(k.Subresources, *s)
	}
	sort.SliceStable(k.Subresources, func(i, j int) bool { return k.Subresources[i].Name < k.Subresources[j].Name })
	k.noteSubresources()
}

// noteSubresources sets Status and Scale from the list of subresources. All built-in kinds
// have the same scale paths; those of a custom resource are only in its CRD, so the usual
// ones are assumed.
func (k *Kind) noteSubresources() {
	_, k.Status = k.Subresource("status")
	if _, ok := k.Subresource("scale"); ok && k.Scale == nil {
		k.Scale = &Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}
		if k.Builtin {
			k.Scale.LabelSelectorPath = ".spec.selector"
		}
	}
}

// adoptGoFields copies the Go declarations of fields from the catalog.
func adoptGoFields(kinds []*Kind, from *Catalog) {
	seen := map[*Type]bool{}
	var walk func(t *Type)
	walk = func(t *Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		if t.List != nil {
			walk(t.List.Elem)
		}
		if t.Map == nil {
			return
		}
		walk(t.Map.Elem)
		known, ok := from.Named(t.Name)
		for i := range t.Map.Fields {
			f := &t.Map.Fields[i]
			if ok && t.Name != "" {
				if g := known.Map.Field(f.Name); g != nil {
					f.Go = g.Go
				}
			}
			walk(f.Type)
		}
	}
	for _, k := range kinds {
		if k.Builtin {
			walk(k.Type())
		}
	}
}
