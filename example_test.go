package patchlab_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"testing/fstest"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: "shop/web:1"}]}
`

func Example() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	live, err := lab.Apply(nil, patchlab.Bytes(web), patchlab.ApplyOptions{FieldManager: "gitops"})
	if err != nil {
		log.Fatal(err)
	}
	wanted := patchlab.Named("wanted.yaml", []byte("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n"))
	_, err = lab.Apply(live.After, wanted, patchlab.ApplyOptions{FieldManager: "hpa"})
	var conflicts *patchlab.Conflicts
	if errors.As(err, &conflicts) {
		for _, c := range conflicts.List {
			fmt.Println(c)
		}
	}
	// Output:
	// .spec.replicas is owned by "gitops": live 2, wanted 3
}

// Custom resources are merged by the schema of their CustomResourceDefinition.
func ExampleNew() {
	lab, err := patchlab.New(patchlab.Options{KubernetesVersion: "1.36", CRDs: os.DirFS("testdata/crds")})
	if err != nil {
		log.Fatal(err)
	}
	result, err := lab.Apply(nil, patchlab.Bytes(`{apiVersion: lab.example.com/v1, kind: Widget, metadata: {name: w}, spec: {box: {width: 1}}}`),
		patchlab.ApplyOptions{FieldManager: "me"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.After.Value.Get("spec"))
	// Output:
	// {"box":{"unit":"cm","width":1},"replicas":1}
}

func ExampleLab_Apply() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	first, err := lab.Apply(nil, patchlab.Bytes(web), patchlab.ApplyOptions{FieldManager: "gitops"})
	if err != nil {
		log.Fatal(err)
	}
	labels := patchlab.Bytes(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"team": "a"}}}`)
	second, err := lab.Apply(first.After, labels, patchlab.ApplyOptions{FieldManager: "labeler"})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range second.Changes() {
		fmt.Println(c.Effect, c.Path, c.After, c.OwnersAfter)
	}
	// Output:
	// set .metadata.labels.team "a" ["labeler"]
}

func ExampleLab_ClientApply() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	first, err := lab.ClientApply(nil, patchlab.Bytes(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: "1", l: "1"}}`), patchlab.ApplyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	second, err := lab.ClientApply(first.After, patchlab.Bytes(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: "2"}}`), patchlab.ApplyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(second.After.Value.Get("data"))
	// Output:
	// {"k":"2"}
}

func ExampleLab_Patch() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	containers := patchlab.Bytes(`{"spec": {"template": {"spec": {"containers": [{"name": "log", "image": "shop/log:1"}]}}}}`)
	for _, t := range []patch.Type{patch.TypeStrategic, patch.TypeMerge} {
		result, err := lab.Patch(patchlab.Bytes(web), containers, patchlab.PatchOptions{Type: t})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t, result.After.Value.Lookup("spec", "template", "spec", "containers").Len(), "containers")
	}
	result, err := lab.Patch(patchlab.Bytes(web), patchlab.Bytes(`{"spec": {"replicas": 5}}`), patchlab.PatchOptions{Type: patch.TypeMerge, Subresource: "scale"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Scale.Get("kind"), result.After.Value.Lookup("spec", "replicas"))
	// Output:
	// strategic 2 containers
	// merge 1 containers
	// "Scale" 5
}

func ExampleLab_Update() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	live := `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: "6"}, data: {k: "1"}}`
	stale := `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: "5"}, data: {k: "2"}}`
	_, err = lab.Update(patchlab.Bytes(live), patchlab.Bytes(stale), patchlab.WriteOptions{})
	var failed *patchlab.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Code, failed.Reason, failed.Target)
	}
	// Output:
	// 409 Conflict ConfigMap a in namespace default
}

// A refusal lists the invalid fields with their positions in the input.
func ExampleError() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	service := patchlab.Named("service.yaml", []byte(`apiVersion: v1
kind: Service
metadata: {name: a, namespace: shop}
spec:
  type: Cluster
  ports: [{port: 80000}]
`))
	_, err = lab.Create(service, patchlab.WriteOptions{})
	var refused *patchlab.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Code, refused.Reason, refused.Target)
		for _, f := range refused.Fields {
			fmt.Println(f.Position, f.Path, f.Value)
		}
	}
	// Output:
	// 422 Invalid Service a in namespace shop
	// service.yaml:6:18 .spec.ports[0].port 80000
	// service.yaml:6:11 .spec.ports[0].targetPort 80000
	// service.yaml:5:9 .spec.type "Cluster"
}

