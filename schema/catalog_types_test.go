package schema

import (
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// TestFieldTypes checks one field of each kind against the API's own documents.
func TestFieldTypes(t *testing.T) {
	c := builtin(t, "1.36")
	deployment := kindOf(t, c, "apps", "v1", "Deployment").Type()
	container := "spec.template.spec.containers[]"

	ports := typeAt(t, deployment, container+".ports").List
	want := []Key{{"containerPort", "0"}, {"protocol", `"TCP"`}}
	if ports.Kind != KeyedList || !slices.Equal(ports.Keys, want) {
		t.Errorf("container ports are list kind %d by %v, want keyed by %v", ports.Kind, ports.Keys, want)
	}
	if f, _ := fieldAt(t, deployment, container+".ports"); f.Strategy != StrategyMerge || f.MergeKey != "containerPort" {
		t.Errorf("container ports merge by strategy %d, key %q", f.Strategy, f.MergeKey)
	}
	if f, _ := fieldAt(t, deployment, "spec.strategy"); f.Strategy != StrategyRetainKeys {
		t.Errorf("spec.strategy has strategy %d, want retainKeys", f.Strategy)
	}
	if f, _ := fieldAt(t, deployment, "spec.template.spec.volumes"); f.Strategy != StrategyMerge|StrategyRetainKeys || f.MergeKey != "name" {
		t.Errorf("volumes have strategy %d, key %q, want merge and retainKeys by name", f.Strategy, f.MergeKey)
	}
	pdb := kindOf(t, c, "policy", "v1", "PodDisruptionBudget").Type()
	if f, _ := fieldAt(t, pdb, "spec.selector"); f.Strategy != StrategyReplace {
		t.Errorf("a PodDisruptionBudget's selector has strategy %d, want replace", f.Strategy)
	}

	if args := typeAt(t, deployment, container+".args").List; args.Kind != AtomicList {
		t.Errorf("args are list kind %d, want atomic", args.Kind)
	}
	if f := typeAt(t, deployment, "metadata.finalizers").List; f.Kind != SetList || f.Elem.Scalar != StringScalar {
		t.Errorf("finalizers are list kind %d, want a set of strings", f.Kind)
	}
	if s := typeAt(t, deployment, "spec.selector").Map; !s.Atomic {
		t.Error("a label selector is not atomic")
	}
	if l := typeAt(t, deployment, "metadata.labels").Map; l.Atomic || l.Elem.Scalar != StringScalar || len(l.Fields) > 0 {
		t.Errorf("labels are %+v, want a map of strings", l)
	}
	if r := typeAt(t, deployment, "spec").Map.Required; !slices.Equal(r, []string{"selector", "template"}) {
		t.Errorf("a Deployment's spec requires %v", r)
	}
}

func TestScalarProperties(t *testing.T) {
	c := builtin(t, "1.36")
	pod := kindOf(t, c, "", "v1", "Pod").Type()
	service := kindOf(t, c, "", "v1", "Service").Type()
	for _, x := range []struct {
		typ    *Type
		path   string
		scalar Scalar
		format string
	}{
		{pod, "spec.containers[].image", StringScalar, ""},
		{pod, "spec.priority", IntegerScalar, "int32"},
		{pod, "spec.activeDeadlineSeconds", IntegerScalar, "int64"},
		{pod, "spec.hostNetwork", BooleanScalar, ""},
		{pod, "metadata.creationTimestamp", StringScalar, "date-time"},
		{pod, "spec.containers[].resources.limits[*]", AnyScalar, "quantity"},
		{service, "spec.ports[].targetPort", IntOrStringScalar, ""},
		{kindOf(t, c, "", "v1", "Secret").Type(), "data[*]", StringScalar, "byte"},
		{kindOf(t, c, "coordination.k8s.io", "v1", "Lease").Type(), "spec.renewTime", StringScalar, "micro-time"},
	} {
		typ := typeAt(t, x.typ, x.path)
		if typ.Scalar != x.scalar || typ.Format != x.format {
			t.Errorf("%s is scalar %d, format %q; want %d, %q", x.path, typ.Scalar, typ.Format, x.scalar, x.format)
		}
	}
}

// TestSchemaless: fields without a schema are deduced by structured merge and keep unknown
// members.
func TestSchemaless(t *testing.T) {
	c := builtin(t, "1.36")
	raw := typeAt(t, kindOf(t, c, "apps", "v1", "ControllerRevision").Type(), "data")
	if raw.Map == nil || !raw.Map.Atomic || raw.Map.Elem != Untyped() || !raw.Map.PreserveUnknown {
		t.Errorf("a raw extension is %+v", raw.Map)
	}
	fields := typeAt(t, kindOf(t, c, "", "v1", "Pod").Type(), "metadata.managedFields[].fieldsV1")
	if fields.Map == nil || fields.Map.Elem != Deduced() || !fields.Map.PreserveUnknown {
		t.Errorf("fieldsV1 is %+v", fields.Map)
	}
	crd := kindOf(t, c, "apiextensions.k8s.io", "v1", "CustomResourceDefinition").Type()
	props := typeAt(t, crd, "spec.versions[].schema.openAPIV3Schema")
	if props != typeAt(t, props, "properties[*]") {
		t.Error("a JSON schema's properties are not of its own type")
	}
}

func TestGoFieldProperties(t *testing.T) {
	c := builtin(t, "1.36")
	deployment := kindOf(t, c, "apps", "v1", "Deployment").Type()
	pod := kindOf(t, c, "", "v1", "Pod").Type()
	for _, x := range []struct {
		typ    *Type
		path   string
		want   GoField
		reason string
	}{
		{deployment, "spec.replicas", GoPointer | GoOmitEmpty, "a pointer, because 0 differs from the default"},
		{deployment, "spec.template", 0, "always written"},
		{deployment, "spec.paused", GoOmitEmpty, "false is not stored"},
		{deployment, "apiVersion", GoOmitEmpty | GoInline, "a field of the embedded TypeMeta"},
		{pod, "spec.ephemeralContainers[].image", GoOmitEmpty | GoInline, "a field of the embedded EphemeralContainerCommon"},
		{pod, "spec.containers[].name", 0, "an empty name is written"},
	} {
		if f, _ := fieldAt(t, x.typ, x.path); f.Go != x.want {
			t.Errorf("%s (%s): %b, want %b", x.path, x.reason, f.Go, x.want)
		}
	}
}

func TestTakesScalar(t *testing.T) {
	kinds := []document.Kind{document.String, document.Number, document.Bool}
	for _, c := range []struct {
		typ    Type
		want   [3]bool
		reason string
	}{
		{Type{Scalar: StringScalar}, [3]bool{true, false, false}, "a string"},
		{Type{Scalar: StringScalar, Format: "byte"}, [3]bool{true, false, false}, "bytes are written as a string"},
		{Type{Scalar: StringScalar, Format: "date-time"}, [3]bool{true, true, true}, "schemaconv leaves strings with a format untyped"},
		{Type{Scalar: IntegerScalar, Format: "int32"}, [3]bool{false, true, false}, "numeric for any format"},
		{Type{Scalar: NumberScalar}, [3]bool{false, true, false}, "numeric"},
		{Type{Scalar: BooleanScalar}, [3]bool{false, false, true}, "a boolean"},
		{Type{Scalar: IntOrStringScalar}, [3]bool{true, true, true}, "untyped"},
		{Type{Scalar: AnyScalar}, [3]bool{true, true, true}, "untyped"},
		{Type{}, [3]bool{}, "not a scalar"},
	} {
		for i, k := range kinds {
			if got := c.typ.TakesScalar(k); got != c.want[i] {
				t.Errorf("%+v (%s) takes a %v: %v", c.typ, c.reason, k, got)
			}
		}
		if c.typ.TakesScalar(document.List) || c.typ.TakesScalar(document.Null) {
			t.Errorf("%+v accepts a value that is not a scalar", c.typ)
		}
	}
}
