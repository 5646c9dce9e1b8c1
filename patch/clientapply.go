package patch

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// LastApplied is the annotation in which kubectl apply keeps the configuration
// that it applied last.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// ErrLastApplied is the cause of an error about the annotation LastApplied.
var ErrLastApplied = errors.New("the annotation " + LastApplied + " cannot be read")

// ClientApply makes the patch that kubectl apply sends without --server-side:
// the three-way patch between the configuration in the live object's annotation
// [LastApplied], the configuration given and the live object. The patch also
// writes the annotation. It is {} where nothing is to change. An error is an
// *Error of the three-way patch, or an ErrLastApplied.
func ClientApply(live, config document.Value, kind *schema.Kind, o ThreeWayOptions) (document.Value, Type, error) {
	original, err := ReadLastApplied(live)
	if err != nil {
		return document.Value{}, TypeAuto, err
	}
	return ThreeWay(original, WithLastApplied(config), live, kind, o)
}

// ReadLastApplied returns the configuration in an object's annotation
// [LastApplied], absent where there is none. An error is an ErrLastApplied.
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

// WithLastApplied returns a configuration with itself in the annotation
// [LastApplied], as kubectl apply sends it: what that annotation held before is
// left out, and annotations are there even where there are none.
func WithLastApplied(config document.Value) document.Value {
	annotations := config.Lookup("metadata", "annotations")
	if annotations.Kind() != document.Object {
		annotations = document.NewObject()
	}
	plain := config.Set(annotations.Without(LastApplied), "metadata", "annotations")
	return plain.Set(document.NewString(string(plain.JSON())+"\n"), "metadata", "annotations", LastApplied)
}
