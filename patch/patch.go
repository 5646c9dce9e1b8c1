package patch

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Type is a type of patch.
type Type uint8

// The types of patches.
const (
	// TypeAuto detects the type from the patch and the object's kind: a list is a JSON
	// patch; an object is a strategic merge patch for a built-in kind and a JSON merge
	// patch for any other.
	TypeAuto Type = iota
	// TypeJSON is a JSON patch (RFC 6902).
	TypeJSON
	// TypeMerge is a JSON merge patch (RFC 7396).
	TypeMerge
	// TypeStrategic is a strategic merge patch.
	TypeStrategic
)

// String returns the value for 'kubectl patch --type', and "auto" for TypeAuto.
func (t Type) String() string {
	names := [...]string{"auto", "json", "merge", "strategic"}
	if int(t) < len(names) {
		return names[t]
	}
	return "unknown"
}

// MediaType returns the content type of the patch request, and "" for TypeAuto.
func (t Type) MediaType() string {
	switch t {
	case TypeJSON:
		return "application/json-patch+json"
	case TypeMerge:
		return "application/merge-patch+json"
	case TypeStrategic:
		return "application/strategic-merge-patch+json"
	}
	return ""
}

// The limits of kube-apiserver, which are the defaults of Options.
const (
	// DefaultMaxOperations is the maximum number of operations in a JSON patch.
	DefaultMaxOperations = 10000
	// DefaultMaxCopyBytes is the maximum total size of the values copied by one JSON patch.
	DefaultMaxCopyBytes = 3 << 20
)

// Options configures how a patch is applied or computed. The zero value has the API
// server's behavior and limits.
type Options struct {
	// MaxOperations is the maximum number of operations of a JSON patch. 0 means
	// DefaultMaxOperations, a negative value no limit.
	MaxOperations int
	// MaxCopyBytes is the maximum total size of copied values. 0 means DefaultMaxCopyBytes,
	// a negative value no limit.
	MaxCopyBytes int
	// IgnoreFieldTypes has the effect of fieldValidation=Ignore: a JSON patch operation
	// whose op, path or from is not a string is refused when it is executed (422), and not
	// before the whole patch (400).
	IgnoreFieldTypes bool
	// ListTypes makes strategic merge patches use list types (x-kubernetes-list-map-keys)
	// in place of patch strategies, and allows fields that the type lacks. It is meant for
	// custom resources, for which the API server refuses strategic merge patches.
	ListTypes bool
	// Observer receives all decisions of a patch that succeeds; nil has no cost.
	Observer Observer
	// Engine replaces patchlab's own implementation unless it is nil.
	Engine Engine
}

// Engine applies and computes patches. Its methods follow the rules of the package
// functions with the same names. They ignore Options.Engine.
type Engine interface {
	JSON(object, patch document.Value, o Options) (document.Value, error)
	Merge(object, patch document.Value, o Options) (document.Value, error)
	Strategic(object, patch document.Value, t *schema.Type, o Options) (document.Value, error)
	CreateMerge(from, to document.Value, o Options) (document.Value, error)
	CreateStrategic(from, to document.Value, t *schema.Type, o Options) (document.Value, error)
	ThreeWayMerge(original, modified, current document.Value, o ThreeWayOptions) (document.Value, error)
	ThreeWayStrategic(original, modified, current document.Value, t *schema.Type, o ThreeWayOptions) (document.Value, error)
}
