package schema

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

func parse(t testing.TB, text string) document.Value {
	t.Helper()
	doc, err := document.ParseYAML([]byte(text), document.Options{MaxBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

func readCRD(t testing.TB, name string) *CRD {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "crds", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	crd, err := FromCRD(parse(t, string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

func TestCRD(t *testing.T) {
	crd := readCRD(t, "widgets")
	if crd.Name != "widgets.lab.example.com" || crd.Group != "lab.example.com" || crd.Kind != "Widget" || crd.Plural != "widgets" ||
		!crd.Namespaced || crd.Stored != "v1" || crd.Conversion != "None" || !slices.Equal(crd.ShortNames, []string{"wdg"}) {
		t.Errorf("%+v", crd)
	}
	var order, declared []string
	for _, k := range crd.Kinds {
		order = append(order, k.APIVersion())
	}
	for _, k := range crd.Declared {
		declared = append(declared, k.Version)
	}
	if !slices.Equal(order, []string{"lab.example.com/v1", "lab.example.com/v1beta1"}) || !slices.Equal(declared, []string{"v1beta1", "v1"}) {
		t.Errorf("served %v, declared %v", order, declared)
	}
	k := crd.Kinds[0]
	if k.Builtin || !k.Storage || !k.Status || crd.Kinds[1].Storage {
		t.Errorf("%+v", k)
	}
	if *k.Scale != (Scale{".spec.replicas", ".status.replicas", ".status.selector"}) {
		t.Errorf("scale is %+v", k.Scale)
	}
	if s, ok := k.Subresource("status"); !ok || s.Kind != k.GroupVersionKind {
		t.Errorf("status carries %v", s)
	}
}

func TestCRDTypes(t *testing.T) {
	widget := readCRD(t, "widgets").Kinds[0].Type()
	ports := typeAt(t, widget, "spec.ports").List
	if want := []Key{{"port", ""}, {"protocol", `"TCP"`}}; ports.Kind != KeyedList || !slices.Equal(ports.Keys, want) {
		t.Errorf("ports are list kind %d by %v, want %v", ports.Kind, ports.Keys, want)
	}
	if l := typeAt(t, widget, "spec.plain").List; l.Kind != AtomicList {
		t.Errorf("a list without a list type is of kind %d", l.Kind)
	}
	if s := typeAt(t, widget, "spec.size"); s.Scalar != IntOrStringScalar || s.Validation != nil {
		t.Errorf("int-or-string is %+v", s)
	}
	if !typeAt(t, widget, "spec.note").Nullable || typeAt(t, widget, "spec.paused").Nullable {
		t.Error("nullable is read wrongly")
	}
	f, replicas := fieldAt(t, widget, "spec.replicas")
	if f.Default != "1" || f.DefaultValue().String() != "1" || *replicas.Validation.Minimum != 0 {
		t.Errorf("replicas default to %q, minimum %v", f.Default, replicas.Validation)
	}
	if !typeAt(t, widget, "spec.frozen").Map.Atomic || typeAt(t, widget, "spec.box").Map.Atomic {
		t.Error("map types are read wrongly")
	}
	if m := typeAt(t, widget, "spec.box").Map; m.Elem != nil || m.PreserveUnknown {
		t.Error("an object with properties takes others")
	}

	// The root and metadata have the types of all objects, although the schema declares
	// metadata only as an object.
	meta := typeAt(t, widget, "metadata")
	if meta.Name != objectMetaName || !widget.Map.Object || len(widget.Map.Meta) != 3 {
		t.Errorf("metadata is %s, Object %v, Meta %v", meta.Name, widget.Map.Object, widget.Map.Meta)
	}
	plain := readCRD(t, "plains").Kinds[0].Type()
	if typeAt(t, plain, "metadata").Name != objectMetaName || typeAt(t, plain, "kind").Scalar != StringScalar || len(plain.Map.Meta) != 0 {
		t.Error("a schema without metadata does not get it")
	}
}

// TestPreserve: x-kubernetes-preserve-unknown-fields extends to nested schemas in
// structured merge, but not in pruning.
func TestPreserve(t *testing.T) {
	gadget := readCRD(t, "gadgets").Kinds[0].Type()
	for _, c := range []struct {
		path           string
		deduced, keeps bool
	}{
		{"spec", true, true},
		{"closed", true, false},
		{"template", true, true},
		{"spec.list[]", true, true},
	} {
		m := typeAt(t, gadget, c.path).Map
		if (m.Elem == Deduced()) != c.deduced || m.PreserveUnknown != c.keeps {
			t.Errorf("%s: deduced %v, keeps %v; want %v, %v", c.path, m.Elem == Deduced(), m.PreserveUnknown, c.deduced, c.keeps)
		}
	}
	if typeAt(t, gadget, "template.metadata").Name != objectMetaName {
		t.Error("an embedded resource has no metadata of its own")
	}
}

const smallCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: true
    additionalPrinterColumns: [{name: Age, type: date, jsonPath: .metadata.creationTimestamp, priority: 1}]
    selectableFields: [{jsonPath: .status.color}]
    schema: {openAPIV3Schema: {type: object, properties: {spec: SCHEMA, status: {type: object, properties: {color: {type: string}}}}}}
  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
`

func TestCRDDefaults(t *testing.T) {
	crd, err := FromCRD(parse(t, strings.Replace(smallCRD, "SCHEMA", "{type: string}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	k := crd.Kinds[0]
	if k.Singular != "thing" || k.ListKind != "ThingList" || k.Namespaced || len(crd.Kinds) != 1 || len(crd.Declared) != 2 {
		t.Errorf("%+v", k)
	}
	if k.Warning != "example.com/v1 Thing is deprecated" {
		t.Errorf("the warning is %q", k.Warning)
	}
	if len(k.Columns) != 1 || k.Columns[0].Priority != 1 || !slices.Equal(k.Selectable, []string{".status.color"}) {
		t.Errorf("columns %v, selectable %v", k.Columns, k.Selectable)
	}
	if m := crd.Declared[1].Type().Map; m.Elem != nil || len(m.Fields) != 3 {
		t.Errorf("a root without properties takes others: %+v", m)
	}
}

func TestInvalidCRD(t *testing.T) {
	const at = "spec.versions[0].schema.openAPIV3Schema.properties[spec]"
	for _, c := range []struct{ old, new, want, reason string }{
		{"SCHEMA", "{}", at + ".type: Required value: must not be empty for specified object fields", "a missing type"},
		{"SCHEMA", "{type: text}", at + ".type: Unsupported value", "an unknown type"},
		{"SCHEMA", "{type: array}", at + ".items: Required value", "a list without items"},
		{"SCHEMA", "{type: [string]}", at + ".type: Invalid value", "two types"},
		{"SCHEMA", "text", at + ": Invalid value", "a missing schema"},
		{"SCHEMA", "{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}", at + ".additionalProperties: Forbidden", "both properties and additionalProperties"},
		{"SCHEMA", "{type: array, x-kubernetes-list-type: map, items: {type: object}}", at + ".x-kubernetes-list-map-keys: Required value", "a keyed list without keys"},
		{"SCHEMA", "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: object, properties: {a: {type: string}}}}", at + ".items.properties[a].default: Required value", "a key that is neither required nor defaulted"},
		{"SCHEMA", "{type: array, x-kubernetes-list-type: set, items: {type: object}}", at + ".items.x-kubernetes-map-type: Invalid value", "a set of objects that are not atomic"},
		{"SCHEMA", "{type: string, anyOf: [{type: string}]}", at + ".anyOf[0].type: Forbidden", "a type inside a junctor"},
		{"SCHEMA", `{type: string, pattern: "("}`, at + ".pattern: Invalid value", "an invalid regular expression"},
		{"SCHEMA", "{$ref: x}", at + ".$ref: Forbidden", "a reference"},
		{"SCHEMA", "{type: string, default: x, nullable: 1}", at + ".nullable: Invalid value", "a number in a boolean keyword"},
		{"SCHEMA", "{type: array, items: [{type: string}]}", at + ".items: Forbidden", "a list of item schemas"},
		{"SCHEMA", "{type: object, uniqueItems: true}", at + ".uniqueItems: Forbidden", "uniqueItems"},
		{"SCHEMA", "{type: string, not: {uniqueItems: true}}", at + ".not.uniqueItems: Forbidden", "uniqueItems below a junctor"},
		{"SCHEMA", "{x-kubernetes-preserve-unknown-fields: false}", at + ".x-kubernetes-preserve-unknown-fields: Invalid value: false", "x-kubernetes-preserve-unknown-fields: false"},
		{"SCHEMA", "{x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}", at + ".x-kubernetes-preserve-unknown-fields: Invalid value", "int-or-string with properties"},
		{"SCHEMA", "{type: string, x-kubernetes-map-type: atomic}", at + ".type: Invalid value", "a map type on a scalar"},
		{"SCHEMA", "{type: object, x-kubernetes-map-type: odd}", at + ".x-kubernetes-map-type: Unsupported value", "an unknown map type"},
		{"SCHEMA", "{type: string, x-kubernetes-list-type: set}", at + ".type: Invalid value", "a list type on a scalar"},
		{"SCHEMA", "{type: array, x-kubernetes-list-type: odd, items: {type: string}}", at + ".x-kubernetes-list-type: Unsupported value", "an unknown list type"},
		{"SCHEMA", "{type: array, x-kubernetes-list-map-keys: [a], items: {type: string}}", at + ".x-kubernetes-list-type: Required value", "keys of a list that is not keyed"},
		{"SCHEMA", "{type: array, x-kubernetes-list-type: set, items: {type: string, nullable: true}}", at + ".items.nullable: Forbidden", "nullable items of a set"},
		{"SCHEMA", "{type: array, x-kubernetes-list-type: set, items: {type: array, x-kubernetes-list-type: set, items: {type: string}}}", at + ".items.x-kubernetes-list-type: Invalid value", "a set of sets"},
		{"SCHEMA", "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, a, b], items: {type: object, required: [a], properties: {a: {type: object}}}}", at + ".items.properties[a].type: Invalid value", "a key that is not a scalar"},
		{"SCHEMA", "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: object}}", at + ".x-kubernetes-list-map-keys: Invalid value", "a key that is not a property"},
		{"SCHEMA", "{type: string, x-kubernetes-embedded-resource: true}", at + ".type: Invalid value", "an embedded resource that is not an object"},
		{"SCHEMA", "{type: object, x-kubernetes-embedded-resource: true}", at + ".properties: Required value", "an embedded resource without properties"},
		{"SCHEMA", "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, additionalProperties: {type: string}}", at + ".additionalProperties: Forbidden", "an embedded resource with additionalProperties"},
		{"SCHEMA", "{type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: integer}}}", at + ".properties[kind].type: Invalid value", "a kind that is not a string"},
		{"SCHEMA", "{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, additionalProperties: {type: string, default: x}}}}", at + ".properties[metadata].additionalProperties.default: Forbidden", "a default in metadata"},
		{"SCHEMA", "{type: string, x-kubernetes-validations: [{message: x}]}", at + ".x-kubernetes-validations[0].rule: Required value", "a rule without a rule"},
		{"SCHEMA", "{type: object, allOf: [{properties: {metadata: {minLength: 1}}}]}", at + ".allOf[0].properties[metadata]: Forbidden", "a restriction of metadata"},
		{"{openAPIV3Schema: {type: object,", "{openAPIV3Schema: {type: object, nullable: true,", "spec.versions[0].schema.openAPIV3Schema.nullable: Forbidden", "a nullable root"},
		{"{openAPIV3Schema: {type: object,", "{openAPIV3Schema: {type: object, anyOf: [{properties: {b: {minLength: 1}}, items: {minLength: 1}}],", "spec.versions[0].schema.openAPIV3Schema.properties[b]: Required value: because it is defined in", "a property that is validated but not declared"},
		{"{openAPIV3Schema: {type: object, properties: {", "{openAPIV3Schema: {type: object, properties: {metadata: {type: object, properties: {labels: {type: object}}}, ", "spec.versions[0].schema.openAPIV3Schema.properties[metadata]: Forbidden", "a restriction of metadata other than the name"},
		{"{openAPIV3Schema: {type: object, properties: {", "{openAPIV3Schema: {type: object, properties: {kind: {type: string, default: x}, ", "spec.versions[0].schema.openAPIV3Schema.properties[kind].default: Forbidden", "a default for kind"},
		{"schema: {openAPIV3Schema", "schema: {other", "spec.versions[0].schema.openAPIV3Schema: Required value", "a missing schema"},
		{"deprecated: true", "subresources: {scale: {specReplicasPath: .replicas, statusReplicasPath: .status.replicas}}", "spec.versions[0].subresources.scale.specReplicasPath: Invalid value", "specReplicasPath outside spec"},
		{"deprecated: true", "subresources: {scale: {specReplicasPath: replicas, statusReplicasPath: .status.replicas}}", "spec.versions[0].subresources.scale.specReplicasPath: Invalid value: \"replicas\": must be a simple json path", "an invalid scale path"},
		{".status.color", ".status.size", "spec.versions[0].selectableFields[0].jsonPath: Invalid value: \".status.size\": is an invalid path", "a selectable field that does not exist"},
		{".status.color", ".status", "spec.versions[0].selectableFields[0].jsonPath: Invalid value: \".status\": must point to a field of type string", "a selectable field that is an object"},
		{"{jsonPath: .status.color}", "{jsonPath: .status.color}, {jsonPath: .status.color}", "spec.versions[0].selectableFields[1].jsonPath: Duplicate value", "a duplicate selectable field"},
		{"{openAPIV3Schema: {type: object,", "{openAPIV3Schema: {type: object, id: x,", "spec.versions[0].schema.openAPIV3Schema.id: Forbidden", "a keyword that is not supported"},
		{"{openAPIV3Schema: {type: object,", "{openAPIV3Schema: {type: object, $schema: x,", "spec.versions[0].schema.openAPIV3Schema: Invalid value", "a keyword that structural schemas forbid"},
		{"deprecated: true", "subresources: {status: {}}", "spec.versions[0].schema.openAPIV3Schema: Invalid value", "a rule about the status in the root"},
		{"  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n", "", "spec.validation.openAPIV3Schema.properties[spec].type: Required value", "a schema shared by all versions"},
		{"deprecated: true", "subresources: {scale: {specReplicasPath: .spec.a}}", "spec.versions[0].subresources.scale.statusReplicasPath: Required value", "an incomplete scale"},
		{"kind: Thing,", "", "spec.names.kind: Required value", "a missing kind"},
		{"scope: Cluster", "scope: All", "spec.scope: Unsupported value", "an unknown scope"},
		{"name: things.example.com", "name: thing.example.com", "metadata.name: Invalid value", "a name that is not plural.group"},
		{"storage: false", "storage: true", "spec.versions: Invalid value", "two storage versions"},
		{"v1alpha1", "v1", "spec.versions: Invalid value: must contain unique version names", "a duplicate version"},
		{"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1", "kind: Invalid value", "a stored version that is not listed"},
	} {
		text := strings.Replace(smallCRD, c.old, c.new, 1)
		rest := "{type: string}"
		if strings.HasPrefix(c.want, "spec.validation") {
			rest = "{}"
		}
		if strings.Contains(c.new, "status: {}") {
			text = strings.Replace(text, "{type: object, properties", "{type: object, enum: [{}], properties", 1)
		}
		_, err := FromCRD(parse(t, strings.Replace(text, "SCHEMA", rest, 1)))
		var bad *InvalidCRD
		if !errors.Is(err, ErrInvalidCRD) || !errors.As(err, &bad) {
			t.Errorf("%s: error %v", c.reason, err)
			continue
		}
		if !slices.ContainsFunc(bad.Errors, func(e FieldError) bool { return strings.HasPrefix(e.Error(), c.want) }) {
			t.Errorf("%s: %v, want %s", c.reason, bad.Errors, c.want)
		}
		if !strings.Contains(err.Error(), bad.Errors[0].Error()) {
			t.Errorf("%s: the message %q hides the first error", c.reason, err)
		}
	}
}

// TestInvalidCRDIsBounded: the number of broken schemas does not affect the length of the
// message.
func TestInvalidCRDIsBounded(t *testing.T) {
	var props strings.Builder
	for range 5000 {
		props.WriteString("{},")
	}
	_, err := FromCRD(parse(t, strings.Replace(smallCRD, "SCHEMA", "{type: object, anyOf: ["+strings.ReplaceAll(props.String(), "{}", "{type: x}")+"]}", 1)))
	var bad *InvalidCRD
	if !errors.As(err, &bad) || len(bad.Errors) != maxErrors || len(err.Error()) > 1000 {
		t.Errorf("%d errors, message of %d bytes", len(bad.Errors), len(err.Error()))
	}
}

func FuzzFromCRD(f *testing.F) {
	files, _ := filepath.Glob("testdata/crds/*.yaml") // the pattern is valid
	if len(files) == 0 {
		f.Fatal("no definitions in testdata/crds")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(strings.Replace(smallCRD, "SCHEMA", "{x-kubernetes-int-or-string: true, not: {required: [a]}}", 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := document.ParseYAML(data, document.Options{})
		if err != nil {
			return
		}
		crd, err := FromCRD(doc.Root)
		if (crd == nil) == (err == nil) {
			t.Fatalf("crd %v, error %v", crd, err)
		}
		if err != nil {
			if !errors.Is(err, ErrInvalidCRD) {
				t.Fatalf("an error of another sort: %v", err)
			}
			return
		}
		for _, k := range crd.Declared {
			w := typeWalk{t: t, seen: map[*Type]bool{}}
			w.walk(k.Kind, k.Type())
		}
	})
}

func TestInvalidCRDWithoutErrors(t *testing.T) {
	if got, want := (&InvalidCRD{Name: "a"}).Error(), `invalid CustomResourceDefinition "a"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
