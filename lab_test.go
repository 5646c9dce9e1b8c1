package patchlab_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// newLab returns a Lab with a fixed clock.
func newLab(t testing.TB, o patchlab.Options) *patchlab.Lab {
	t.Helper()
	o.Now = func() time.Time { return time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC) }
	o.UID = func() string { return "uid" }
	lab, err := patchlab.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return lab
}

const (
	liveConfigMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop, resourceVersion: "5"}, data: {k: "1"}}`
	webDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, resourceVersion: "5"}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: shop/web:1}
`
)

func TestEveryKindOfChange(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	get := func(keys ...string) func(*patchlab.Result) string {
		return func(r *patchlab.Result) string { return r.After.Value.Lookup(keys...).String() }
	}
	for _, c := range []struct {
		why    string
		change func() (*patchlab.Result, error)
		look   func(*patchlab.Result) string
		want   string
	}{
		{"an apply to a live object", func() (*patchlab.Result, error) {
			return lab.Apply(patchlab.Bytes(liveConfigMap), patchlab.Bytes(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {l: "2"}}`), patchlab.ApplyOptions{FieldManager: "m"})
		}, get("data"), `{"k":"1","l":"2"}`},
		{"an apply that creates", func() (*patchlab.Result, error) {
			return lab.Apply(nil, patchlab.Bytes(liveConfigMap), patchlab.ApplyOptions{FieldManager: "m"})
		}, get("metadata", "uid"), `"uid"`},
		{"a detected JSON patch", func() (*patchlab.Result, error) {
			return lab.Patch(patchlab.Bytes(liveConfigMap), patchlab.Bytes(`[{"op":"remove","path":"/data/k"}]`), patchlab.PatchOptions{})
		}, get("data"), `nothing`},
		{"an explicit merge patch", func() (*patchlab.Result, error) {
			return lab.Patch(patchlab.Bytes(webDeployment), patchlab.Bytes(`{spec: {template: {spec: {containers: [{name: b, image: i}]}}}}`), patchlab.PatchOptions{Type: patch.TypeMerge})
		}, func(r *patchlab.Result) string {
			return fmt.Sprint(r.After.Value.Lookup("spec", "template", "spec", "containers").Len())
		}, `1`},
		{"a detected strategic merge patch", func() (*patchlab.Result, error) {
			return lab.Patch(patchlab.Bytes(webDeployment), patchlab.Bytes(`{spec: {template: {spec: {containers: [{name: b, image: i}]}}}}`), patchlab.PatchOptions{})
		}, func(r *patchlab.Result) string {
			return fmt.Sprint(r.After.Value.Lookup("spec", "template", "spec", "containers").Len())
		}, `2`},
		{"a patch with apiVersion and kind", func() (*patchlab.Result, error) {
			return lab.Patch(patchlab.Bytes(webDeployment), patchlab.Bytes(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3}}`), patchlab.PatchOptions{})
		}, get("spec", "replicas"), `3`},
		{"an update", func() (*patchlab.Result, error) {
			return lab.Update(patchlab.Bytes(liveConfigMap), patchlab.Bytes(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}`), patchlab.WriteOptions{})
		}, get("data"), `nothing`},
		{"a create with generateName", func() (*patchlab.Result, error) {
			return lab.Create(patchlab.Bytes(`{apiVersion: v1, kind: ConfigMap, metadata: {generateName: a-}}`), patchlab.WriteOptions{})
		}, func(r *patchlab.Result) string { return fmt.Sprint(len(r.Target.Name)) }, `7`},
		{"a client-side apply that removes a field", func() (*patchlab.Result, error) {
			live := `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop, annotations: {` + patch.LastApplied + `: '{"data":{"k":"1"}}'}}, data: {k: "1", l: "2"}}`
			return lab.ClientApply(patchlab.Bytes(live), patchlab.Bytes(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {m: "3"}}`), patchlab.ApplyOptions{})
		}, get("data"), `{"l":"2","m":"3"}`},
		{"a scale", func() (*patchlab.Result, error) {
			return lab.Patch(patchlab.Bytes(webDeployment), patchlab.Bytes(`{spec: {replicas: 7}}`), patchlab.PatchOptions{Type: patch.TypeMerge, Subresource: "scale"})
		}, func(r *patchlab.Result) string {
			return r.After.Value.Lookup("spec", "replicas").String() + " " + r.Scale.Lookup("kind").String()
		}, `7 "Scale"`},
		{"a status", func() (*patchlab.Result, error) {
			return lab.Patch(patchlab.Bytes(webDeployment), patchlab.Bytes(`{spec: {replicas: 7}, status: {replicas: 1}}`), patchlab.PatchOptions{Subresource: "status"})
		}, func(r *patchlab.Result) string {
			return r.After.Value.Lookup("spec", "replicas").String() + " " + r.After.Value.Lookup("status", "replicas").String()
		}, `2 1`},
	} {
		r, err := c.change()
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
		} else if got := c.look(r); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

