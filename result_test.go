package patchlab_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/scenario"
)

// TestResultsAsText prints results and objects as a log does: without values, of a Secret for example.
func TestResultsAsText(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	secret := func(value string) patchlab.Input {
		return patchlab.Bytes(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"shop"},"data":{"p":"` + value + `"}}`)
	}
	created, err := lab.Apply(nil, secret("YWJj"), patchlab.ApplyOptions{FieldManager: "gitops"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ value, want string }{
		{"ZGVm", `Secret s in namespace shop: server-side apply as "gitops", changed`},
		{"YWJj", `Secret s in namespace shop: server-side apply as "gitops", unchanged`},
	} {
		result, err := lab.Apply(created.After, secret(test.value), patchlab.ApplyOptions{FieldManager: "gitops"})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(result); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	if got, want := fmt.Sprint(created), `Secret s in namespace shop: server-side apply as "gitops", created`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%v", created.After), "Secret s in namespace shop"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := fmt.Sprint(&patchlab.Result{}, &patchlab.Object{}); strings.Contains(got, "PANIC") {
		t.Errorf("zero values: %s", got)
	}
}

// TestResultsAsJSON: the objects of a result are API objects, which a Lab reads again.
func TestResultsAsJSON(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	created, err := lab.Apply(nil, patchlab.Bytes(settings), patchlab.ApplyOptions{FieldManager: "gitops"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(created)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Target, Position, Before, After json.RawMessage
		Action, FieldManager            string
		Scale, Warnings                 json.RawMessage
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), `{"target":{"apiVersion":"v1","kind":"ConfigMap",`) || read.Before != nil || read.Scale != nil || read.FieldManager != "gitops" {
		t.Errorf("a created object is %s", text)
	}
	again, err := lab.Apply(patchlab.Bytes(read.After), patchlab.Bytes(settings), patchlab.ApplyOptions{FieldManager: "gitops"})
	if err != nil || again.Changed() {
		t.Errorf("applying to the object of the JSON: %v, %v, want no change", again, err)
	}
}

// TestNamesInJSON: as in Kubernetes, all members of what programs print as JSON have names that
// begin with a small letter.
func TestNamesInJSON(t *testing.T) {
	for _, v := range []any{patchlab.Result{}, patchlab.Error{}, patchlab.Alternatives{}, patchlab.Resolution{},
		explain.Line{}, explain.OwnedField{}, explain.Reason{}, explain.Way{}, explain.Finding{}, explain.Migration{}, explain.RuleText{},
		patch.Decision{}, fieldmanager.Decision{}, scenario.RaceReport{}, scenario.Mismatch{}} {
		checkNamesInJSON(t, reflect.TypeOf(v), map[reflect.Type]bool{})
	}
}

// checkNamesInJSON checks the names of a type and of those that it contains, unless they are in seen.
func checkNamesInJSON(t *testing.T, of reflect.Type, seen map[reflect.Type]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	own := reflect.PointerTo(of)
	if of.Kind() != reflect.Struct || seen[of] || own.Implements(reflect.TypeFor[json.Marshaler]()) || own.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return
	}
	seen[of] = true
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if !f.Anonymous && (name == "" || unicode.IsUpper(rune(name[0]))) {
			t.Errorf("the JSON name of %s.%s is %q", of, f.Name, name)
		}
		checkNamesInJSON(t, f.Type, seen)
	}
}
