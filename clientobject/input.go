package clientobject

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/patchlab-dev/patchlab/document"
)

// Input is a patchlab.Input of an object of client-go or controller-runtime:
//
//	result, err := lab.Apply(clientobject.Input{Object: deployment, Scheme: scheme.Scheme}, config, …)
//
// A nil Object, or a nil pointer in it, is an input without objects.
type Input struct {
	// Object is an *unstructured.Unstructured, a pointer to a typed object such as
	// *appsv1.Deployment, or an apply configuration.
	Object any
	// Scheme returns the apiVersion and kind of typed objects, which clients omit from the
	// objects that they read. Without a Scheme such an object is an error.
	Scheme runtime.ObjectTyper
}

// Documents implements patchlab.Input. The document has apiVersion and kind.
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

// typed sets apiVersion and kind from the scheme.
func (in Input) typed(v document.Value) (document.Value, error) {
	object, ok := in.Object.(runtime.Object)
	if !ok {
		return v, fmt.Errorf("%T has no apiVersion and kind, and is not a pointer to a typed object, such as *appsv1.Deployment", in.Object)
	}
	if in.Scheme == nil {
		return v, fmt.Errorf("%T has no apiVersion and kind; clients omit them from typed objects: set Input.Scheme, such as client-go's scheme.Scheme", in.Object)
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
