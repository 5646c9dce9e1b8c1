// Made from reference/values.go by the test of this package with -update. DO NOT EDIT.

package smd4

import (
	"bytes"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
)

// fromGo converts the libraries' representation of values.
func fromGo(x any) document.Value {
	v, err := govalue.From(x)
	if err != nil {
		return document.NewNull()
	}
	return v
}

// toSet converts a field set to the library's form.
func toSet(s fieldset.Set) (*fieldpath.Set, error) {
	out := &fieldpath.Set{}
	return out, out.FromJSON(bytes.NewReader(s.JSON().JSON()))
}

// fromSet converts a field set of the library, whose elements are canonical.
func fromSet(s *fieldpath.Set) fieldset.Set {
	text, err := s.ToJSON()
	if err != nil {
		return fieldset.Set{}
	}
	d, err := document.Parse(text, document.Options{MaxBytes: -1, Duplicates: document.DuplicatesLast})
	if err != nil {
		return fieldset.Set{}
	}
	return fieldset.Raw(d.Root)
}
