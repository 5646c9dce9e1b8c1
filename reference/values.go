package reference

import (
	"bytes"
	"encoding/json"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/fieldset"
)

// toGo returns a value as the libraries hold it: map[string]any, []any, int64,
// float64, string, bool or nil.
func toGo(v document.Value) any {
	switch v.Kind() {
	case document.Object:
		m := make(map[string]any, v.Len())
		for k, x := range v.Members() {
			m[k] = toGo(x)
		}
		return m
	case document.List:
		l := make([]any, 0, v.Len())
		for _, x := range v.Items() {
			l = append(l, toGo(x))
		}
		return l
	case document.String:
		s, _ := v.Text()
		return s
	case document.Bool:
		b, _ := v.Bool()
		return b
	case document.Number:
		if i, ok := v.Int(); ok {
			return i
		}
		f, _ := v.Float()
		return f
	}
	return nil
}

// fromGo is the way back.
func fromGo(x any) document.Value {
	switch t := x.(type) {
	case map[string]any:
		keys := make([]string, 0, len(t))
		for k := range t {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		var b document.ObjectBuilder
		for _, k := range keys {
			b.Set(k, fromGo(t[k]))
		}
		return b.Object()
	case []any:
		var b document.ListBuilder
		for _, e := range t {
			b.Append(fromGo(e))
		}
		return b.List()
	case string:
		return document.NewString(t)
	case bool:
		return document.NewBool(t)
	case int64:
		return document.NewInt(t)
	case float64:
		return document.NewFloat(t)
	}
	return document.NewNull()
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
	return toGo(d.Root)
}
