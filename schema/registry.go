package schema

import (
	"iter"
	"maps"
	"slices"
	"sort"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
)

// Registry combines the kinds of a catalog with those of CRDs and OpenAPI documents, which
// can be added and removed at any time. The zero Registry has no kinds. It is safe for
// concurrent use.
type Registry struct {
	builtin *Catalog

	mu         sync.RWMutex
	crds       map[string]*CRD
	added      map[GroupVersionKind]*Kind
	byKind     map[GroupVersionKind]*Kind // of crds and added
	byResource map[resourceName]*Kind
	plain      bool // kinds that are off by default are not served
}

// NewRegistry returns a registry over a catalog; nil is one without kinds.
func NewRegistry(builtin *Catalog) *Registry { return &Registry{builtin: builtin} }

// LeaveOff makes Resource, Served and Kinds omit the built-in kinds that are off by
// default, as an API server without --runtime-config does. Kind still returns them, because
// an API server can decode versions that it does not serve.
func (r *Registry) LeaveOff() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plain = true
	r.index()
}

// Catalog returns the catalog of built-in kinds; nil if there is none.
func (r *Registry) Catalog() *Catalog { return r.builtin }

// index rebuilds the maps of added kinds. r.mu is held for writing.
func (r *Registry) index() {
	r.byKind = map[GroupVersionKind]*Kind{}
	r.byResource = map[resourceName]*Kind{}
	put := func(k *Kind) {
		r.byKind[k.GroupVersionKind] = k
		if k.Resource != "" {
			r.byResource[resourceName{k.Group, k.Version, k.Resource}] = k
		}
	}
	for _, k := range r.added {
		put(k)
	}
	if len(r.crds) == 0 {
		return
	}
	owned := r.builtinGroups()
	for _, name := range slices.Sorted(maps.Keys(r.crds)) { // if two CRDs define one kind, the last is used
		for _, k := range r.crds[name].Kinds {
			if !owned[k.Group] {
				put(k)
			}
		}
	}
}

// builtinGroups returns the groups of which an API server serves built-in kinds. It serves no custom
// resources of these groups, although their CRDs are established.
func (r *Registry) builtinGroups() map[string]bool {
	groups := map[string]bool{}
	for k := range r.builtin.Kinds() {
		groups[k.Group] = groups[k.Group] || !(r.plain && k.OffByDefault)
	}
	return groups
}

// AddCRD adds a CRD's kinds. They replace those of a CRD with the same name. Kinds of a group with
// built-in kinds are not served, as by an API server. A nil CRD, which FromCRD returns with an
// error, adds nothing.
func (r *Registry) AddCRD(c *CRD) {
	if c == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.crds == nil {
		r.crds = map[string]*CRD{}
	}
	r.crds[c.Name] = c
	r.index()
}

// RemoveCRD removes the CRD with the given name and reports whether it existed.
func (r *Registry) RemoveCRD(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.crds[name]; !ok {
		return false
	}
	delete(r.crds, name)
	r.index()
	return true
}

// CRD returns the CRD with the given name, such as "widgets.lab.example.com".
func (r *Registry) CRD(name string) (*CRD, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	c, ok := r.crds[name]
	return c, ok
}

// Add adds individual kinds, such as those of FromOpenAPI. They take precedence over
// built-in kinds, and CRDs over those of OpenAPI documents. A nil Kind adds nothing.
func (r *Registry) Add(kinds ...*Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.added == nil {
		r.added = map[GroupVersionKind]*Kind{}
	}
	for _, k := range kinds {
		if k != nil {
			r.added[k.GroupVersionKind] = k
		}
	}
	r.index()
}

// Kind returns the kind with the given group, version and kind.
func (r *Registry) Kind(gvk GroupVersionKind) (*Kind, bool) {
	r.mu.RLock()
	k, ok := r.byKind[gvk]
	r.mu.RUnlock()
	if !ok {
		return r.builtin.Kind(gvk)
	}
	return k, ok
}

// Of returns the kind of an object by its apiVersion and kind.
func (r *Registry) Of(object document.Value) (*Kind, bool) {
	apiVersion, _ := object.Get("apiVersion").Text()
	kind, _ := object.Get("kind").Text()
	group, version, ok := SplitAPIVersion(apiVersion)
	if !ok || version == "" || kind == "" {
		return nil, false
	}
	return r.Kind(GroupVersionKind{group, version, kind})
}

// Resource returns the kind with the given plural resource name.
func (r *Registry) Resource(group, version, resource string) (*Kind, bool) {
	r.mu.RLock()
	k, ok := r.byResource[resourceName{group, version, resource}]
	plain := r.plain
	r.mu.RUnlock()
	if !ok {
		k, ok = r.builtin.Resource(group, version, resource)
		if ok && plain && k.OffByDefault {
			return nil, false
		}
	}
	return k, ok
}

// Served returns the served versions of a kind, the preferred one first: in discovery order
// for built-in groups, by version priority for others.
func (r *Registry) Served(group, kind string) []*Kind {
	var found []*Kind
	for k := range r.Kinds() {
		if k.Group == group && k.Kind == kind {
			found = append(found, k)
		}
	}
	rank := map[string]int{}
	for i, v := range r.builtin.Preferred(group) {
		rank[v] = i + 1
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := rank[found[i].Version], rank[found[j].Version]
		if a != 0 && b != 0 {
			return a < b
		}
		return VersionBefore(found[i].Version, found[j].Version)
	})
	return found
}

// Kinds iterates over all kinds, sorted by group, version and kind.
func (r *Registry) Kinds() iter.Seq[*Kind] {
	r.mu.RLock()
	all := make([]*Kind, 0, len(r.byKind))
	for _, k := range r.byKind {
		all = append(all, k)
	}
	hidden, plain := r.byKind, r.plain
	r.mu.RUnlock()
	for k := range r.builtin.Kinds() {
		if hidden[k.GroupVersionKind] == nil && !(plain && k.OffByDefault) {
			all = append(all, k)
		}
	}
	sortKinds(all)
	return func(yield func(*Kind) bool) {
		for _, k := range all {
			if !yield(k) {
				return
			}
		}
	}
}
