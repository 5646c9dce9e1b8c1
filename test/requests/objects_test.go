package requests

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// A benchObject is a stored object with two variants of each request that changes it.
// The variants alternate, so that each request changes something.
type benchObject struct {
	name    string
	kind    schema.GroupVersionKind
	request cluster.Request
	crd     string
	object  string
	// configs are applied by the manager "deployer"; merges and operations are merge
	// and JSON patches.
	configs, merges, operations [2]string
}

func benchObjects(b *testing.B) []benchObject {
	deployment, err := os.ReadFile("../../testdata/bench/deployment.json")
	if err != nil {
		b.Fatal(err)
	}
	image := func(n int) string { return fmt.Sprintf("registry.example.com/shop/worker:%d", n) }
	d := benchObject{
		name: "deployment", kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		request: cluster.Request{Group: "apps", Version: "v1", Resource: "deployments"},
		object:  string(deployment),
	}
	live := parsed(b, d.object)
	split, err := fieldmanager.Split(live)
	if err != nil {
		b.Fatal(err)
	}
	catalog, err := schema.Builtin("")
	if err != nil {
		b.Fatal(err)
	}
	kind, _ := catalog.Kind(d.kind)
	m, err := fieldmanager.New(fieldmanager.Config{APIVersion: "apps/v1", Kind: "Deployment", Type: kind.Type()})
	if err != nil {
		b.Fatal(err)
	}
	config, ok, err := m.Extract(split, "deployer")
	if err != nil || !ok {
		b.Fatal("deployer applied nothing", err)
	}
	for i := range 2 {
		containers := config.Lookup("spec", "template", "spec", "containers")
		next := containers.WithItem(1, containers.At(1).With("image", document.NewString(image(i))))
		d.configs[i] = config.Set(next, "spec", "template", "spec", "containers").String()
		d.merges[i] = fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":"seen %d"}},"spec":{"replicas":%d}}`, i, 5+i)
		d.operations[i] = `[{"op":"replace","path":"/spec/template/spec/containers/1/image","value":"` + image(i) + `"}]`
	}
	return []benchObject{d, benchList(100), benchList(1000), benchList(10000)}
}

const benchCRD = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"tables.lab.example.com"},
"spec":{"group":"lab.example.com","names":{"kind":"Table","plural":"tables"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"items":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"count":{"type":"integer","default":1},"value":{"type":"string","maxLength":100}}}}}}}}}}]}}`

func benchList(n int) benchObject {
	t := benchObject{
		name: fmt.Sprintf("items-%d", n), kind: schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Table"},
		request: cluster.Request{Group: "lab.example.com", Version: "v1", Resource: "tables"}, crd: benchCRD,
	}
	text := func(value string) string {
		var s strings.Builder
		s.WriteString(`{"apiVersion":"lab.example.com/v1","kind":"Table","metadata":{"name":"shop","namespace":"store"},"spec":{"items":[`)
		for i := range n {
			if i > 0 {
				s.WriteByte(',')
			}
			v := fmt.Sprintf("value %d", i)
			if i == n/2 {
				v = value
			}
			fmt.Fprintf(&s, `{"count":%d,"name":"item-%05d","value":"%s"}`, i%7, i, v)
		}
		return s.String() + "]}}"
	}
	t.object = text("first")
	for i := range 2 {
		t.configs[i] = text(fmt.Sprintf("other %d", i))
		t.merges[i] = fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":"seen %d"}}}`, i)
		t.operations[i] = fmt.Sprintf(`[{"op":"replace","path":"/spec/items/%d/value","value":"other %d"}]`, n/2, i)
	}
	return t
}

func parsed(b testing.TB, text string) document.Value {
	b.Helper()
	d, err := document.Parse([]byte(text), document.Options{MaxBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	return d.Root
}
