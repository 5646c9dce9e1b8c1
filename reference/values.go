package reference

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/govalue"
)

// fromGo reads what the libraries hold values as. They hold nothing else.
func fromGo(x any) document.Value {
	v, err := govalue.From(x)
	if err != nil {
		return document.NewNull()
	}
	return v
}

// toSet returns a field set as the library holds it.
func toSet(s fieldset.Set) (*fieldpath.Set, error) {
	out := &fieldpath.Set{}
	return out, out.FromJSON(bytes.NewReader(s.JSON().JSON()))
}

// fromSet returns a field set of the library. The library makes sets of
// canonical elements only.
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

// jsonValue reads the JSON text of a default; nil where it is none.
func jsonValue(text string) any {
	if text == "" || !json.Valid([]byte(text)) {
		return nil
	}
	d, err := document.Parse([]byte(text), document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		return nil
	}
	return govalue.Of(d.Root)
}
