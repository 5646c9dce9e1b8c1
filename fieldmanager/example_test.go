package fieldmanager_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

const webApp = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1"}
`

const scaler = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 5}
`

// now is the time of all requests in the examples.
var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// managerOf returns the Manager of Deployments or of one of their subresources in the
// default Kubernetes version.
func managerOf(subresource string) *fieldmanager.Manager {
	catalog, err := schema.Builtin("")
	if err != nil {
		panic(err)
	}
	registry := schema.NewRegistry(catalog)
	kind, ok := registry.Kind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	if !ok {
		panic("no such kind")
	}
	m, err := fieldmanager.For(registry, kind, subresource)
	if err != nil {
		panic(err)
	}
	return m
}

// parsed parses YAML.
func parsed(text string) document.Value {
	d, err := document.ParseYAML([]byte(text), document.Options{})
	if err != nil {
		panic(err)
	}
	return d.Root
}

// deployed returns a Deployment that alice applied.
func deployed(m *fieldmanager.Manager) fieldmanager.Object {
	live, err := m.Apply(fieldmanager.Object{}, parsed(webApp), fieldmanager.ApplyOptions{FieldManager: "alice", Time: now})
	if err != nil {
		panic(err)
	}
	return live
}

// A manifest is applied to a live Deployment without a cluster. The conflicts are printed
// as JSON.
func ExampleManager_Apply() {
	m := managerOf("")
	live := deployed(m)
	_, err := m.Apply(live, parsed(scaler), fieldmanager.ApplyOptions{FieldManager: "bob", Time: now})
	fmt.Println(err)
	var conflicts *fieldmanager.Conflicts
	if errors.As(err, &conflicts) {
		text, _ := json.MarshalIndent(conflicts, "", "  ")
		fmt.Println(string(text))
	}
	// Output:
	// Apply failed with 1 conflict: conflict with "alice": .spec.replicas
	// {
	//   "conflicts": [
	//     {
	//       "manager": "alice",
	//       "operation": "Apply",
	//       "apiVersion": "apps/v1",
	//       "time": "2026-01-02T03:04:05Z",
	//       "path": ".spec.replicas",
	//       "live": 3,
	//       "wanted": 5
	//     }
	//   ]
	// }
}

// With force, the applying manager becomes the owner of conflicting fields.
func ExampleManager_Apply_force() {
	m := managerOf("")
	live := deployed(m)
	live, err := m.Apply(live, parsed(scaler), fieldmanager.ApplyOptions{FieldManager: "bob", Force: true, Time: now})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(live.Value.Lookup("spec", "replicas"))
	for _, e := range live.Managed.Entries() {
		fmt.Println(e.Owner, e.Fields.Leaves())
	}
	// Output:
	// 5
	// "alice" .spec.selector .spec.template.metadata.labels.app .spec.template.spec.containers[name="web"].image .spec.template.spec.containers[name="web"].name
	// "bob" .spec.replicas
}

