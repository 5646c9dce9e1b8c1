package schema

import (
	"strings"
	"sync"
)

// GroupVersionKind names a kind in one version of its API group.
// The core group is "".
type GroupVersionKind struct{ Group, Version, Kind string }

// APIVersion returns the text of an object's apiVersion: "apps/v1", "v1".
func (g GroupVersionKind) APIVersion() string { return APIVersion(g.Group, g.Version) }

// String returns apiVersion and kind as messages name them: "apps/v1, Kind=Deployment".
func (g GroupVersionKind) String() string { return g.APIVersion() + ", Kind=" + g.Kind }

// APIVersion joins group and version as an object's apiVersion does.
func APIVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// SplitAPIVersion takes an apiVersion apart: "apps/v1" is apps and v1, "v1" is
// the core group and v1. ok is false for more than one slash, as
// kube-apiserver refuses it.
func SplitAPIVersion(apiVersion string) (group, version string, ok bool) {
	i := strings.IndexByte(apiVersion, '/')
	if i < 0 {
		return "", apiVersion, true
	}
	group, version = apiVersion[:i], apiVersion[i+1:]
	return group, version, !strings.Contains(version, "/")
}

// Kind is one kind of object in one version. Its fields are not to be changed.
type Kind struct {
	GroupVersionKind
	// Resource is the plural in the path ("deployments"); "" for a kind that only
	// a subresource takes, such as policy/v1 Eviction.
	Resource string
	// Singular and ListKind are the other names of the resource ("deployment",
	// "DeploymentList").
	Singular, ListKind string
	// ShortNames and Categories are as discovery lists them.
	ShortNames, Categories []string
	// Namespaced says that objects live in a namespace.
	Namespaced bool
	// Builtin says that the kind is one of the API server's own, held in a Go
	// type there; else it is a custom resource.
	Builtin bool
	// OffByDefault says that a plain API server does not serve the kind: it is of
	// an alpha or beta version that has to be switched on (--runtime-config).
	OffByDefault bool
	// Verbs of the resource in the order of discovery, which for custom resources
	// is not that of their letters.
	Verbs []string
	// Status says that there is a status subresource.
	Status bool
	// Scale is the scale subresource, nil for none.
	Scale *Scale
	// Subresources are all subresources that discovery lists, with status and
	// scale, sorted by name.
	Subresources []Subresource
	// Storage says that objects are stored in this version (custom resources).
	Storage bool
	// Rules is the number of validation rules (x-kubernetes-validations) in the
	// schema of a custom resource.
	Rules int
	// Deprecated says that the version is (custom resources); Warning is then
	// what the server says to who uses it.
	Deprecated bool
	Warning    string
	// Columns are the additional printer columns (custom resources).
	Columns []Column
	// Selectable are the paths of fields that field selectors may name (custom
	// resources), such as ".spec.color".
	Selectable []string

	resolve func() *Type
	once    sync.Once
	// embeds is found once: a definition may have thousands of fields.
	embeds      bool
	embedsFound sync.Once
	typ         *Type
}

// NewKind returns a kind whose type is known already.
func NewKind(k GroupVersionKind, t *Type) *Kind {
	return &Kind{GroupVersionKind: k, typ: t}
}

// Type returns what is known of the kind's objects, never nil. The first call
// decodes it, at most a millisecond; later ones cost nothing. Safe for
// concurrent use.
func (k *Kind) Type() *Type {
	if k.resolve != nil {
		k.once.Do(func() { k.typ = k.resolve() })
	}
	if k.typ == nil {
		return Deduced()
	}
	return k.typ
}

// Embeds reports whether objects of the kind contain whole objects
// (x-kubernetes-embedded-resource). The first call looks through all fields; later ones
// cost nothing. Safe for concurrent use.
func (k *Kind) Embeds() bool {
	k.embedsFound.Do(func() { k.embeds = hasEmbedded(k.Type()) })
	return k.embeds
}

// hasEmbedded reports whether a type contains whole objects below its root.
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

// Subresource finds a subresource by name.
func (k *Kind) Subresource(name string) (*Subresource, bool) {
	for i := range k.Subresources {
		if k.Subresources[i].Name == name {
			return &k.Subresources[i], true
		}
	}
	return nil, false
}

// Scale says where an object holds what its scale subresource shows. The paths
// are JSON paths without index, such as ".spec.replicas".
type Scale struct {
	SpecReplicasPath   string
	StatusReplicasPath string
	// LabelSelectorPath leads to the selector: a string in custom resources
	// ("" for none), a label selector or map in built-in kinds.
	LabelSelectorPath string
}

// Subresource is a part of a resource with a path of its own.
type Subresource struct {
	// Name is the path's last segment: "status".
	Name string
	// Kind is what its requests carry: the kind itself for status,
	// autoscaling/v1 Scale for scale.
	Kind GroupVersionKind
	// Verbs in the order of discovery.
	Verbs []string
}

// Column is a column that kubectl get prints for a custom resource.
type Column struct {
	Name, Type, Format, Description, JSONPath string
	Priority                                  int
}
