package patch_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

func TestApplyChoosesTypeAndForm(t *testing.T) {
	deployment := kindOf(t, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	for _, c := range []struct {
		why, object, patch, want string
		kind                     *schema.Kind
		typ                      patch.Type
	}{
		{"a list is a JSON patch", `{"a":1}`, `[{"op":"remove","path":"/a"}]`, `{}`, nil, patch.TypeJSON},
		{"a YAML list is a JSON patch", "a: 1\nb: 2\n", "- op: remove\n  path: /a\n", "b: 2\n", nil, patch.TypeJSON},
		{"an object is a merge patch for an unknown kind", "a: 1\n", `{"b":"x"}`, "a: 1\nb: x\n", nil, patch.TypeMerge},
		{"an object is a strategic merge patch for a built-in kind", `{"spec":{"template":{"spec":{"containers":[{"name":"a"}]}}}}`, `{"spec":{"template":{"spec":{"containers":[{"name":"b"}]}}}}`,
			`{"spec":{"template":{"spec":{"containers":[{"name":"b"},{"name":"a"}]}}}}`, deployment, patch.TypeStrategic},
	} {
		got, typ, err := patch.Apply([]byte(c.object), []byte(c.patch), patch.Request{Kind: c.kind})
		if err != nil || string(got) != c.want || typ != c.typ {
			t.Errorf("%s: got %q, %s, %v; wanted %q, %s", c.why, got, typ, err, c.want, c.typ)
		}
	}
}

func TestApplyErrors(t *testing.T) {
	for _, c := range []struct {
		why, object, patch string
		typ                patch.Type
		want               []string
	}{
		{"the operation of a JSON patch", `{"spec":{"replicas":1}}`, "[{\"op\":\"test\",\"path\":\"/x\"},\n {\"op\":\"remove\",\"path\":\"/spec/replica\"}]", patch.TypeJSON,
			[]string{"p.json:2:2: ", "operation 1 (remove /spec/replica): ", `missing key: "replica"`, `did you mean "replicas"?`}},
		{"a parent that does not exist", `{"metadata":{}}`, `[{"op":"add","path":"/metadata/annotations/a","value":"b"}]`, patch.TypeJSON,
			[]string{`missing key: "annotations"; add it first, with the value {}; a slash in a key is written ~1`}},
		{"a slash in a key", `{"metadata":{"annotations":{"x.example/a":"b"}}}`, `[{"op":"add","path":"/metadata/annotations/y.example/b","value":"b"}]`, patch.TypeJSON,
			[]string{`missing key: "y.example"; did you mean "x.example/a"? add it first, with the value {}; a slash in a key is written ~1`}},
		{"a field to remove that is not there", `{"spec":{}}`, `[{"op":"remove","path":"/spec/nodeSelector"}]`, patch.TypeJSON,
			[]string{`missing key: "nodeSelector"; a merge patch with null removes a field that may be missing`}},
		{"the position in YAML", "a: {}\n", "- op: add\n  path: /a/b/c\n  value: 1\n", patch.TypeJSON, []string{"p.json:1:3", "operation 0 (add /a/b/c)"}},
		{"a syntax error of the patch", `{}`, `{"a":[1}`, patch.TypeMerge, []string{"p.json:1:8"}},
		{"a duplicate key", `{}`, `{"a":1,"a":2}`, patch.TypeMerge, []string{"p.json:1:8", `"a"`, "duplicated"}},
		{"a duplicate key of the object", `{"a":1,"a":2}`, `{}`, patch.TypeMerge, []string{"o.json:1:8"}},
		{"a strategic merge patch for a custom resource", `{}`, `{}`, patch.TypeStrategic, []string{"accepted media types include: application/json-patch+json"}},
		{"values with equal text", `{"a":1}`, `[{"op":"test","path":"/a","value":1.0}]`, patch.TypeJSON, []string{"the test failed", "compares their text"}},
		{"an empty document", `{}`, ``, patch.TypeMerge, []string{"p.json", "no document"}},
	} {
		out, _, err := patch.Apply([]byte(c.object), []byte(c.patch), patch.Request{Type: c.typ, ObjectName: "o.json", PatchName: "p.json"})
		if err == nil || out != nil {
			t.Errorf("%s: no error", c.why)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", c.why, err, part)
			}
		}
	}
}