// Split and Join convert between an object as printed by kubectl and its value with decoded
// owners.
func ExampleSplit() {
	object := parsed(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  managedFields:
  - {manager: hpa, operation: Update, apiVersion: apps/v1, subresource: scale, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:replicas": {}}}}
spec: {replicas: 5}
`)
	live, err := fieldmanager.Split(object)
	for _, e := range live.Managed.Entries() {
		fmt.Println(e.Owner, "owns", e.Fields, err)
	}
	fmt.Println(live.Value)
	fmt.Println(document.Equal(live.Join(), object))
	// Output:
	// "hpa" with subresource "scale" using apps/v1 owns .spec.replicas <nil>
	// {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":5}}
	// true
}

// A manager that updates the object becomes the owner of the fields that it changes;
// through the status subresource, only of fields in the status.
func ExampleManager_Update() {
	live := deployed(managerOf(""))
	next := live.Value.Set(document.NewInt(7), "spec", "replicas").Set(document.NewInt(7), "status", "replicas")
	for _, subresource := range []string{"", "status"} {
		after, err := managerOf(subresource).Update(live, next, fieldmanager.UpdateOptions{FieldManager: "controller", Time: now})
		for _, e := range after.Managed.Of("controller") {
			fmt.Println(e.Owner, e.Fields, err)
		}
	}
	// Output:
	// "controller" using apps/v1 .spec.replicas <nil>
	// "controller" with subresource "status" using apps/v1 .status.replicas <nil>
}

// FieldPath converts an index in a list to the key that managedFields uses.
func ExampleManaged_Owners() {
	m := managerOf("")
	live := deployed(m)
	p, err := document.ParsePath(".spec.template.spec.containers[0].image")
	if err != nil {
		fmt.Println(err)
		return
	}
	field, err := m.FieldPath(live.Value, p)
	fmt.Println(field, err)
	for _, e := range live.Managed.Owners(field) {
		fmt.Println(e.Owner)
	}
	// Output:
	// .spec.template.spec.containers[name="web"].image <nil>
	// "alice"
}

func ExampleManager_FieldPath() {
	m := managerOf("")
	live := deployed(m)
	for _, text := range []string{".spec.selector.matchLabels.app", ".spec.template.spec.containers[1]", ".spec.replica"} {
		p, _ := document.ParsePath(text)
		field, err := m.FieldPath(live.Value, p)
		fmt.Println(field, err)
	}
	// Output:
	// .spec.selector <nil>
	// . invalid field path: .spec.template.spec.containers has no item [1]
	// . invalid field path: .spec has no field replica
}

// Parts visits every field of an object with its owners.
func ExampleManager_Parts() {
	m := managerOf("")
	live := deployed(m)
	m.Parts(live, func(p fieldmanager.Part) {
		if p.Value.Kind() != document.Object && p.Value.Kind() != document.List && p.At.HasPrefix(document.Keys("spec", "template")) && len(p.Owners) > 0 {
			fmt.Println(p.Path, p.Value)
		}
	})
	// Output:
	// .spec.template.metadata.labels.app "web"
	// .spec.template.spec.containers[name="web"].image "web:1"
	// .spec.template.spec.containers[name="web"].name "web"
}

// Extract returns the configuration that a manager applied, so that it can be changed and
// applied again.
func ExampleManager_Extract() {
	m := managerOf("")
	live, err := m.Apply(deployed(m), parsed(scaler), fieldmanager.ApplyOptions{FieldManager: "bob", Force: true, Time: now})
	if err != nil {
		fmt.Println(err)
		return
	}
	config, ok, err := m.Extract(live, "bob")
	fmt.Println(config, ok, err)
	// Output: {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":5}} true <nil>
}

// An observer receives every decision of an apply, even if it is refused.
func ExampleManager_Observed() {
	m := managerOf("")
	live := deployed(m)
	m = m.Observed(func(d fieldmanager.Decision) {
		fmt.Println(d.Path, d.Outcome, "by", d.Rule, "because of", d.Owner)
	})
	_, err := m.Apply(live, parsed(scaler), fieldmanager.ApplyOptions{FieldManager: "bob", Time: now})
	fmt.Println(err)
	// Output:
	// .spec.replicas refused by apply/conflict because of "alice"
	// Apply failed with 1 conflict: conflict with "alice": .spec.replicas
}

// Migrate prepares an object managed by client-side apply for server-side apply. Without
// it, omitting a field from the manifest would not remove it.
func ExampleManaged_Migrate() {
	m := managerOf("")
	live, err := m.Update(fieldmanager.Object{}, parsed(webApp), fieldmanager.UpdateOptions{FieldManager: "kubectl-client-side-apply", Time: now})
	if err != nil {
		fmt.Println(err)
		return
	}
	live.Managed = live.Managed.Migrate([]string{"kubectl-client-side-apply"}, "kubectl", "")
	for _, e := range live.Managed.Entries() {
		fmt.Println(e.Owner)
	}
	without := parsed(webApp).Remove("spec", "replicas")
	after, err := m.Apply(live, without, fieldmanager.ApplyOptions{FieldManager: "kubectl", Time: now})
	fmt.Println(after.Value.Lookup("spec", "replicas"), err)
	// Output:
	// "kubectl"
	// 1 <nil>
}

func ExampleNewSet() {
	image, err := document.ParsePath(`.spec.template.spec.containers[name="web"].image`)
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := fieldmanager.NewSet(image, document.Keys("spec", "replicas"))
	fmt.Println(set, err)
	text, _ := json.Marshal(set.Remove(image))
	fmt.Println(string(text), set.Has(image))
	_, err = set.Insert(document.Path{})
	fmt.Println(err)
	// Output:
	// .spec.replicas .spec.template.spec.containers[name="web"].image <nil>
	// {"f:spec":{"f:replicas":{}}} true
	// invalid field path: the empty path refers to the whole object
}

// An Object is encoded as the JSON object including managedFields.
func ExampleObject() {
	var live fieldmanager.Object
	if err := json.Unmarshal([]byte(`{"kind":"ConfigMap","metadata":{"managedFields":[
		{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}]},"data":{"a":"1"}}`), &live); err != nil {
		fmt.Println(err)
		return
	}
	_ = json.NewEncoder(os.Stdout).Encode(live.Managed.Owners(document.Keys("data", "a")))
	// Output: [{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}},"manager":"m","operation":"Apply"}]
}
