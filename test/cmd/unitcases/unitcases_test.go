package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// TestConvert: a create is a dry run in a namespace of its own, and an update has its subresource,
// the resourceVersion of the response and, outside namespaces, what removes the object. Recordings
// of kinds that are not served by default are left out, and repeated ones.
func TestConvert(t *testing.T) {
	recordings := t.TempDir()
	lines := `{"function":"ValidatePodCreate","apiVersion":"v1","kind":"Pod","object":{"metadata":{"namespace":"ns","resourceVersion":"1"},"spec":{}}}
{"function":"ValidateNodeStatusUpdate","apiVersion":"v1","kind":"Node","object":{"metadata":{"name":"n"}},"old":{"metadata":{"name":"m","uid":"u"}}}
{"function":"ValidateEvent","apiVersion":"v1","kind":"Event","object":{"metadata":{"name":"e","namespace":"ns"},"involvedObject":{"namespace":"ns"}}}
{"function":"ValidateEvent","apiVersion":"v1","kind":"Event","object":{"metadata":{"name":"e","namespace":"ns"},"involvedObject":{"namespace":"ns"}}}
{"function":"ValidateWorkload","apiVersion":"scheduling.k8s.io/v1alpha2","kind":"Workload","object":{"metadata":{"name":"w"}}}
`
	if err := os.WriteFile(filepath.Join(recordings, "1.jsonl"), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(recordings, "cases.jsonl")
	count, err := convert(recordings, "v1.36.3", file)
	if err != nil || count != 3 {
		t.Fatalf("%d cases, %v, want 3", count, err)
	}
	cases, err := conformance.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cases {
		for _, s := range c.Steps {
			id := c.Name[strings.LastIndexByte(c.Name, '-')+1:]
			got = append(got, strings.ReplaceAll(strings.TrimSpace(s.Request.Method+" "+s.Request.Path+" "+s.Request.Query+" "+s.Request.Body), "u-"+id, "NS"))
		}
	}
	want := []string{
		`POST /api/v1/namespaces/NS/pods dryRun=All {"metadata":{"name":"obj"},"spec":{}}`,
		`DELETE /api/v1/nodes/n`,
		`POST /api/v1/nodes  {"metadata":{"name":"n"}}`,
		`PUT /api/v1/nodes/n/status  {"metadata":{"name":"n","resourceVersion":"$RV1$"}}`,
		`DELETE /api/v1/nodes/n`,
		`POST /api/v1/namespaces/NS/events dryRun=All {"involvedObject":{"namespace":"NS"},"metadata":{"name":"e"}}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the requests are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestInstrument: only objects and parts of them are recorded, the new state first, and a package
// is tested if it validates.
func TestInstrument(t *testing.T) {
	source := t.TempDir()
	folder := filepath.Join(source, "pkg", "apis", "core", "validation")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	const before = `package validation

// ValidateThing is one.
func ValidateThing(oldThing, thing *core.Thing, path *field.Path, opts Options) field.ErrorList {
	return nil
}

func validateName(name string) {}

func helper(thing *core.Thing) {}
`
	for name, text := range map[string]string{"validation.go": before, "validation_test.go": "package validation\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	packages, err := instrument(source)
	if err != nil || strings.Join(packages, " ") != "k8s.io/kubernetes/pkg/apis/core/validation" {
		t.Errorf("the packages are %v, %v", packages, err)
	}
	after, err := os.ReadFile(filepath.Join(folder, "validation.go"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		"package validation\n", "package validation\n\nimport recorded \"k8s.io/kubernetes/pkg/apis/recorded\"\n\n",
		"field.ErrorList {\n", "field.ErrorList {\ndefer recorded.Enter(\"ValidateThing\", thing, oldThing)()\n\n",
	).Replace(before)
	if string(after) != want {
		t.Errorf("the instrumented file is\n%s\nwant\n%s", after, want)
	}
}
