package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// constantsOf returns the values of the string constants in a file whose names have a
// prefix.
func constantsOf(t *testing.T, file, prefix string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				values = append(values, s)
			}
		}
		return true
	})
	if len(values) == 0 {
		t.Fatalf("%s has no constants %s…", file, prefix)
	}
	slices.Sort(values)
	return values
}

// rowsOf returns the names in the first column of a page's tables.
func rowsOf(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		found[m[1]] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// TestLimitsAreDocumented compares the limits with the table in doc/diff.md.
func TestLimitsAreDocumented(t *testing.T) {
	if got, want := rowsOf(t, "../doc/diff.md"), constantsOf(t, "limits.go", "Limit"); !slices.Equal(got, want) {
		t.Errorf("doc/diff.md lists %v, the limits are %v", got, want)
	}
}

// TestLimits checks the limits of each type of patch.
func TestLimits(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := catalog.Kind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	value := func(text string) document.Value {
		d, err := document.ParseYAML([]byte(text), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	from := value("spec: {template: {spec: {containers: [{name: a, args: [x]}], hostAliases: [{ip: '1'}], tolerations: [{key: k}]}}}")
	labelled := value("metadata: {labels: {a: x}, annotations: {a: x}}")
	for _, c := range []struct {
		why   string
		found []Limit
		want  string
	}{
		{"an index in a list", JSONLimits(from, value("[{op: add, path: /spec/template/spec/containers/0/args/0, value: y}]")), "json/index .spec.template.spec.containers"},
		{"the end of a list is not an index", JSONLimits(from, value("[{op: add, path: /spec/template/spec/containers/-, value: {}}]")), ""},
		{"a numeric member name", JSONLimits(value("data: {'0': x}"), value("[{op: add, path: /data/0, value: y}]")), ""},
		{"a field that may no longer exist", JSONLimits(from, value("[{op: remove, path: /spec/paused}]")), "json/absent "},
		{"a replaced member, which is added if it does not exist", JSONLimits(from, value("[{op: replace, path: /data, value: {}}]")), ""},
		{"a replaced member of an object that may no longer exist", JSONLimits(from, value("[{op: replace, path: /spec/paused, value: true}]")), "json/absent "},
		{"a list in a merge patch", MergeLimits(from, value("spec: {template: {spec: {containers: []}}}")), "merge/list .spec.template.spec.containers"},
		{"a new list", MergeLimits(from, value("spec: {template: {spec: {volumes: [{name: v}]}}}")), ""},
		{"a map in a merge patch", MergeLimits(labelled, value("metadata: {labels: null, annotations: {a: null}}")), "object .metadata.labels"},
		{"a map in a strategic merge patch", StrategicLimits(kind.Type(), labelled, value("metadata: {labels: null}")), "object .metadata.labels"},
		{"a map that a strategic merge patch replaces", StrategicLimits(kind.Type(), labelled, value("metadata: {labels: {$patch: replace, b: y}}")), "object .metadata.labels"},
		{"a map in a JSON patch", JSONLimits(labelled, value("[{op: remove, path: /metadata/labels}]")), "object .metadata.labels, json/absent "},
		{"a member of a map", JSONLimits(labelled, value("[{op: remove, path: /metadata/labels/a}]")), "json/absent "},
		{"an item that is an object", JSONLimits(from, value("[{op: remove, path: /spec/template/spec/containers/0}]")), "json/index .spec.template.spec.containers, json/absent "},
		{"an empty map and one that does not exist", MergeLimits(value("metadata: {labels: {}}"), value("metadata: {labels: null, annotations: null}")), ""},
		{"a list with a merge key", StrategicLimits(kind.Type(), from, value("spec: {template: {spec: {containers: [{name: b}], hostAliases: [{ip: '2'}]}}}")), ""},
		{"a list without a merge key", StrategicLimits(kind.Type(), from, value("spec: {template: {spec: {tolerations: []}}}")), "strategic/list .spec.template.spec.tolerations"},
	} {
		var got []string
		for _, l := range c.found {
			got = append(got, l.Rule+" "+l.Path.String())
		}
		if strings.TrimSuffix(strings.Join(got, ", "), ".") != c.want {
			t.Errorf("%s: %v, want %s", c.why, got, c.want)
		}
	}
}

// TestUnchangedItemsAreCounted checks the number of items that a replaced list keeps: the order of items and
// of members does not matter.
func TestUnchangedItemsAreCounted(t *testing.T) {
	value := func(text string) document.Value {
		d, err := document.Parse([]byte(text), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	limits := MergeLimits(value(`{"list": [{"a": 1, "b": "x"}, {"a": 2}, {"a": 3}, "three"]}`), value(`{"list": ["three", {"b": "x", "a": 1}, {"a": 4}]}`))
	if len(limits) != 1 || !strings.Contains(limits[0].Message, "(2 of 4 items unchanged)") {
		t.Errorf("%v", limits)
	}
}
