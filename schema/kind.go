package schema

import (
	"strings"
	"sync"
)

// GroupVersionKind identifies a kind in one version of its API group. The core group is "".
type GroupVersionKind struct{ Group, Version, Kind string }

// APIVersion returns the apiVersion of objects: "apps/v1", "v1".
func (g GroupVersionKind) APIVersion() string { return APIVersion(g.Group, g.Version) }

// String returns the form used in messages: "apps/v1, Kind=Deployment".
func (g GroupVersionKind) String() string { return g.APIVersion() + ", Kind=" + g.Kind }

// APIVersion joins a group and version to an apiVersion.
func APIVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// SplitAPIVersion splits an apiVersion: "apps/v1" is group apps and version v1, "v1" is the
// core group and version v1. ok is false if it has more than one slash, which
// kube-apiserver refuses.
func SplitAPIVersion(apiVersion string) (group, version string, ok bool) {
	i := strings.IndexByte(apiVersion, '/')
	if i < 0 {
		return "", apiVersion, true
	}
	group, version = apiVersion[:i], apiVersion[i+1:]
	return group, version, !strings.Contains(version, "/")
}

// CanonicalAPIVersion returns an apiVersion in the form in which the API server writes it: a version of the core group
// without the empty name of that group, as "v1" for "/v1". Other texts stay as they are.
func CanonicalAPIVersion(apiVersion string) string {
	if group, version, ok := SplitAPIVersion(apiVersion); ok {
		return APIVersion(group, version)
	}
	return apiVersion
}

// Kind describes one kind in one version. Its fields must not be modified.
type Kind struct {
	GroupVersionKind
	// Resource is the plural in request paths ("deployments"); "" for a kind that only a
	// subresource accepts, such as policy/v1 Eviction.
	Resource string
	// Singular is the singular resource name ("deployment"), ListKind the kind of lists
	// ("DeploymentList").
	Singular, ListKind string
	// ShortNames and Categories are those in the discovery document.
	ShortNames, Categories []string
	// Namespaced reports whether objects are namespaced; otherwise they are cluster-scoped.
	Namespaced bool
	// Builtin reports whether the kind has a Go type in the API server; otherwise it is a
	// custom resource.
	Builtin bool
	// OffByDefault reports whether the kind has an alpha or beta version that must be
	// enabled with --runtime-config.
	OffByDefault bool
	// Verbs lists the resource's verbs in discovery order, which is not alphabetical for
	// custom resources.
	Verbs []string
	// Status reports whether the kind has a status subresource.
	Status bool
	// Scale describes the scale subresource; nil if there is none.
	Scale *Scale
	// Subresources lists all subresources in the discovery document, including status and
	// scale, sorted by name.
	Subresources []Subresource
	// Storage reports whether this is the storage version (custom resources).
	Storage bool
	// Rules is the number of CEL rules (x-kubernetes-validations) in the schema of a custom
	// resource.
	Rules int
	// Deprecated reports whether the version is deprecated (custom resources); Warning is
	// then the warning in responses to requests that use it.
	Deprecated bool
	Warning    string
	// Columns lists the additional printer columns (custom resources).
	Columns []Column
	// Selectable lists the paths of selectable fields, such as ".spec.color" (custom
	// resources).
	Selectable []string
	// Definition is the CRD of a custom resource, as it was read.
	Definition *CRD

	catalog *Catalog // of a kind that is in one
	resolve func() *Type
	once    sync.Once
	// embeds caches the result of Embeds: a definition may have thousands of fields.
	embeds      bool
	embedsFound sync.Once
	typ         *Type
}

// NewKind returns a custom kind with a given type. Its other fields are empty; set them before
// the kind is used.
func NewKind(k GroupVersionKind, t *Type) *Kind {
	return &Kind{GroupVersionKind: k, typ: t}
}

// Type returns the type of the kind's objects; it is never nil. The first call decodes it,
// which takes at most a millisecond. It is safe for concurrent use.
func (k *Kind) Type() *Type {
	if k.resolve != nil {
		k.once.Do(func() { k.typ = k.resolve() })
	}
	if k.typ == nil {
		return Deduced()
	}
	return k.typ
}

// Since reports whether the kind is of a Kubernetes version that is at least the given one,
// such as "1.37". A kind that is not in a catalog counts as one of DefaultVersion.
func (k *Kind) Since(version string) bool { return k.catalog.Since(version) }

// Catalog returns the catalog that the kind is in, nil for the kind of a CRD or an OpenAPI document.
func (k *Kind) Catalog() *Catalog { return k.catalog }

// Embeds reports whether objects of the kind contain embedded objects
// (x-kubernetes-embedded-resource). The first call visits all fields. It is safe for
// concurrent use.
func (k *Kind) Embeds() bool {
	k.embedsFound.Do(func() { k.embeds = hasEmbedded(k.Type()) })
	return k.embeds
}

// hasEmbedded reports whether a type contains embedded objects below its root.
func hasEmbedded(root *Type) bool {
	seen := map[*Type]bool{}
	var look func(t *Type) bool
	look = func(t *Type) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		if t.Embedded && t != root {
			return true
		}
		if t.List != nil && look(t.List.Elem) {
			return true
		}
		if t.Map == nil {
			return false
		}
		for i := range t.Map.Fields {
			if look(t.Map.Fields[i].Type) {
				return true
			}
		}
		return look(t.Map.Elem)
	}
	return look(root)
}

// Subresource returns the subresource with the given name.
func (k *Kind) Subresource(name string) (*Subresource, bool) {
	for i := range k.Subresources {
		if k.Subresources[i].Name == name {
			return &k.Subresources[i], true
		}
	}
	return nil, false
}

// Scale holds the paths that the scale subresource reads and writes. They are JSON paths
// without indices, such as ".spec.replicas".
type Scale struct {
	SpecReplicasPath   string
	StatusReplicasPath string
	// LabelSelectorPath is the path of the selector: a string in custom resources ("" for
	// none), a label selector or map in built-in kinds.
	LabelSelectorPath string
}

// Subresource describes a subresource.
type Subresource struct {
	// Name is the last segment of the request path, such as "status".
	Name string
	// Kind is the kind of request bodies: the resource's own kind for status,
	// autoscaling/v1 Scale for scale.
	Kind GroupVersionKind
	// Verbs lists the verbs in discovery order.
	Verbs []string
}

// Column is an additional printer column of a custom resource.
type Column struct {
	Name, Type, Format, Description, JSONPath string
	Priority                                  int
}
