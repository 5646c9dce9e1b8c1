package scenario

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// liveDeployment is a Deployment as printed by kubectl: applied by Helm, scaled by an
// autoscaler, with a controller's status.
const liveDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    deployment.kubernetes.io/revision: "1"
  creationTimestamp: "2026-03-02T08:15:00Z"
  generation: 3
  labels:
    app: web
  managedFields:
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata:
        f:labels:
          f:app: {}
      f:spec:
        f:selector: {}
        f:template:
          f:metadata:
            f:labels:
              f:app: {}
          f:spec:
            f:containers:
              k:{"name":"web"}:
                .: {}
                f:image: {}
                f:name: {}
    manager: helm
    operation: Apply
    time: "2026-03-02T08:15:00Z"
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1:
      f:spec:
        f:replicas: {}
    manager: horizontal-pod-autoscaler
    operation: Update
    subresource: scale
    time: "2026-03-04T17:00:30Z"
  name: web
  namespace: shop
  resourceVersion: "48151623"
  uid: 9d3b8a52-7c57-4d5b-9a39-6f1b5d9e2c11
spec:
  progressDeadlineSeconds: 600
  replicas: 7
  revisionHistoryLimit: 10
  selector:
    matchLabels:
      app: web
  strategy:
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 25%
    type: RollingUpdate
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - image: nginx:1.27
        imagePullPolicy: IfNotPresent
        name: web
        resources: {}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
status:
  observedGeneration: 3
  replicas: 7
`

func emptyRunner(t *testing.T) *Runner {
	t.Helper()
	r, err := NewRunner(context.Background(), "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func load(t *testing.T, r *Runner, text string) []Existing {
	t.Helper()
	found, err := r.Load(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func parsed(t *testing.T, text string) document.Value {
	t.Helper()
	d, err := document.ParseYAML([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

func TestLoadKeepsObjectUnchanged(t *testing.T) {
	found := load(t, emptyRunner(t), liveDeployment)
	if len(found) != 1 || found[0].Notes != nil {
		t.Fatalf("%d objects, notes %q", len(found), found[0].Notes)
	}
	if want := parsed(t, liveDeployment); !document.Identical(found[0].Object.Join(), want) {
		t.Errorf("the object is\n%s\nwant\n%s", found[0].Object.Join().YAML(), want.YAML())
	}
	if want := (Target{"apps/v1", "Deployment", "shop", "web"}); found[0].Target != want {
		t.Errorf("target %+v, want %+v", found[0].Target, want)
	}
}

// TestStepsChangeExistingObjects: steps have the same result as in the cluster that the
// object comes from: applying a manifest with replicas conflicts with the autoscaler, one
// without does not.
func TestStepsChangeExistingObjects(t *testing.T) {
	r := emptyRunner(t)
	load(t, r, liveDeployment)
	manifest := `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  REPLICAS
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.28"}]}
`
	res := r.Step(t.Context(), &Step{Actor: "helm", Do: Apply, Body: strings.Replace(manifest, "REPLICAS", "replicas: 2", 1)})
	c := res.Conflicts()
	if len(c) != 1 || c[0].Manager != "horizontal-pod-autoscaler" || c[0].Path.String() != ".spec.replicas" {
		t.Fatalf("conflicts %v (%v), want one with the autoscaler on .spec.replicas", c, res.Err)
	}
	res = r.Step(t.Context(), &Step{Actor: "helm", Do: Apply, Body: strings.Replace(manifest, "REPLICAS", "", 1)})
	after := res.After.Value
	if got := after.Lookup("metadata", "resourceVersion").StringOr(""); res.Err != nil || got != "48151624" {
		t.Errorf("resourceVersion %s (%v), want 48151624", got, res.Err)
	}
	if n, _ := after.Lookup("metadata", "generation").Int(); n != 4 {
		t.Errorf("generation %d, want 4", n)
	}
	for _, entry := range res.After.Managed.Entries() {
		want := "2026-03-04T17:00:30Z"
		if entry.Manager == "helm" {
			want = "2026-03-04T17:03:00Z" // the second step, one minute per step after the autoscaler's time
		}
		if got := entry.Time.UTC().Format("2006-01-02T15:04:05Z"); got != want {
			t.Errorf("%s wrote at %s, want %s", entry.Manager, got, want)
		}
	}
	scaled := r.Step(t.Context(), &Step{Actor: "kubectl", Do: MergePatch, Subresource: "scale", Body: `{"spec": {"replicas": 1}}`})
	if scaled.Err != nil || scaled.Target.Name != "web" {
		t.Errorf("a patch without a name is for %+v (%v), want the only object", scaled.Target, scaled.Err)
	}
}

func TestLoadAddsSeveralObjects(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"two documents", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: shop}}\n", "default/a shop/b"},
		{"a List", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: Namespace, metadata: {name: b}}\n", "/b default/a"},
		{"a typed list", `{"apiVersion": "v1", "kind": "ConfigMapList", "items": [{"metadata": {"name": "a"}}]}`, "default/a"},
		{"a custom resource before its definition", "{apiVersion: lab.example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 1}}\n---\n" + widgets, "/widgets.lab.example.com default/w"},
		{"an older version of a kind", "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}}}", "default/a"},
	} {
		r := emptyRunner(t)
		var got []string
		for _, e := range load(t, r, c.in) {
			got = append(got, e.Target.Namespace+"/"+e.Target.Name)
			if e.Kind.Kind == "CustomResourceDefinition" {
				continue
			}
			if res := r.Step(t.Context(), &Step{Actor: "a", Do: Delete, Target: e.Target}); res.Err != nil {
				t.Errorf("%s: %s cannot be deleted: %v", c.why, e.Target.Name, res.Err)
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.why, text, c.want)
		}
	}
}

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.lab.example.com}
spec:
  group: lab.example.com
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer}}}
`

