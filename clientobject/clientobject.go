// Package clientobject turns the objects of client-go and controller-runtime,
// unstructured and typed, into documents and back, for programs that hold such
// objects and want to ask patchlab about them.
//
// It is the only package besides reference that imports apimachinery; the
// others take and return bytes and documents.
package clientobject

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
)

// Document returns an object as a document. An *unstructured.Unstructured is
// read as it is; anything else, such as a *appsv1.Deployment or an apply
// configuration, by its JSON. The object is not changed and not kept. An error
// says which part has no JSON form.
func Document(object any) (document.Value, error) {
	if u, ok := object.(*unstructured.Unstructured); ok {
		if u == nil {
			return document.Value{}, nil
		}
		return govalue.From(u.Object)
	}
	data, err := json.Marshal(object)
	if err != nil {
		return document.Value{}, fmt.Errorf("%T has no JSON form: %w", object, err)
	}
	d, err := document.Parse(data, document.Options{MaxBytes: -1})
	if err != nil {
		return document.Value{}, fmt.Errorf("%T: %w", object, err)
	}
	return d.Root, nil
}

// Unstructured returns a document as an unstructured object. It shares nothing
// with the document. The document must be an object.
func Unstructured(v document.Value) (*unstructured.Unstructured, error) {
	object, ok := govalue.Of(v).(map[string]any)
	if !ok {
		return nil, fmt.Errorf("expected an object, found a %s", v.Kind())
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// Into sets a typed object, to which the pointer into leads, to a document. Its
// former content is kept where the document says nothing, as json.Unmarshal does.
func Into(v document.Value, into any) error {
	if u, ok := into.(*unstructured.Unstructured); ok {
		made, err := Unstructured(v)
		if err == nil {
			u.Object = made.Object
		}
		return err
	}
	if err := json.Unmarshal(v.JSON(), into); err != nil {
		return fmt.Errorf("%T: %w", into, err)
	}
	return nil
}
