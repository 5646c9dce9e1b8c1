package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/schema"
)

func builtinKinds(t *testing.T) *schema.Registry {
	t.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	return schema.NewRegistry(catalog)
}

// TestSchemaOfEveryKind describes every field of every built-in kind. The merge
// strategy must follow from the field's type, unless the field is within an atomic one, and
// looking up the printed path must return the same field.
func TestSchemaOfEveryKind(t *testing.T) {
	registry := builtinKinds(t)
	fields, keyed := 0, 0
	var check func(d *describer, f *fieldMerge, atomic string)
	check = func(d *describer, f *fieldMerge, atomic string) {
		fields++
		apply := explain.Merges(f.t)
		if atomic != "" {
			apply = "part of " + atomic + ": replaced with it"
		} else if strings.HasPrefix(apply, "atomic ") {
			atomic = f.Path
		}
		if f.Type == "" || f.Strategic == "" || f.Merge == "" || !strings.HasPrefix(f.Apply, apply) {
			t.Errorf("%s %s is described as %+v", d.kind.GroupVersionKind, f.Path, f)
		}
		if f.ListType == "map" {
			if keyed++; len(f.Keys) == 0 {
				t.Errorf("%s %s is a keyed list without keys", d.kind.GroupVersionKind, f.Path)
			}
		}
		for _, kid := range f.Fields {
			check(d, kid, atomic)
		}
	}
	kinds := 0
	for k := range registry.Kinds() {
		if k.Resource == "" {
			continue
		}
		kinds++
		d, err := newDescriber(registry, k)
		if err != nil {
			t.Fatal(err)
		}
		root := d.root()
		if err := d.members(root, true); err != nil {
			t.Fatal(err)
		}
		check(d, root, "")
		for _, f := range root.Fields {
			if again, err := d.at(f.Path); err != nil || again.t != f.t {
				t.Errorf("%s: %s leads to %v, %v", k.GroupVersionKind, f.Path, again, err)
			}
		}
	}
	t.Logf("%d kinds, %d fields, %d keyed lists", kinds, fields, keyed)
	if kinds < 80 || fields < 10000 || keyed < 300 {
		t.Error("too few kinds, fields or keyed lists")
	}
}

// TestSchemaOfTypesInEachOther describes types that contain each other, which have more paths than memory.
func TestSchemaOfTypesInEachOther(t *testing.T) {
	const types = 11
	var fields, definitions strings.Builder
	for i := range types {
		fmt.Fprintf(&fields, "        f%d: {$ref: '#/components/schemas/com.example.v1.T%d'}\n", i, i)
	}
	for i := range types {
		fmt.Fprintf(&definitions, "    com.example.v1.T%d:\n      type: object\n      properties:\n%s", i, fields.String())
	}
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(file, []byte(`openapi: 3.0.0
paths:
  /apis/example.com/v1/namespaces/{namespace}/lamps/{name}:
    get: {x-kubernetes-action: get, x-kubernetes-group-version-kind: {group: example.com, version: v1, kind: Lamp}}
components:
  schemas:
    com.example.v1.Lamp:
      type: object
      properties:
        spec: {$ref: '#/components/schemas/com.example.v1.T0'}
      x-kubernetes-group-version-kind: [{group: example.com, version: v1, kind: Lamp}]
`+definitions.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errOut strings.Builder
	app := &program.App{Out: &out, Err: &errOut, Now: time.Now}
	if code := run(t.Context(), app, []string{"schema", "lamp.spec", "--openapi", file, "--recursive"}); code != program.ExitRefused || !strings.Contains(errOut.String(), "Lamp has more than 200000 fields") {
		t.Errorf("code %d, %s", code, errOut.String())
	}
	errOut.Reset()
	if code := run(t.Context(), app, []string{"schema", "lamp.spec.f1", "--openapi", file}); code != 0 || !strings.Contains(out.String(), "f10 ") {
		t.Errorf("code %d, %s%s", code, out.String(), errOut.String())
	}
}

// sometimesImmutable maps recorded fields that are not reported as immutable to the
// reason.
var sometimesImmutable = map[string]string{
	"Pod. status.qosClass":                            "through the subresource status",
	"ConfigMap. binaryData":                           "while immutable is set",
	"ConfigMap. data":                                 "while immutable is set",
	"Secret. data":                                    "while immutable is set",
	"PersistentVolumeClaim. volumeMode":               "the API server names it without its spec",
	"PersistentVolume. nodeAffinity":                  "the API server names it without its spec",
	"Service. spec.healthCheckNodePort":               "of a load balancer with a local traffic policy",
	"Event. message":                                  "of an event with eventTime",
	"Event. involvedObject":                           "of an event with eventTime",
	"Event. count":                                    "of an event with eventTime",
	"Event. firstTimestamp":                           "of an event with eventTime",
	"Event. action":                                   "of an event with eventTime",
	"Event. reportingController":                      "the API server names the field of the other group",
	"Event. type":                                     "of an event with eventTime",
	"Event. reason":                                   "of an event with eventTime",
	"CSINode.storage.k8s.io spec.drivers":             "of a driver with the same name",
	"CSIDriver.storage.k8s.io spec.attachedRequired":  "the name of attachRequired in its error",
	"ResourceClaim.resource.k8s.io status.allocation": "through the subresource status",
	"Job.batch status.completionTime":                 "through the subresource status",
	"Job.batch status.startTime":                      "through the subresource status, unless the Job is suspended",
	"PersistentVolumeClaim. metadata.annotations.volume.beta.kubernetes.io/storage-class": "an annotation",
}

// TestSchemaMarksRecordedImmutableFields looks up every field for which a recording has
// an "immutable" error of kube-apiserver.
func TestSchemaMarksRecordedImmutableFields(t *testing.T) {
	var cases []conformance.Case
	for _, dir := range []string{"conformance", "invalid", "more"} {
		found, err := conformance.ReadAll("../../../testdata/" + dir)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, found...)
	}
	registry := builtinKinds(t)
	seen := map[string]bool{}
	found := 0
	for _, c := range cases {
		for _, step := range c.Steps {
			body, err := json.Marshal(step.Response.Body)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := document.Parse(body, document.Options{})
			if err != nil {
				t.Fatal(err)
			}
			details := doc.Root.Get("details")
			for _, cause := range details.Get("causes").Items() {
				field := cause.Get("field").StringOr("")
				name := details.Get("kind").StringOr("") + "." + details.Get("group").StringOr("") + " " + field
				if !strings.Contains(cause.Get("message").StringOr(""), "field is immutable") || seen[name] || strings.Contains(field, "[") {
					continue
				}
				seen[name] = true
				kind, _, _, err := findKind(registry, strings.TrimSuffix(details.Get("kind").StringOr("")+"."+details.Get("group").StringOr(""), "."), "")
				if err != nil {
					continue // a custom resource
				}
				d, err := newDescriber(registry, kind)
				if err != nil {
					t.Fatal(err)
				}
				f, err := d.at(field)
				immutable, why := err == nil && f.Immutable, sometimesImmutable[name]
				if immutable == (why != "") {
					t.Errorf("%s: immutable %v, but sometimesImmutable has %q (%v)", name, immutable, why, err)
				}
				if immutable {
					found++
				}
			}
		}
	}
	t.Logf("%d immutable fields found, %d are so only in some objects", found, len(sometimesImmutable))
	if found < 30 {
		t.Error("too few immutable fields are found")
	}
}
