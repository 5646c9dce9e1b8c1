// Package clientobject connects patchlab with programs that use client-go or controller-runtime:
// [Input] makes their typed and unstructured objects the input of a patchlab.Lab, [Into] decodes a
// result into such an object, and [StatusError] turns an error of a Lab into one that the functions
// of k8s.io/apimachinery/pkg/api/errors recognize. [Document] and [Unstructured] convert objects to
// documents and back.
//
// Package patchlab and the packages that it imports do not import apimachinery; they use bytes and
// documents.
package clientobject

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
)

// errAbsent is the error for a document that is to be converted but is absent.
var errAbsent = errors.New("expected an object, found nothing")

// errNil is the error for a nil pointer to decode into.
var errNil = errors.New("cannot decode into a nil *unstructured.Unstructured")

// Document converts an object to the document that a client sends: an unstructured.Unstructured or a
// pointer to one directly, and any other object, such as a *appsv1.Deployment or an apply configuration,
// through its JSON. The float64 3 of an unstructured object therefore is the integer 3. A nil
// *unstructured.Unstructured is absent, any other nil is null. The object is neither modified nor
// retained. An error names the part that cannot be encoded as JSON.
func Document(object any) (document.Value, error) {
	switch u := object.(type) {
	case *unstructured.Unstructured:
		if u == nil {
			return document.Value{}, nil
		}
		return govalue.Encoded(u.Object)
	case unstructured.Unstructured: // its MarshalJSON is a method of the pointer
		return govalue.Encoded(u.Object)
	}
	data, err := json.Marshal(object)
	if err != nil {
		return document.Value{}, fmt.Errorf("%T cannot be encoded as JSON: %w", object, err)
	}
	d, err := document.Parse(data, document.Options{MaxBytes: -1})
	if err != nil {
		return document.Value{}, fmt.Errorf("%T: %w", object, err)
	}
	return d.Root, nil
}

// Unstructured converts a document, which must be an object, to an unstructured object. The
// two share no memory that can be modified.
func Unstructured(v document.Value) (*unstructured.Unstructured, error) {
	if !v.Exists() {
		return nil, errAbsent
	}
	object, ok := govalue.Of(v).(map[string]any)
	if !ok {
		return nil, fmt.Errorf("expected an object, found a %s", v.Kind())
	}
	return &unstructured.Unstructured{Object: object}, nil
}

// Into decodes a document into the object that into points to. Like json.Unmarshal, it keeps
// the fields of a typed object that the document lacks; the content of an
// *unstructured.Unstructured is replaced. An absent document is an error.
func Into(v document.Value, into any) error {
	if u, ok := into.(*unstructured.Unstructured); ok {
		if u == nil {
			return errNil
		}
		made, err := Unstructured(v)
		if err == nil {
			u.Object = made.Object
		}
		return err
	}
	if !v.Exists() {
		return fmt.Errorf("%T: %w", into, errAbsent)
	}
	if err := json.Unmarshal(v.JSON(), into); err != nil {
		return fmt.Errorf("%T: %w", into, err)
	}
	return nil
}
