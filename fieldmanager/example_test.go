package fieldmanager_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// deployments returns a manager for the Deployments of the newest Kubernetes.
func deployments() *fieldmanager.Manager {
	catalog, err := schema.Builtin("")
	if err != nil {
		panic(err)
	}
	kind, _ := catalog.Kind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	m, err := fieldmanager.New(fieldmanager.Config{APIVersion: "apps/v1", Kind: "Deployment", Type: kind.Type()})
	if err != nil {
		panic(err)
	}
	return m
}

func mustParse(text string) document.Value {
	d, err := document.ParseYAML([]byte(text), document.Options{})
	if err != nil {
		panic(err)
	}
	return d.Root
}

const webApp = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - {name: web, image: "web:1"}
`

const scaler = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 5}
`

func ExampleManager_Apply() {
	m := deployments()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	live, err := m.Apply(fieldmanager.Object{}, mustParse(webApp), fieldmanager.ApplyOptions{FieldManager: "alice", Time: now})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Apply(live, mustParse(scaler), fieldmanager.ApplyOptions{FieldManager: "bob", Time: now})
	var conflicts *fieldmanager.Conflicts
	if errors.As(err, &conflicts) {
		for _, c := range conflicts.List {
			fmt.Printf("%s is %s, owned by %s; wanted %s\n", c.Path, c.Live, c.Owner, c.Wanted)
		}
	}
	live, err = m.Apply(live, mustParse(scaler), fieldmanager.ApplyOptions{FieldManager: "bob", Force: true, Time: now})
	fmt.Println(live.Value.Lookup("spec", "replicas"), err)
	for _, e := range live.Managed.Entries() {
		fmt.Println(e.Manager, e.Fields.Paths())
	}
	// Output:
	// .spec.replicas is 3, owned by "alice"; wanted 5
	// 5 <nil>
	// alice [.spec.template.spec.containers[name="web"] .spec.template.spec.containers[name="web"].image .spec.template.spec.containers[name="web"].name]
	// bob [.spec.replicas]
}

func ExampleManager_Update() {
	m := deployments()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	live, _ := m.Apply(fieldmanager.Object{}, mustParse(webApp), fieldmanager.ApplyOptions{FieldManager: "alice", Time: now})
	next := live.Value.Set(document.NewInt(7), "spec", "replicas")
	after, err := m.Update(live, next, fieldmanager.UpdateOptions{FieldManager: "kubectl-edit", Time: now})
	for _, e := range after.Managed.Owners(document.Keys("spec", "replicas")) {
		fmt.Println(e.Manager, e.Operation, err)
	}
	// Output: kubectl-edit Update <nil>
}

func ExampleManager_Extract() {
	m := deployments()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	live, _ := m.Apply(fieldmanager.Object{}, mustParse(webApp), fieldmanager.ApplyOptions{FieldManager: "alice", Time: now})
	live, _ = m.Apply(live, mustParse(scaler), fieldmanager.ApplyOptions{FieldManager: "bob", Force: true, Time: now})
	config, ok, err := m.Extract(live, "bob")
	fmt.Println(config, ok, err)
	// Output: {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":5}} true <nil>
}

func ExampleManager_Observed() {
	m := deployments()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	live, _ := m.Apply(fieldmanager.Object{}, mustParse(webApp), fieldmanager.ApplyOptions{FieldManager: "alice", Time: now})
	m = m.Observed(func(d patch.Decision) {
		fmt.Println(d.Path, d.Outcome, "by the rule", d.Rule)
	})
	_, err := m.Apply(live, mustParse(scaler), fieldmanager.ApplyOptions{FieldManager: "bob", Time: now})
	fmt.Println(err)
	// Output:
	// .spec.replicas refused by the rule apply/conflict
	// Apply failed with 1 conflict: conflict with "alice": .spec.replicas
}

func ExampleManaged_Migrate() {
	m := deployments()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	live, _ := m.Update(fieldmanager.Object{}, mustParse(scaler), fieldmanager.UpdateOptions{FieldManager: "kubectl-client-side-apply", Time: now})
	managed := live.Managed.Migrate([]string{"kubectl-client-side-apply"}, "kubectl", "")
	for _, e := range managed.Entries() {
		fmt.Println(e.Manager, e.Operation)
	}
	// Output: kubectl Apply
}
