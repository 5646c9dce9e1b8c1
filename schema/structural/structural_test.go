package structural

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func parse(t testing.TB, text string) document.Value {
	t.Helper()
	doc, err := document.ParseYAML([]byte(text), document.Options{MaxBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

// crdOf returns a CRD whose spec has the given schema.
func crdOf(t testing.TB, spec string) document.Value {
	t.Helper()
	return parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Thing, plural: things}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: `+spec+`}}}}
`)
}

// typeOf returns the type of a custom resource whose spec has the given schema.
func typeOf(t testing.TB, spec string) *schema.Type {
	t.Helper()
	crd, err := schema.FromCRD(crdOf(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	return crd.Kinds[0].Type()
}

func widget(t testing.TB) *schema.Type {
	t.Helper()
	data, err := os.ReadFile("../testdata/crds/widgets.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd, err := schema.FromCRD(parse(t, string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return crd.Kinds[0].Type()
}

const thing = "{apiVersion: example.com/v1, kind: Thing, metadata: {name: a, odd: 1}, spec: "

// spec returns the spec of an object as JSON.
func spec(v document.Value) string { return v.Get("spec").String() }

func TestPrune(t *testing.T) {
	for _, c := range []struct{ schema, in, want, unknown, reason string }{
		{"{type: object, properties: {a: {type: string}}}", "{a: x, b: 1, c: {d: 1}}", `{"a":"x"}`, "spec.b spec.c", "an undeclared member is removed with everything below it"},
		{"{type: array, items: {type: object, properties: {a: {type: string}}}}", "[{a: x, b: 1}, {c: 1}]", `[{"a":"x"},{}]`, "spec[0].b spec[1].c", "undeclared members of list items"},
		{"{type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}", "{k: {a: x, b: 1}}", `{"k":{"a":"x"}}`, "spec.k.b", "undeclared members of map values"},
		{"{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object, properties: {b: {type: string}}}}}", "{a: {c: 1}, z: {q: 1}}", `{"a":{},"z":{"q":1}}`, "spec.a.c", "preservation ends at declared properties"},
		{"{x-kubernetes-preserve-unknown-fields: true}", "[{a: 1}, [{b: 2}]]", `[{"a":1},[{"b":2}]]`, "", "a preserved member of any kind"},
		{"{type: object, additionalProperties: true}", "{k: {a: 1}, l: [{b: 1}], m: 1}", `{"k":{},"l":[{}],"m":1}`, "spec.k.a spec.l[0].b", "additionalProperties: true keeps members but empties objects in them"},
		{"{type: object}", "{a: 1}", "{}", "spec.a", "an object without a schema"},
		{"{type: string}", "{a: 1}", "{}", "spec.a", "an object in a scalar field"},
		{"{x-kubernetes-int-or-string: true}", "{a: 1}", "{}", "spec.a", "an object in a scalar field"},
		{"{type: object, x-kubernetes-embedded-resource: true, properties: {a: {type: string}}}", "{apiVersion: v1, kind: K, metadata: {x: 1}, b: 1}", `{"apiVersion":"v1","kind":"K","metadata":{"x":1}}`, "spec.b", "an embedded object keeps apiVersion, kind and metadata"},
		{"{type: object, properties: {a: {type: string}}}", "{apiVersion: v1, kind: K}", "{}", "spec.apiVersion spec.kind", "an object that is not embedded does not"},
		{"{type: object, properties: {a: {type: string}}}", "text", `"text"`, "", "scalars are left to validation"},
	} {
		in := parse(t, thing+c.in+"}")
		before := in.String()
		got, paths := Prune(typeOf(t, c.schema), in)
		var unknown []string
		for _, p := range paths {
			unknown = append(unknown, schema.FieldText(p))
			if !in.Follow(p).Exists() {
				t.Errorf("%s: %v leads nowhere", c.reason, p)
			}
		}
		if spec(got) != c.want || strings.Join(unknown, " ") != c.unknown {
			t.Errorf("%s:\ngot  %s without %v\nwant %s without %s", c.reason, spec(got), unknown, c.want, c.unknown)
		}
		if got.Get("metadata").String() != `{"name":"a","odd":1}` {
			t.Errorf("%s: metadata became %v", c.reason, got.Get("metadata"))
		}
		if in.String() != before {
			t.Errorf("%s: the input changed", c.reason)
		}
	}
}

func TestPruneOrder(t *testing.T) {
	_, paths := Prune(typeOf(t, "{type: array, items: {type: object}}"), parse(t, thing+"[{},{},{a: 1},{},{},{},{},{},{},{},{b: 1, a: 1}], status: 1}"))
	var got []string
	for _, p := range paths {
		got = append(got, schema.FieldText(p))
	}
	// kube-apiserver sorts the texts, so that 10 sorts before 2.
	if want := []string{"spec[10].a", "spec[10].b", "spec[2].a", "status"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestDefault(t *testing.T) {
	for _, c := range []struct{ schema, in, nulls, want, reason string }{
		{"{type: object, properties: {a: {type: integer, default: 1}}}", "{}", "{}", `{"a":1}`, "a missing member"},
		{"{type: object, properties: {a: {type: integer, default: 1}}}", "{a: 0}", `{"a":0}`, `{"a":0}`, "a zero value is not replaced"},
		{"{type: object, properties: {a: {type: integer, default: 1}}}", "{a: null}", `{"a":null}`, `{"a":1}`, "a null that is not nullable takes the default"},
		{"{type: object, properties: {a: {type: integer, default: 1, nullable: true}}}", "{a: null}", `{"a":null}`, `{"a":null}`, "a nullable null is kept"},
		{"{type: object, properties: {a: {type: integer}}}", "{a: null, b: null}", `{"b":null}`, `{"b":null}`, "a null without a default is removed; b has no schema"},
		{"{type: object, properties: {a: {type: object, default: {}, properties: {b: {type: string, default: x}}}}}", "{}", "{}", `{"a":{"b":"x"}}`, "defaults are set inside a default"},
		{"{type: object, properties: {a: {type: object, properties: {b: {type: string, default: x}}}}}", "{}", "{}", "{}", "members of a missing object are not defaulted"},
		{"{type: array, items: {type: object, properties: {a: {type: integer, default: 1}}}}", "[{}, {a: 2}, null]", `[{},{"a":2},null]`, `[{"a":1},{"a":2},null]`, "defaults in list items; null items are kept"},
		{"{type: array, items: {type: integer, default: 7}}", "[null, 1]", `[null,1]`, `[7,1]`, "a null item becomes the default of items"},
		{"{type: object, additionalProperties: {type: integer, default: 7}}", "{a: null, b: 1}", `{"a":null,"b":1}`, `{"a":7,"b":1}`, "a null map value becomes the default of values"},
		{"{type: object, additionalProperties: {type: integer}}", "{a: null, b: 1}", `{"b":1}`, `{"b":1}`, "a null map value is removed"},
		{"{type: object, additionalProperties: true}", "{a: null}", `{"a":null}`, `{"a":null}`, "a null without a schema"},
		{"{type: object, properties: {a: {type: integer, default: 1}}}", "text", `"text"`, `"text"`, "not an object"},
		{"{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, properties: {metadata: {type: object, properties: {labels: {type: object, default: {a: b}, additionalProperties: {type: string}}}}}}",
			"{metadata: {name: x}}", `{"metadata":{"name":"x"}}`, `{"metadata":{"labels":{"a":"b"},"name":"x"}}`, "metadata of an embedded object, by its own schema"},
	} {
		typ := typeOf(t, c.schema)
		in := parse(t, thing+c.in+"}")
		before := in.String()
		without := DropNulls(typ, in)
		got := defaulted(Default(typ, without))
		if spec(without) != c.nulls || spec(got) != c.want {
			t.Errorf("%s:\ngot  %s, %s\nwant %s, %s", c.reason, spec(without), spec(got), c.nulls, c.want)
		}
		if again := defaulted(Default(typ, got)); !document.SameNode(again, got) {
			t.Errorf("%s: defaulted again it is %v", c.reason, again)
		}
		if in.String() != before {
			t.Errorf("%s: the input changed", c.reason)
		}
	}
}

// TestUnchangedObjectIsReturnedItself: if nothing changes, the functions return the same object and do not
// allocate.
func TestUnchangedObjectIsReturnedItself(t *testing.T) {
	typ := widget(t)
	v := parse(t, `
