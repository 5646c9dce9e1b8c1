package patch

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// LastApplied is the annotation in which 'kubectl apply' stores the last applied
// configuration.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// ErrLastApplied is the cause of errors in the annotation LastApplied.
var ErrLastApplied = errors.New("the annotation " + LastApplied + " cannot be read")

// ClientApply computes the patch that 'kubectl apply' sends without --server-side: the
// three-way patch between the configuration in the live object's annotation [LastApplied],
// the given configuration and the live object. The patch updates the annotation too. It is
// {} if nothing changes. An error is an *Error of the three-way patch, or wraps
// ErrLastApplied.
func ClientApply(live, config document.Value, kind *schema.Kind, o ThreeWayOptions) (document.Value, Type, error) {
	original, err := ReadLastApplied(live)
	if err != nil {
		return document.Value{}, TypeAuto, err
	}
	return ThreeWay(original, WithLastApplied(config), live, kind, o)
}

// ReadLastApplied returns the configuration in an object's annotation [LastApplied]; absent
// if there is none. An error wraps ErrLastApplied.
func ReadLastApplied(object document.Value) (document.Value, error) {
	text, ok := object.Lookup("metadata", "annotations", LastApplied).Text()
	if !ok {
		return document.Value{}, nil
	}
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		return document.Value{}, fmt.Errorf("%w: %w", ErrLastApplied, err)
	}
	return d.Root, nil
}

// WithLastApplied returns a configuration with itself in the annotation [LastApplied], as
// 'kubectl apply' sends it. The stored copy has an empty metadata.annotations if it has no
// annotations, and omits any previous value of the annotation. Annotations that are null are
// empty strings in both, as kubectl reads them.
func WithLastApplied(config document.Value) document.Value {
	annotations := config.Lookup("metadata", "annotations")
	if annotations.Kind() != document.Object {
		annotations = document.NewObject()
	}
	annotations = NullsAsText(annotations.Without(LastApplied))
	plain := config.Set(annotations, "metadata", "annotations")
	return plain.Set(document.NewString(string(plain.JSON())+"\n"), "metadata", "annotations", LastApplied)
}

// NullsAsText returns annotations with an empty string in place of each null, as the libraries of Kubernetes
// read those of an object without a Go type.
func NullsAsText(annotations document.Value) document.Value {
	if annotations.Kind() == document.Object {
		for i := range annotations.Len() {
			if annotations.At(i).IsNull() {
				annotations = annotations.With(annotations.Key(i), document.NewString(""))
			}
		}
	}
	return annotations
}