func TestErrorsHavePositionsAndFields(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	for _, c := range []struct{ why, live, change, want, field string }{
		{"an invalid value", "", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - port: 0\n", "f.yaml:6:11", ".spec.ports[0].port"},
		{"an unknown field", "", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  port: 0\n", "f.yaml:5:9", ".spec.port"},
		{"a wrong type", "", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: 1\n", "f.yaml:5:6", ".data.k"},
		{"an invalid operation", liveConfigMap, "- {op: add, path: /data/l, value: 'x'}\n- {op: remove, path: /none}\n", "f.yaml:2:3", "[1]"},
		{"an invalid value of an operation", webDeployment, "- {op: add, path: /metadata/labels, value: {a: b}}\n- {op: add, path: /spec/replicas, value: many}\n", "f.yaml:2:3", ".spec.replicas"},
		{"an item of a List", "", "kind: List\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  dat: {}\n", "f.yaml:7:8", ".dat"},
	} {
		var failed *patchlab.Error
		for _, err := range lab.Run(patchlab.Bytes(c.live), patchlab.Named("f.yaml", []byte(c.change)), patchlab.Change{}) {
			if !errors.As(err, &failed) {
				t.Fatalf("%s: %v", c.why, err)
			}
		}
		if failed == nil || len(failed.Fields) == 0 {
			t.Errorf("%s: %v (%+v)", c.why, failed, failed)
			continue
		}
		found := false
		for _, f := range failed.Fields {
			found = found || f.Position.String() == c.want && f.Path.String() == c.field
		}
		if !found {
			t.Errorf("%s: %+v, want %s at %s", c.why, failed.Fields, c.field, c.want)
		}
	}
}

func TestConflictsAreFound(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	first, err := lab.Apply(nil, patchlab.Bytes(strings.Replace(webDeployment, `, resourceVersion: "5"`, "", 1)), patchlab.ApplyOptions{FieldManager: "first"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lab.Apply(first.After, patchlab.Named("f.yaml", []byte("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n")), patchlab.ApplyOptions{FieldManager: "second"})
	var failed *patchlab.Error
	if !errors.As(err, &failed) || failed.Code != 409 || failed.Conflicts == nil || failed.Conflicts.List[0].Manager != "first" {
		t.Fatalf("%v", err)
	}
	if at := failed.Fields[0].Position.String(); at != "f.yaml:5:13" {
		t.Errorf("the conflict is at %s, want f.yaml:5:13", at)
	}
	var conflicts *patchlab.Conflicts
	if !errors.As(err, &conflicts) {
		t.Errorf("%v has no Conflicts", err)
	}
	if first.Changed() != true || first.Created() != true || len(first.Changes()) == 0 {
		t.Errorf("the first apply does not create the object with changes: %+v", first)
	}
	again, err := lab.Apply(first.After, patchlab.Bytes(strings.Replace(webDeployment, `, resourceVersion: "5"`, "", 1)), patchlab.ApplyOptions{FieldManager: "first"})
	if err != nil || again.Changed() {
		t.Errorf("applied again it changes %v (%v)", again.Changes(), err)
	}
}

func TestChangesMatchLiveObjects(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	const bare = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {l: "1"}}`
	in := func(namespaces ...string) patchlab.Input {
		var text []string
		for _, n := range namespaces {
			meta := "{name: a, namespace: " + n + "}"
			if n == "" {
				meta = "{name: a}"
			}
			text = append(text, "{apiVersion: v1, kind: ConfigMap, metadata: "+meta+"}")
		}
		return patchlab.Bytes(strings.Join(text, "\n---\n"))
	}
	for _, c := range []struct {
		why       string
		live      patchlab.Input
		change    string
		namespace string
		want      string // "namespace created", or the error
	}{
		{"the only live object", in("shop"), bare, "", "shop"},
		{"no live object", in(), bare, "", "default created"},
		{"no live object, with a namespace option", nil, bare, "shop", "shop created"},
		{"the live object in the namespace of the option", in("shop", "stage"), bare, "stage", "stage"},
		{"many live objects", in("a", "b", "c", "d", "e", "f", "g"), bare, "", "live objects with its name exist in a, b, c, d, e, 2 more; set metadata.namespace"},
		{"two live objects", in("shop", "stage"), bare, "", "live objects with its name exist in shop, stage"},
		{"two live objects, one of which has no namespace", in("shop", ""), bare, "", "live objects with its name exist in (none), shop"},
		{"a live object without a namespace", in(""), bare, "", "default"},
		{"a live object without a namespace, with a namespace option", in(""), bare, "stage", "stage"},
		{"the manifest has another namespace", in("shop"), strings.Replace(bare, "name: a", "name: a, namespace: x", 1), "", "x created"},
		{"the option has another namespace than the manifest", in("shop"), strings.Replace(bare, "name: a", "name: a, namespace: x", 1), "y", `namespace from the provided object "x" does not match`},
		{"no name", in(), `{apiVersion: v1, kind: ConfigMap, metadata: {generateName: x}}`, "", "metadata.name is required"},
		{"another kind", in("shop"), `{apiVersion: v1, kind: Secret, metadata: {name: a}}`, "", "default created"},
		{"a misspelt kind", in("shop"), `{apiVersion: v1, kind: Secrets, metadata: {name: a}}`, "", "did you mean Secret?"},
		{"an unknown kind", nil, `{apiVersion: x.example.com/v1, kind: A, metadata: {name: a, namespace: ns}}`, "", "ns created"},
		{"an unknown cluster-scoped kind", nil, `{apiVersion: x.example.com/v1, kind: A, metadata: {name: a}}`, "", " created"},
		{"an object that an earlier document created", nil, strings.Replace(bare, "name: a", "name: a, namespace: shop", 1) + "\n---\n" + bare, "", "default created"},
		{"a kind of a removed group", nil, `{apiVersion: extensions/v1beta1, kind: Ingress, metadata: {name: a}}`, "", `no kind "Ingress" is registered for version "extensions/v1beta1"; it is in networking.k8s.io/v1`},
		{"another kind of the removed group", nil, `{apiVersion: x.example.com/v1, kind: B, metadata: {name: a}}`, "", " created"},
	} {
		var got string
		for r, err := range lab.Run(c.live, patchlab.Bytes(c.change), patchlab.Change{Action: patchlab.ActionApply, FieldManager: "m", Namespace: c.namespace}) {
			if err != nil {
				got = err.Error()
				continue
			}
			got = r.Target.Namespace
			if r.Created() {
				got += " created"
			}
			if has := r.After.Value.Lookup("metadata", "namespace").StringOr(""); has != r.Target.Namespace {
				t.Errorf("%s: the object is in namespace %q, the target in %q", c.why, has, r.Target.Namespace)
			}
		}
		if got != c.want && (len(c.want) < 20 || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestPatchesWithoutAKind: a patch without a kind applies to the only live object, or to
// the one that it names.
func TestPatchesWithoutAKind(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	const two = liveConfigMap + "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: shop}}"
	for _, c := range []struct{ why, live, patch, want string }{
		{"one live object", liveConfigMap, `{data: {k: "2"}}`, "a"},
		{"two live objects without a name in the patch", two, `{data: {k: "2"}}`, "there are 2 live objects"},
		{"two live objects and a name in the patch", two, `{metadata: {name: b}, data: {k: "2"}}`, "b"},
		{"a name without a live object", liveConfigMap, `{metadata: {name: c}}`, `there is no live object with the name "c"`},
		{"no live object", "", `{data: {}}`, "there is no live object"},
		{"a JSON patch of one live object", liveConfigMap, `[]`, "a"},
	} {
		got := ""
		for r, err := range lab.Run(patchlab.Bytes(c.live), patchlab.Bytes(c.patch), patchlab.Change{}) {
			if err != nil {
				got = err.Error()
				continue
			}
			got = r.Target.Name
		}
		if got != c.want && (len(c.want) < 5 || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestRunContinuesAfterError: a failed document does not stop the following ones, and an object that
// appears twice is changed twice.
// Lab.Patch and Lab.Run detect the same type of a patch without a kind, also if its name selects one of several
// live objects. A merge patch would replace the containers.
func TestPatchOfOneOfSeveralObjects(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	live := patchlab.Bytes(webDeployment + "---\n" + strings.Replace(webDeployment, "name: web", "name: other", 1))
	const change = `{metadata: {name: other}, spec: {template: {spec: {containers: [{name: sidecar, image: s}]}}}}`
	result, err := lab.Patch(live, patchlab.Bytes(change), patchlab.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := result.After.Value.Lookup("spec", "template", "spec", "containers").Len(); result.Action != patchlab.ActionStrategicPatch || n != 2 {
		t.Errorf("%s leaves %d containers, want a strategic merge patch and 2", result.Action, n)
	}
}

// A Scale is that of the object with its name and namespace, and an ambiguous one names what it matches.
func TestScaleOfOneOfSeveralObjects(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	live := patchlab.Bytes(webDeployment + "---\n" + strings.Replace(webDeployment, "namespace: shop", "namespace: prod", 1) +
		"---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: shop}}\n")
	scale := func(metadata string) (*patchlab.Result, error) {
		for result, err := range lab.Run(live, patchlab.Bytes("{apiVersion: autoscaling/v1, kind: Scale, metadata: "+metadata+", spec: {replicas: 7}}"),
			patchlab.Change{Action: patchlab.ActionUpdate, Subresource: "scale"}) {
			return result, err
		}
		return nil, nil
	}
	result, err := scale("{name: web, namespace: prod}")
	if err != nil || result.Target.Namespace != "prod" {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err = scale("{name: web}"); err == nil || !strings.Contains(err.Error(), "the Scale matches Deployment web in namespace shop, Deployment web in namespace prod; set metadata") {
		t.Errorf("%v", err)
	}
	// Of the objects with the name other, none can be scaled.
	if _, err = scale("{name: other, namespace: shop}"); err == nil || !strings.Contains(err.Error(), "no live object with a scale subresource matches the Scale other in namespace shop") {
		t.Errorf("%v", err)
	}
}

func TestRunContinuesAfterError(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	const many = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: "1"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, dat: {}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {z: "1"}}
`
	var got []string
	for r, err := range lab.Run(nil, patchlab.Bytes(many), patchlab.Change{FieldManager: "m"}) {
		if err != nil {
			got = append(got, "error")
			continue
		}
		got = append(got, fmt.Sprintf("%v %s", r.Created(), r.After.Value.Get("data")))
	}
	if want := `true {"x":"1"}|error|false {"z":"1"}`; strings.Join(got, "|") != want {
		t.Errorf("%s, want %s", strings.Join(got, "|"), want)
	}
}

// TestRunInTerminatingNamespace: in a namespace that the live objects show as being deleted, objects
// can be changed but not created.
func TestRunInTerminatingNamespace(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	const live = `{apiVersion: v1, kind: Namespace, metadata: {name: shop, deletionTimestamp: "2026-01-02T03:04:05Z"}, status: {phase: Terminating}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: bank}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}
`
	const many = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {x: "1"}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: b, namespace: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: bank}, data: {x: "1"}}
`
	var got []string
	for r, err := range lab.Run(patchlab.Bytes(live), patchlab.Bytes(many), patchlab.Change{FieldManager: "m"}) {
		if err == nil {
			got = append(got, fmt.Sprint(r.Created()))
			continue
		}
		var refused *patchlab.Error
		if !errors.As(err, &refused) || refused.Code != 403 || refused.Reason != "Forbidden" || refused.Position.Line != 3 {
			t.Errorf("%#v, want the API server's 403 for line 3", err)
		}
		got = append(got, err.Error())
	}
	want := []string{"false", `3:1: deployments.apps "b" is forbidden: unable to create new content in namespace shop because it is being terminated (API server response: 403 Forbidden)`, "true"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestApplyOverLostVersion: the refusal has the API server's words, and says what to do.
func TestApplyOverLostVersion(t *testing.T) {
	lab := newLab(t, patchlab.Options{CRDs: os.DirFS("testdata/crds")})
	const live = `{apiVersion: lab.example.com/v1, kind: Widget, metadata: {name: a, namespace: shop, managedFields: [
  {manager: old, operation: Apply, apiVersion: lab.example.com/v1alpha1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:note": {}}}}]}, spec: {note: old}}`
	_, err := lab.Apply(patchlab.Bytes(live), patchlab.Bytes(`{apiVersion: lab.example.com/v1, kind: Widget, metadata: {name: a, namespace: shop}, spec: {note: new}}`), patchlab.ApplyOptions{FieldManager: "new"})
	const want = "1:1: request to convert CR to an invalid group/version: lab.example.com/v1alpha1 (API server response: 500)\n" +
		"a managedFields entry of the live object has this version, which its CustomResourceDefinition no longer has; remove the entry, or set managedFields to [{}] to remove all"
	if !errors.Is(err, fieldmanager.ErrVersion) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// The metadata of an object whose kind is not known has its type nevertheless: its lists have keys, and its
// labels are strings.
func TestMetadataOfUnknownKinds(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	const live = `{apiVersion: x.example.com/v1, kind: Z, metadata: {name: z, finalizers: [a.io/f], resourceVersion: "1", managedFields: [
		{manager: first, operation: Apply, apiVersion: x.example.com/v1, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:finalizers": {"v:\"a.io/f\"": {}}}}}]}}`
	result, err := lab.Apply(patchlab.Bytes(live), patchlab.Bytes(`{apiVersion: x.example.com/v1, kind: Z, metadata: {name: z, finalizers: [b.io/f]}}`), patchlab.ApplyOptions{FieldManager: "second"})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.After.Value.Lookup("metadata", "finalizers").String(); got != `["a.io/f","b.io/f"]` {
		t.Errorf("finalizers %s", got)
	}
	_, err = lab.Apply(nil, patchlab.Bytes(`{apiVersion: x.example.com/v1, kind: Z, metadata: {name: z, labels: {version: 1.10}}}`), patchlab.ApplyOptions{FieldManager: "m"})
	if err == nil || !strings.Contains(err.Error(), ".metadata.labels.version: expected a string") {
		t.Errorf("%v", err)
	}
}

func TestStrictLabRefusesUnknownKinds(t *testing.T) {
	lab := newLab(t, patchlab.Options{Strict: true})
	_, err := lab.Apply(nil, patchlab.Bytes(`{apiVersion: x.example.com/v1, kind: A, metadata: {name: a}}`), patchlab.ApplyOptions{})
	if !errors.Is(err, patchlab.ErrNoKind) {
		t.Errorf("%v, want ErrNoKind", err)
	}
}

func TestSchemasFromFiles(t *testing.T) {
	lab := newLab(t, patchlab.Options{CRDs: os.DirFS("testdata/crds")})
	r, err := lab.Apply(nil, patchlab.Bytes(`{apiVersion: lab.example.com/v1, kind: Widget, metadata: {name: a}, spec: {}}`), patchlab.ApplyOptions{})
	if err != nil || r.After.Value.Lookup("spec", "replicas").String() != "1" {
		t.Errorf("%v (%v), want the default of the CRD", r, err)
	}
	if _, err := patchlab.New(patchlab.Options{CRDs: fstest.MapFS{"a.yaml": {Data: []byte("kind: ConfigMap")}}}); err == nil || !strings.Contains(err.Error(), "no CustomResourceDefinition found") {
		t.Errorf("CRDs without any: %v", err)
	}
	if _, err := patchlab.New(patchlab.Options{KubernetesVersion: "1.2"}); err == nil {
		t.Error("version 1.2 is taken")
	}
}

// TestLabIsSafeForConcurrentUse shares one Lab between goroutines that use shared objects
// and kinds that are new to the Lab.
func TestLabIsSafeForConcurrentUse(t *testing.T) {
	lab := newLab(t, patchlab.Options{})
	shared, err := lab.Open(patchlab.Bytes(liveConfigMap))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				config := document.NewObject().Set(document.NewString("v1"), "apiVersion").Set(document.NewString("ConfigMap"), "kind").
					Set(document.NewString("a"), "metadata", "name").Set(document.NewString(fmt.Sprint(i)), "data", "l")
				if _, err := lab.Apply(shared, config, patchlab.ApplyOptions{FieldManager: "m"}); err != nil {
					t.Error(err)
				}
				own := fmt.Sprintf(`{apiVersion: x.example.com/v1, kind: K%d, metadata: {name: a}}`, j)
				if _, err := lab.Apply(nil, patchlab.Bytes(own), patchlab.ApplyOptions{}); err != nil {
					t.Error(err)
				}
				if _, err := lab.Patch(patchlab.Bytes(webDeployment), patchlab.Bytes(`{spec: {replicas: 3}}`), patchlab.PatchOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestRulesThatAreNotRunAreNoted: without Options.Rules the Result has a note with the
// number of rules.
func TestRulesThatAreNotRunAreNoted(t *testing.T) {
	crds := fstest.MapFS{"toy.yaml": {Data: []byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toys.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: toys, kind: Toy}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations: [{rule: "self.metadata.name != 'no'"}]
        properties:
          spec:
            type: object
            properties: {n: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}}
`)}}
	result, err := newLab(t, patchlab.Options{CRDs: crds}).Apply(nil,
		patchlab.Bytes("{apiVersion: example.com/v1, kind: Toy, metadata: {name: a, namespace: d}, spec: {n: 0}}"), patchlab.ApplyOptions{FieldManager: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (patchlab.RulesNotRun{Kind: "Toy", Rules: 2}); !slices.Contains(result.Notes, patchlab.Note(want)) {
		t.Errorf("notes %q lack %q", result.Notes, want)
	}
}

// TestPoliciesNeedAdmission: Policies without Admission are an error instead of being
// ignored.
func TestPoliciesNeedAdmission(t *testing.T) {
	_, err := patchlab.New(patchlab.Options{Policies: patchlab.Named("p.yaml", []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"))})
	if !errors.Is(err, patchlab.ErrInput) || !strings.Contains(err.Error(), "Options.Admission") {
		t.Errorf("the error is %v", err)
	}
}

// TestWithoutNew: the methods of a Lab and of an Object that were not made as documented return
// errors.
func TestWithoutNew(t *testing.T) {
	in := patchlab.Bytes(liveConfigMap)
	var none *patchlab.Lab
	for name, lab := range map[string]*patchlab.Lab{"zero": {}, "nil": none} {
		errs := map[string]error{}
		_, errs["Apply"] = lab.Apply(nil, in, patchlab.ApplyOptions{})
		_, errs["Patch"] = lab.Patch(in, in, patchlab.PatchOptions{})
		_, errs["Update"] = lab.Update(in, in, patchlab.WriteOptions{})
		_, errs["Alternatives"] = lab.Alternatives(in, in, patchlab.ApplyOptions{})
		_, errs["Resolve"] = lab.Resolve(in, in, patchlab.ApplyOptions{}, nil)
		_, errs["Changes"] = lab.Changes(in, in)
		_, errs["Open"] = lab.Open(in)
		_, _, errs["Kind"] = lab.Kind(document.NewObject())
		for _, err := range lab.Run(in, in, patchlab.Change{}) {
			errs["Run"] = err
		}
		for method, err := range errs {
			if !errors.Is(err, patchlab.ErrInput) {
				t.Errorf("%s of a %s Lab: %v", method, name, err)
			}
		}
		if lab.Kinds() != nil {
			t.Errorf("a %s Lab has kinds", name)
		}
	}
	for name, o := range map[string]*patchlab.Object{"zero": {}, "nil": nil} {
		_, owners := o.Owners(document.Keys("data"))
		_, path := o.FieldPath(document.Keys("data"))
		_, _, extract := o.Extract("m", "")
		for _, err := range []error{owners, path, extract} {
			if !errors.Is(err, patchlab.ErrInput) {
				t.Errorf("a method of a %s Object: %v", name, err)
			}
		}
		if lines, err := json.Marshal(o.Lines()); err != nil || string(lines) != "[]" {
			t.Errorf("the lines of a %s Object: %s, %v", name, lines, err)
		}
		o.Migrate(nil, "m")
	}
}

// TestBuiltinKindsWithoutCatalog: built-in kinds have the defaults of the default version even if
// the registry does not have the catalog that they come from.
func TestBuiltinKindsWithoutCatalog(t *testing.T) {
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	registry := schema.NewRegistry(nil)
	for _, gvk := range []schema.GroupVersionKind{{Version: "v1", Kind: "Service"}, {Group: "apps", Version: "v1", Kind: "Deployment"}} {
		k, _ := catalog.Kind(gvk)
		registry.Add(k)
	}
	lab, whole := newLab(t, patchlab.Options{Kinds: registry}), newLab(t, patchlab.Options{})
	for _, text := range []string{webDeployment, `{apiVersion: v1, kind: Service, metadata: {name: a, namespace: shop}, spec: {ports: [{port: 80}]}}`} {
		created := func(lab *patchlab.Lab) string {
			result, err := lab.Apply(nil, patchlab.Bytes(strings.ReplaceAll(text, `, resourceVersion: "5"`, "")), patchlab.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return result.After.Value.Get("spec").String()
		}
		if got, want := created(lab), created(whole); got != want {
			t.Errorf("without a catalog: %s\nwith one: %s", got, want)
		}
	}
}