// TestApplyErrorsOfInputsWithoutNames: an error shows which of the two inputs it is about.
func TestApplyErrorsOfInputsWithoutNames(t *testing.T) {
	for _, c := range []struct{ object, patch, want string }{
		{``, `{}`, "object: the input contains no document"},
		{`{}`, ``, "patch: the input contains no document"},
		{`{}`, `[{"op":"remove","path":"/a"}]`, "patch:1:2: operation 0 (remove /a): "},
	} {
		if _, _, err := patch.Apply([]byte(c.object), []byte(c.patch), patch.Request{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, want %s", c.object, c.patch, err, c.want)
		}
	}
}

func TestStrategicErrorNamesThePath(t *testing.T) {
	_, err := patch.Strategic(parse(t, abc), parse(t, `{"items":[{"name":"a"},{"value":"1"}]}`), labType(), patch.Options{})
	var e *patch.Error
	if !errors.As(err, &e) || e.Path.String() != ".items[1]" || e.Code() != 500 {
		t.Errorf("got %v", err)
	}
}

// TestObserver: decisions have the name of the rule and the path of the field after the
// patch.
func TestObserver(t *testing.T) {
	var got []string
	o := patch.Options{Observer: func(d patch.Decision) {
		got = append(got, d.Outcome.String()+" "+d.Path.String()+" by "+string(d.Rule))
	}}
	change := parse(t, `{"items":[{"name":"n","value":"1"},{"name":"c","value":null},{"$patch":"delete","name":"a"}],"text":"x","labels":null}`)
	if _, err := patch.Strategic(parse(t, abc), change, labType(), o); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"added .items[0] by strategic/new-item",
		"merged .items[2] by strategic/merge-key",
		"kept .items[2].name by strategic/same-value",
		"removed .items[2].value by strategic/null-removes",
		"removed .items[0] by strategic/patch-delete",
		"ignored .labels by strategic/null-of-nothing",
		"added .text by strategic/value-is-added",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	got = nil
	if _, err := patch.Strategic(parse(t, abc), parse(t, `{"text":"x","items":[null]}`), labType(), o); err == nil || got != nil {
		t.Errorf("a patch that fails decided %v", got)
	}
	if _, err := patch.Merge(parse(t, `{"a":{"b":1},"c":1}`), parse(t, `{"a":{"b":null},"c":1}`), o); err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(got, ", "); s != "merged .a by merge/object-into-object, removed .a.b by merge/null-removes, kept .c by merge/same-value" {
		t.Error(s)
	}
	got = nil
	if _, err := patch.JSON(parse(t, `{"a":{"b":[1]}}`), parse(t, `[{"op":"add","path":"/a/b/0","value":2},{"op":"replace","path":"/a/c"},{"op":"move","from":"/a/b/1","path":"/d"}]`), o); err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(got, ", "); s != "added .a.b[0] by json/add, added .a.c by json/replace, removed .a.b[1] by json/move, added .d by json/move" {
		t.Error(s)
	}
}

// TestConcurrentUse: many goroutines may use the same object and patch.
func TestConcurrentUse(t *testing.T) {
	object, change := parse(t, abc), parse(t, `{"items":[{"name":"n"},{"name":"c","value":"9"}]}`)
	ops := parse(t, `[{"op":"copy","from":"/items/0","path":"/items/-"},{"op":"remove","path":"/items/1"}]`)
	typ := labType()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				a, err := patch.Strategic(object, change, typ, patch.Options{})
				b, err2 := patch.JSON(object, ops, patch.Options{})
				if err != nil || err2 != nil || a.Get("items").Len() != 4 || b.Get("items").Len() != 3 {
					t.Error(a, err, b, err2)
					return
				}
			}
		})
	}
	wg.Wait()
	if object.String() != document.Value(parse(t, abc)).String() {
		t.Error("the object was changed")
	}
}

// TestUnknownTypesAreRefused: a number that is no type of patch must not be a strategic merge patch.
func TestUnknownTypesAreRefused(t *testing.T) {
	deployment := kindOf(t, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	unknown := patch.TypeStrategic + 1
	_, typ, err := patch.Apply([]byte(`{}`), []byte(`{"spec":{"replicas":2}}`), patch.Request{Type: unknown, Kind: deployment})
	if !errors.Is(err, patch.ErrUnsupported) || typ != unknown {
		t.Errorf("type %v: %v, want ErrUnsupported", typ, err)
	}
}
