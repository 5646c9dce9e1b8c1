package patch

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Type is a kind of patch.
type Type uint8

// The kinds of patch.
const (
	// TypeAuto chooses by the patch and the object's kind: a list is a JSON
	// patch; an object is a strategic merge patch for a built-in kind and a JSON
	// merge patch for any other.
	TypeAuto Type = iota
	TypeJSON
	TypeMerge
	TypeStrategic
)

// String returns the name that kubectl patch --type takes, "auto" for TypeAuto.
func (t Type) String() string {
	return [...]string{"auto", "json", "merge", "strategic"}[t]
}

// MediaType returns the content type of a request with such a patch, "" for TypeAuto.
func (t Type) MediaType() string {
	if t == TypeAuto {
		return ""
	}
	return "application/" + [...]string{"", "json-patch", "merge-patch", "strategic-merge-patch"}[t] + "+json"
}

// The limits of kube-apiserver, which apply unless Options set others.
const (
	// DefaultMaxOperations is how many operations a JSON patch may hold.
	DefaultMaxOperations = 10000
	// DefaultMaxCopyBytes is how much text the copy operations of one JSON patch
	// may copy in all.
	DefaultMaxCopyBytes = 3 << 20
)

// Options say how a patch is applied or made. The zero value is what the API
// server does, bounded and strict.
type Options struct {
	// MaxOperations bounds the operations of a JSON patch: 0 is
	// DefaultMaxOperations, below 0 is no bound.
	MaxOperations int
	// MaxCopyBytes bounds what copy operations copy: 0 is DefaultMaxCopyBytes,
	// below 0 is no bound.
	MaxCopyBytes int
	// IgnoreFieldTypes says that the request came with fieldValidation=Ignore:
	// an operation of a JSON patch whose op, path or from is no string is then
	// only refused when its turn comes (422), not with the whole patch (400).
	IgnoreFieldTypes bool
	// ListTypes takes the merge keys of a strategic merge patch from the list
	// types (x-kubernetes-list-map-keys) instead of the patch strategies, and
	// lets the patch name fields that the type does not know. It is meant for
	// custom resources, whose strategic patches the API server refuses.
	ListTypes bool
	// Observer is told each decision once the patch has succeeded; nil costs nothing.
	Observer Observer
	// Engine does the work; nil is patchlab's own.
	Engine Engine
}

// An Engine applies and makes patches. Its methods are the functions of this
// package that have their names, and follow the same rules. Options.Engine is
// not looked at again.
type Engine interface {
	JSON(object, patch document.Value, o Options) (document.Value, error)
	Merge(object, patch document.Value, o Options) (document.Value, error)
	Strategic(object, patch document.Value, t *schema.Type, o Options) (document.Value, error)
	CreateMerge(from, to document.Value, o Options) (document.Value, error)
	CreateStrategic(from, to document.Value, t *schema.Type, o Options) (document.Value, error)
	ThreeWayMerge(original, modified, current document.Value, o ThreeWayOptions) (document.Value, error)
	ThreeWayStrategic(original, modified, current document.Value, t *schema.Type, o ThreeWayOptions) (document.Value, error)
}
