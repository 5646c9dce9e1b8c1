package clientobject

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/patchlab-dev/patchlab/document"
)

// Input is an object of client-go or controller-runtime as an input of the package
// patchlab:
//
//	result, err := lab.Apply(clientobject.Input{Object: deployment, Scheme: scheme.Scheme}, config, …)
//
// A nil Object is no object.
type Input struct {
	// Object is an *unstructured.Unstructured, a pointer to a typed object such as
	// *appsv1.Deployment, or an apply configuration.
	Object any
	// Scheme knows the apiVersion and kind of typed objects. Clients leave these
	// out of the typed objects that they read; without a Scheme such an object is
	// an error, as nobody can tell what it is.
	Scheme runtime.ObjectTyper
}

// Documents returns the object as a document with its apiVersion and kind.
func (in Input) Documents() ([]*document.Document, error) {
	if r := reflect.ValueOf(in.Object); !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, nil
	}
	v, err := Document(in.Object)
	if err != nil {
		return nil, err
	}
	if v.Get("kind").StringOr("") == "" || v.Get("apiVersion").StringOr("") == "" {
		if v, err = in.typed(v); err != nil {
			return nil, err
		}
	}
	return v.Documents()
}

// typed fills in the apiVersion and kind that the scheme knows.
func (in Input) typed(v document.Value) (document.Value, error) {
	object, ok := in.Object.(runtime.Object)
	if in.Scheme == nil || !ok {
		return v, fmt.Errorf("%T has no apiVersion and kind; clients leave them out of typed objects: set Input.Scheme, such as client-go's scheme.Scheme", in.Object)
	}
	kinds, _, err := in.Scheme.ObjectKinds(object)
	if err != nil {
		return v, fmt.Errorf("%T: %w", in.Object, err)
	}
	if len(kinds) != 1 {
		return v, fmt.Errorf("%T has %d kinds in the scheme; set its apiVersion and kind", in.Object, len(kinds))
	}
	apiVersion, kind := kinds[0].ToAPIVersionAndKind()
	return v.With("apiVersion", document.NewString(apiVersion)).With("kind", document.NewString(kind)), nil
}