// Kinds may be added to a Lab, for example when a controller sees a new CustomResourceDefinition.
func ExampleLab_Kinds() {
	lab, err := patchlab.New(patchlab.Options{Strict: true})
	if err != nil {
		log.Fatal(err)
	}
	widget := patchlab.Bytes(`{apiVersion: lab.example.com/v1, kind: Widget, metadata: {name: w}, spec: {box: {width: 1}}}`)
	_, err = lab.Apply(nil, widget, patchlab.ApplyOptions{})
	fmt.Println(errors.Is(err, patchlab.ErrNoKind))

	text, err := os.ReadFile("testdata/crds/widgets.yaml")
	if err != nil {
		log.Fatal(err)
	}
	definition, err := document.ParseYAML(text, document.Options{})
	if err != nil {
		log.Fatal(err)
	}
	crd, err := schema.FromCRD(definition.Root)
	if err != nil {
		log.Fatal(err)
	}
	lab.Kinds().AddCRD(crd)
	result, err := lab.Apply(nil, widget, patchlab.ApplyOptions{})
	fmt.Println(result, err)
	// Output:
	// true
	// Widget.lab.example.com w in namespace default: server-side apply as "kubectl", created <nil>
}

func ExampleLab_Create() {
	lab, err := patchlab.New(patchlab.Options{UID: func() string { return "1" }})
	if err != nil {
		log.Fatal(err)
	}
	result, err := lab.Create(patchlab.Bytes(`{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}`), patchlab.WriteOptions{Namespace: "shop"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.After.Value.Lookup("spec", "ports"))
	// Output:
	// [{"port":80,"protocol":"TCP","targetPort":80}]
}

// Run matches several documents with the live objects. A refused document does not stop the
// others.
func ExampleLab_Run() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	files := fstest.MapFS{
		"live.yaml":      {Data: []byte(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {k: "1"}}`)},
		"manifests.yaml": {Data: []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {l: '2'}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, dat: {}}\n")},
	}
	for result, err := range lab.Run(patchlab.Files(files, "live.yaml"), patchlab.Files(files, "manifests.yaml"), patchlab.Change{FieldManager: "me"}) {
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		fmt.Println(result.Target, result.Created(), result.After.Value.Get("data"))
	}
	// Output:
	// ConfigMap a in namespace shop false {"k":"1","l":"2"}
	// refused: manifests.yaml:3:61: the applied configuration does not match the schema of its kind: .dat: field not declared in schema; did you mean data? (API server response: 500)
}

func ExampleObject_Owners() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	live, err := lab.Open(patchlab.Files(os.DirFS("testdata/quickstart"), "live.yaml"))
	if err != nil {
		log.Fatal(err)
	}
	entries, err := live.Owners(document.Keys("spec", "replicas"))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entries {
		fmt.Println(e.Owner)
	}
	// Output:
	// "autoscaler" with subresource "scale" using apps/v1
}

// With Explain set, the result holds the rule that decided each field.
func ExampleResult_Reasons() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	live := patchlab.Files(os.DirFS("testdata/quickstart"), "live.yaml")
	result, err := lab.Patch(live, patchlab.Bytes([]byte(`{"spec":{"revisionHistoryLimit":null,"paused":true}}`)), patchlab.PatchOptions{Explain: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range result.Reasons() {
		fmt.Println(r)
	}
	// Output:
	// server-set: .metadata.generation set: 4, now 5; owned by nobody
	// strategic/value-is-added: .spec.paused set: nothing, now true; owned by nobody, now by "kubectl-patch" using apps/v1
	// default: .spec.revisionHistoryLimit kept: 10; owned by nobody
}

// A program reads the facts of some notes instead of their texts.
func ExampleNote() {
	lab, err := patchlab.New(patchlab.Options{})
	if err != nil {
		log.Fatal(err)
	}
	gadget := "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g, namespace: shop}\n"
	result, err := lab.Apply(nil, patchlab.Bytes([]byte(gadget)), patchlab.ApplyOptions{FieldManager: "ci"})
	if err != nil {
		log.Fatal(err)
	}
	for _, note := range result.Notes {
		switch n := note.(type) {
		case patchlab.NoSchema:
			fmt.Println("the result is a guess without the definition of", n.Kind, n.APIVersion)
		default:
			fmt.Println(n)
		}
	}
	// Output: the result is a guess without the definition of Gadget example.com/v1
}
