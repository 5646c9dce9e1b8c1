package kinds

import (
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestStrategiesAreSorted checks that the strategies are sorted, because Of uses a
// binary search.
func TestStrategiesAreSorted(t *testing.T) {
	for i, s := range strategies {
		if builtin(s.Group, s.Resource) != s {
			t.Errorf("strategy %d (%s %s) is not found: the list is not sorted or has a duplicate", i, s.Group, s.Resource)
		}
	}
	if builtin("apps", "nothing") != nil {
		t.Error("an unknown resource has a strategy")
	}
}

// TestStrategiesAreComplete checks that every stored resource of the catalog has a
// strategy.
func TestStrategiesAreComplete(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	for k := range schema.NewRegistry(catalog).Kinds() {
		if k.Resource != "" && builtin(k.Group, k.Resource) == nil {
			t.Errorf("%s (%s) has no strategy", k, k.Resource)
		}
	}
}

func parse(t testing.TB, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

// kindOf returns a built-in kind of the latest Kubernetes version.
func kindOf(t testing.TB, group, version, resource string) *schema.Kind {
	t.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	k, ok := schema.NewRegistry(catalog).Resource(group, version, resource)
	if !ok {
		t.Fatalf("no resource %s in %s/%s", resource, group, version)
	}
	return k
}

// TestFieldPaths checks that a path is formatted as kube-apiserver formats it and
// resolves to its value.
func TestFieldPaths(t *testing.T) {
	v := parse(t, `{"spec":{"template":{"metadata":{"labels":{"a":"b"}}},"limits":{"x.y/z":1},"ports":[{"name":"p"}]}}`)
	object := newCheck(nil, "", v).root(v)
	spec := object.get("spec")
	ports := spec.get("ports")
	port, hidden := ports.item(0), ports.hiddenItem(0)
	template := spec.get("template")
	limits := spec.get("limits")
	metadata := template.getAs("metadata", "")
	for _, c := range []struct {
		of         field
		text, path string
	}{
		{object, "<nil>", "."},
		{port.get("name"), "spec.ports[0].name", ".spec.ports[0].name"},
		{hidden.get("name"), "spec.ports.name", ".spec.ports[0].name"},
		{template.getAs("metadata.labels", "labels"), "spec.template.labels", ".spec.template.metadata.labels"},
		{metadata.get("labels"), "spec.template.labels", ".spec.template.metadata.labels"},
		{limits.key("x.y/z"), "spec.limits[x.y/z]", `.spec.limits["x.y/z"]`},
	} {
		if got := c.of.pathText(); got != c.text {
			t.Errorf("text %q, want %q", got, c.text)
		}
		if got := c.of.path().String(); got != c.path {
			t.Errorf("path %s, want %s", got, c.path)
		}
		if !document.Equal(v.Follow(c.of.path()), c.of.Value) {
			t.Errorf("the path %s resolves to another value than the field", c.path)
		}
	}
}

// TestErrorsHaveValueAndRepeat checks that an error has the invalid value, and that errors of
// rules that kube-apiserver applies twice are reported twice.
func TestErrorsHaveValueAndRepeat(t *testing.T) {
	v := parse(t, `{"spec":{"replicas":-1}}`)
	c := newCheck(nil, "", v)
	object := c.root(v)
	spec := object.get("spec")
	c.minimum(spec.get("replicas"), 0)
	c.again(0, len(c.errs))
	c.need(spec.get("selector"))
	var got []string
	for _, e := range c.errs {
		got = append(got, e.Error())
	}
	const negative = "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
	want := []string{negative, negative, "spec.selector: Required value"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTooManyShowsTheNumber checks that a list with too many items is not part of the message.
func TestTooManyShowsTheNumber(t *testing.T) {
	c := newCheck(nil, "", parse(t, `{"list":[{"name":"a"},{"name":"b"}]}`))
	defer c.release()
	c.tooMany(c.root(c.object).get("list"), 1)
	if got, want := c.errs[0].Error(), "list: Too many: 2: must have at most 1 items"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestValidationAllocatesNothing checks that validation of a valid object does not
// allocate.
func TestValidationAllocatesNothing(t *testing.T) {
	for _, c := range []struct{ group, version, resource, object string }{
		{"", "v1", "configmaps", `{"data":{"a":"b","c":"d"},"binaryData":{"e":"AA=="}}`},
		{"", "v1", "secrets", `{"type":"kubernetes.io/tls","data":{"tls.crt":"AA==","tls.key":"AA=="}}`},
		{"resource.k8s.io", "v1", "resourceslices", `{"spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},` +
			`"devices":[{"name":"d","attributes":{"a":{"int":1},"b":{"version":"1.0.0"}},"capacity":{"m":{"value":"1Gi"}}}]}}`},
		{"policy", "v1", "poddisruptionbudgets", `{"spec":{"minAvailable":"50%","selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]}}}`},
	} {
		k, v := kindOf(t, c.group, c.version, c.resource), parse(t, c.object)
		s := builtin(c.group, c.resource)
		var errs []schema.FieldError
		allocs := testing.AllocsPerRun(10, func() { errs = s.Validate(k, "", v, v) })
		if len(errs) > 0 || allocs > 0 {
			t.Errorf("%s: %v allocations and errors %v", c.resource, allocs, errs)
		}
	}
}

// TestSemanticEquality checks that semantic equality of values agrees with apimachinery's
// equality.Semantic.
func TestSemanticEquality(t *testing.T) {
	port := func(value string) string {
		return `{"spec":{"containers":[{"lifecycle":{"preStop":{"httpGet":{"port":` + value + `}}}}]}}`
	}
	for _, c := range []struct {
		resource, a, b string
		want           bool
	}{
		{"persistentvolumeclaims", `{"spec":{"resources":{"requests":{"storage":"1Gi"}}}}`, `{"spec":{"resources":{"requests":{"storage":"1024Mi"}}}}`, true},
		{"persistentvolumeclaims", `{"spec":{"resources":{"requests":{"storage":"1Gi"}}}}`, `{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}`, false},
		{"persistentvolumeclaims", `{"spec":{"accessModes":[]}}`, `{"spec":{}}`, true},
		{"persistentvolumeclaims", `{"spec":{"selector":{"matchLabels":{}}}}`, `{"spec":{"selector":{}}}`, true},
		{"persistentvolumeclaims", `{"spec":{"selector":{}}}`, `{"spec":{}}`, false},
		{"persistentvolumeclaims", `{"spec":{"resources":{"requests":{"storage":"0"}}}}`, `{"spec":{"resources":{"requests":{}}}}`, false},
		{"pods", port(`80`), port(`81`), false},
		{"pods", port(`80`), port(`"80"`), false},
		{"pods", port(`80`), port(`null`), false},
		{"pods", port(`"http"`), port(`"http"`), true},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		check := newCheck(kindOf(t, "", "v1", c.resource), "", a)
		if got := check.same(check.root(a).get("spec"), check.root(b).get("spec")); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestValidationsAreInOrder: validationOf searches for a resource by halves.
func TestValidationsAreInOrder(t *testing.T) {
	for i, v := range validations {
		s := v.strategy
		if i > 0 {
			if before := validations[i-1].strategy; before.Group > s.Group || before.Group == s.Group && before.Resource >= s.Resource {
				t.Errorf("%s follows %s", s.Resource, before.Resource)
			}
		}
		if validationOf(s).strategy != s {
			t.Errorf("the validation of %s is not found", s.Resource)
		}
	}
}
