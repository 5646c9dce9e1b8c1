package patchlab_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
)

const settings = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"},"data":{"k":"1"}}`

// TestInvalidOptionsAreRefused: a misspelled action must not be another one, and an option without a
// meaning is not left out silently.
func TestInvalidOptionsAreRefused(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(a patchlab.Action) error {
		var all []error
		for result, err := range lab.Run(patchlab.Bytes(settings), patchlab.Bytes(settings+"\n---\n"+settings), patchlab.Change{Action: a}) {
			if result != nil {
				t.Errorf("action %q: a result", a)
			}
			all = append(all, err)
		}
		if len(all) != 1 {
			t.Errorf("action %q: %d errors, want one for the call", a, len(all))
		}
		return errors.Join(all...)
	}
	patched := func(typ patch.Type) error {
		_, err := lab.Patch(patchlab.Bytes(settings), patchlab.Bytes(`{"data":{"k":"2"}}`), patchlab.PatchOptions{Type: typ})
		return err
	}
	_, resolved := lab.Resolve(patchlab.Bytes(settings), patchlab.Bytes(settings), patchlab.ApplyOptions{Force: true}, nil)
	_, created := lab.Create(patchlab.Bytes(settings), patchlab.WriteOptions{Subresource: "status"})
	for _, test := range []struct {
		why    string
		err    error
		option string
		want   string
	}{
		{"a name of kubectl", run("replace"), "action", `"replace" is not one of apply, client-side-apply, create, update, json-patch, merge-patch, strategic-patch`},
		{"another case", run("Apply"), "action", `"Apply" is not one of`},
		{"conflicts of an apply with force", resolved, "force", "explain.Force"},
		{"a subresource of a new object", created, "subresource", "created without a subresource"},
		{"a type after the last", patched(patch.TypeStrategic + 1), "type", "unknown type"},
	} {
		var refused *patchlab.Error
		if !errors.As(test.err, &refused) || !errors.Is(test.err, patchlab.ErrInput) {
			t.Errorf("%s: %v is no *Error that wraps ErrInput", test.why, test.err)
			continue
		}
		if len(refused.Options) != 1 || refused.Options[0].Name != test.option || !strings.Contains(refused.Error(), test.want) {
			t.Errorf("%s: %v (options %v), want the option %s and %q", test.why, refused, refused.Options, test.option, test.want)
		}
	}
}

// documents is an Input of a caller's own.
type documents []*document.Document

func (d documents) Documents() ([]*document.Document, error) { return d, nil }

// TestInputsWithoutAnObject: an input of any type that holds no document is no object, which an apply
// then creates, and an Object that no Lab returned is an error of the caller.
func TestInputsWithoutAnObject(t *testing.T) {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	config := patchlab.Bytes(settings)
	for _, test := range []struct {
		why     string
		in      patchlab.Input
		refused bool // also as the live input
	}{
		{"nil", nil, false},
		{"a nil document", (*document.Document)(nil), false},
		{"a document without a value", &document.Document{}, false},
		{"an absent value", document.Value{}, false},
		{"a nil object", (*patchlab.Object)(nil), false},
		{"no bytes", patchlab.Bytes(nil), false},
		{"an input with nil documents", documents{nil, nil}, false},
		{"an object that no Lab returned", &patchlab.Object{}, true},
		{"files of no file system", patchlab.Files(nil, "go.mod"), true},
	} {
		result, err := lab.Apply(test.in, config, patchlab.ApplyOptions{})
		if test.refused && !errors.Is(err, patchlab.ErrInput) || !test.refused && (err != nil || !result.Created()) {
			t.Errorf("%s as the live object: %v", test.why, err)
		}
		calls := map[string]func() error{
			"Apply":   func() error { _, err := lab.Apply(config, test.in, patchlab.ApplyOptions{}); return err },
			"Patch":   func() error { _, err := lab.Patch(config, test.in, patchlab.PatchOptions{}); return err },
			"Create":  func() error { _, err := lab.Create(test.in, patchlab.WriteOptions{}); return err },
			"Open":    func() error { _, err := lab.Open(test.in); return err },
			"Changes": func() error { _, err := lab.Changes(test.in, test.in); return err },
			"Resolve": func() error { _, err := lab.Resolve(config, test.in, patchlab.ApplyOptions{}, nil); return err },
			"Alternatives": func() error {
				_, err := lab.Alternatives(config, test.in, patchlab.ApplyOptions{})
				return err
			},
		}
		for name, call := range calls {
			if err := call(); !errors.Is(err, patchlab.ErrInput) {
				t.Errorf("%s of %s: %v, want ErrInput", name, test.why, err)
			}
		}
	}
}

// TestZeroValues: methods of values that no Lab returned return errors or nothing.
func TestZeroValues(t *testing.T) {
	var o patchlab.Object
	if _, err := o.Owners(document.Keys("data")); !errors.Is(err, patchlab.ErrInput) {
		t.Errorf("Object.Owners: %v, want ErrInput", err)
	}
	if _, _, err := o.Extract("m", ""); !errors.Is(err, patchlab.ErrInput) {
		t.Errorf("Object.Extract: %v, want ErrInput", err)
	}
	if o.Join().Exists() || len(o.Migrate(nil, "m").Lines()) > 1 {
		t.Error("an Object without a value has fields")
	}
	var r patchlab.Result
	if r.Object().Exists() || len(r.Changes()) > 0 || r.Reasons() != nil {
		t.Error("a Result without an object has changes")
	}
	for _, err := range []error{&patchlab.Error{}, &patchlab.Error{Code: 409, Reason: "Conflict"}, &patchlab.OptionError{}} {
		if err.Error() == "" {
			t.Errorf("%#v has no message", err)
		}
	}
}