apiVersion: lab.example.com/v1
kind: Widget
metadata: {name: a}
spec:
  replicas: 3
  size: 10%
  labels: {a: b, c: d}
  tags: [a, b, c]
  box: {unit: mm, width: 1}
  parts: [{name: a, count: 2}, {name: b, count: 3, subparts: [{id: 1, value: x}]}]
  ports: [{port: 80, protocol: TCP}, {port: 80, protocol: UDP}]
`)
	for name, walk := range map[string]func(document.Value) document.Value{
		"Prune":     func(v document.Value) document.Value { v, _ = Prune(typ, v); return v },
		"DropNulls": func(v document.Value) document.Value { return DropNulls(typ, v) },
		"Default":   func(v document.Value) document.Value { return defaulted(Default(typ, v)) },
	} {
		if got := walk(v); !document.SameNode(got, v) {
			t.Errorf("%s made %v", name, got)
		}
		if n := testing.AllocsPerRun(50, func() { walk(v) }); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	if errs := Validate(typ, v, Options{}); errs != nil {
		t.Errorf("valid, and yet %v", errs)
	}
}

func BenchmarkWalks(b *testing.B) {
	typ := widget(b)
	var items strings.Builder
	for i := range 1000 {
		items.WriteString("{name: part-" + decimal(int64(i)) + ", count: 1, value: some text, tags: [a, b]},")
	}
	v := parse(b, "{apiVersion: lab.example.com/v1, kind: Widget, metadata: {name: a}, spec: {replicas: 1, parts: ["+items.String()+"]}}")
	run := func(name string, walk func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				walk()
			}
		})
	}
	run("Prune", func() { Prune(typ, v) })
	run("DropNulls", func() { DropNulls(typ, v) })
	run("Default", func() { Default(typ, v) })
	run("Validate", func() { Validate(typ, v, Options{}) })
	run("Validate/update", func() { Validate(typ, v, Options{Old: v}) })
}