func TestLoadReportsUnknownFieldsAndOwners(t *testing.T) {
	found := load(t, emptyRunner(t), "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replica: 2, selector: {}, template: {}}\n")
	if notes := strings.Join(found[0].Notes, "\n"); !strings.Contains(notes, `unknown field "spec.replica"`) ||
		!strings.Contains(notes, "deployment.apps/web has no managedFields, so the owners of its fields are unknown; this reads them: "+
			"kubectl get deployment.apps/web --namespace=shop -o yaml --show-managed-fields") {
		t.Errorf("notes %s", notes)
	}
	if o := found[0].Object.Value; o.Lookup("metadata", "uid").StringOr("") == "" || o.Lookup("metadata", "creationTimestamp").StringOr("") != "2026-01-01T08:59:00Z" {
		t.Errorf("metadata that every object has is missing: %s", o.Get("metadata"))
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"an empty text", "# nothing\n", "found nothing"},
		{"not an object", "- 1\n", "3:1: "},
		{"an unknown kind", "apiVersion: v1\nkind: ConfigMapp\nmetadata: {name: a}\n", `3:1: no kind "ConfigMapp" is registered`},
		{"a missing name", "apiVersion: v1\nkind: ConfigMap\n", "3:1: metadata.name is required"},
		{"a resourceVersion that is not a number", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: abc}}", "metadata.resourceVersion"},
		{"managedFields that cannot be read", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, managedFields: [{manager: m, operation: Sing}]}}", "invalid managedFields: "},
		{"a value of the wrong type", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: [1]}", "cannot be handled as a ConfigMap"},
		{"a duplicate object", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n", "5:1: duplicate initial object"},
	} {
		r := emptyRunner(t)
		before := "{apiVersion: v1, kind: ConfigMap, metadata: {name: before}}\n---\n"
		if c.why == "an empty text" {
			before = ""
		}
		_, err := r.Load(t.Context(), before+c.in)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want %s", c.why, err, c.want)
		}
		if n := len(r.existing); n != 0 {
			t.Errorf("%s: %d objects were loaded nevertheless", c.why, n)
		}
	}
	_, err := emptyRunner(t).Load(t.Context(), "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: [1]}")
	var status *cluster.Status
	if !errors.As(err, &status) || status.Code != 400 {
		t.Errorf("%v has no status 400", err)
	}
}

func TestScenariosWithObjects(t *testing.T) {
	s := &Scenario{Title: "t", Objects: []string{liveDeployment}, Actors: []Actor{{Name: "helm"}}, Steps: []Step{{Actor: "helm", Do: MergePatch, Body: "metadata: {labels: {tier: front}}\n"}}}
	back, err := Parse(s.YAML(), "")
	if err != nil || len(back.Objects) != 1 || back.Objects[0] != liveDeployment {
		t.Fatalf("read back as %+v (%v)", back, err)
	}
	results, err := Run(t.Context(), back)
	if err != nil || results[0].Err != nil {
		t.Fatal(err, results[0].Err)
	}
	script := string(Script(back, results))
	for _, want := range []string{"kubectl create -f - <<", "kubectl replace --subresource=status -f - <<", "kubectl replace -f - <<", "manager: horizontal-pod-autoscaler"} {
		if !strings.Contains(script, want) {
			t.Errorf("the script has no %q:\n%s", want, script)
		}
	}
	for _, not := range []string{"uid:", "resourceVersion:", "creationTimestamp:"} {
		if strings.Contains(strings.ReplaceAll(script, "# An object that is there before the first step; uid, resourceVersion and creationTimestamp will be the cluster's own.", ""), not) {
			t.Errorf("the script gives the object a %s", not)
		}
	}
}

// TestScriptsCreateNamespaces runs steps in several namespaces; the script creates those that a new
// cluster lacks.
func TestScriptsCreateNamespaces(t *testing.T) {
	const configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: "
	s := &Scenario{Title: "t", Objects: []string{liveDeployment}, Actors: []Actor{{Name: "a"}}, Steps: []Step{
		{Actor: "a", Do: Apply, Body: "{apiVersion: v1, kind: Namespace, metadata: {name: own}}"},
		{Actor: "a", Do: Apply, Body: configMap + "own}}"},
		{Actor: "a", Do: Apply, Body: configMap + "stage}}"},
		{Actor: "a", Do: Apply, Body: configMap + "default}}"},
		{Actor: "a", Do: Apply, Body: configMap + "stage}}"},
	}}
	results, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var created []string
	for line := range strings.Lines(string(Script(s, results))) {
		if name, ok := strings.CutPrefix(line, "kubectl create namespace "); ok {
			created = append(created, strings.TrimSpace(name))
		}
	}
	if got := strings.Join(created, " "); got != "shop stage" {
		t.Errorf("the script creates the namespaces %q, want shop and stage", got)
	}
}

// TestPatchesAreSentAsByKubectl: the API server warns of an unknown field in a patch, and refuses one in
// a whole object.
func TestPatchesAreSentAsByKubectl(t *testing.T) {
	const object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}"
	target := Target{APIVersion: "v1", Kind: "ConfigMap", Name: "a"}
	s := &Scenario{Title: "t", Actors: []Actor{{Name: "a"}}, Steps: []Step{
		{Actor: "a", Do: Create, Body: object + "}"},
		{Actor: "a", Do: MergePatch, Target: target, Body: "{dta: {k: v}}"},
		{Actor: "a", Do: Strategic, Target: target, Body: "{dta: {k: v}}"},
		{Actor: "a", Do: JSONPatch, Target: target, Body: `[{"op":"add","path":"/dta","value":{}}]`},
		{Actor: "a", Do: Update, Target: target, Body: object + ", dta: {k: v}}"},
	}}
	results, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		switch s.Steps[i].Do {
		case Update:
			if r.Code != 400 || r.Err == nil {
				t.Errorf("step %d: code %d, %v, want 400", i+1, r.Code, r.Err)
			}
		case Create:
		default:
			if r.Err != nil || strings.Join(r.Warnings, "|") != `unknown field "dta"` {
				t.Errorf("step %d: %v, warnings %q", i+1, r.Err, r.Warnings)
			}
		}
	}
}
