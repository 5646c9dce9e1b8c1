package manifest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// endingDefinition is a dump of a definition that is being deleted and waits for its objects,
// one of which has a finalizer.
const endingDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gateways.shop.example
  uid: 11111111-1111-4111-8111-111111111111
  deletionTimestamp: "2026-01-02T03:04:05Z"
  finalizers: [customresourcecleanup.apiextensions.k8s.io]
  managedFields:
  - {apiVersion: apiextensions.k8s.io/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:group": {}}}, manager: helm, operation: Apply}
spec:
  group: shop.example
  scope: Namespaced
  names: {kind: Gateway, plural: gateways, singular: gateway}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
apiVersion: shop.example/v1
kind: Gateway
metadata: {name: plain, namespace: default}
---
apiVersion: shop.example/v1
kind: Gateway
metadata: {name: kept, namespace: default, finalizers: [shop.example/keep]}
`

// TestLoadEndingDefinition checks that the objects of a definition that is being deleted are
// loaded, and that its deletion continues afterwards.
func TestLoadEndingDefinition(t *testing.T) {
	docs, err := Parse("dump.yaml", []byte(endingDefinition))
	if err != nil {
		t.Fatal(err)
	}
	objects := Split(docs...)
	for _, c := range []struct {
		name    string
		objects []Object
		left    map[string]bool // by resource and name
	}{
		{"a finalizer keeps an object, and with it the definition", objects, map[string]bool{"customresourcedefinitions/gateways.shop.example": true, "gateways/kept": true, "gateways/plain": false}},
		{"without objects, the definition is gone", objects[:1], map[string]bool{"customresourcedefinitions/gateways.shop.example": false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			lab, err := cluster.New(cluster.Config{})
			if err != nil {
				t.Fatal(err)
			}
			defer lab.Close()
			if err := Load(context.Background(), lab, "test", c.objects...); err != nil {
				t.Fatal(err)
			}
			for path, want := range c.left {
				resource, name, _ := strings.Cut(path, "/")
				r := cluster.Request{Verb: cluster.Get, Group: "shop.example", Version: "v1", Resource: resource, Namespace: "default", Name: name}
				if resource != "gateways" {
					r.Group, r.Namespace = "apiextensions.k8s.io", ""
				}
				response, err := lab.Do(context.Background(), &r)
				if err == nil != want {
					t.Errorf("%s: %v, want it to exist: %v", path, err, want)
				}
				if err == nil && !response.Object.Lookup("metadata", "deletionTimestamp").Exists() {
					t.Errorf("%s is not being deleted", path)
				}
			}
		})
	}
}

// TestLoadWithStrictNamespaces checks that the objects of a dump need no namespace: a dump of one kind lacks it, and
// that of a namespace which is being deleted has objects that could not be created in it.
func TestLoadWithStrictNamespaces(t *testing.T) {
	docs, err := Parse("dump.yaml", []byte(`apiVersion: v1
kind: Namespace
metadata: {name: ending, deletionTimestamp: "2026-01-02T03:04:05Z"}
spec: {finalizers: [kubernetes]}
status: {phase: Terminating}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: ending}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: b, namespace: absent}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}
status: {replicas: 1}
`))
	if err != nil {
		t.Fatal(err)
	}
	lab, err := cluster.New(cluster.Config{StrictNamespaces: true})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	if err := Load(context.Background(), lab, "test", Split(docs...)...); err != nil {
		t.Fatal(err)
	}
	response, err := lab.Do(context.Background(), &cluster.Request{Group: "apps", Version: "v1", Resource: "deployments", Namespace: "absent", Name: "b"})
	if err != nil || response.Object.Lookup("status", "replicas").String() != "1" {
		t.Errorf("the Deployment: %v", err)
	}
}

// TestLoadErrorHasItsObject checks that the error of Load contains the object and its position.
func TestLoadErrorHasItsObject(t *testing.T) {
	docs, err := Parse("dump.yaml", []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"))
	if err != nil {
		t.Fatal(err)
	}
	lab, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	var failed *LoadError
	if err := Load(context.Background(), lab, "test", Split(docs...)...); !errors.As(err, &failed) || failed.Object.Document != docs[1] {
		t.Fatalf("%v, want the error of the second object", err)
	}
	if want := `dump.yaml:5:1: configmaps "a" already exists`; failed.Error() != want {
		t.Errorf("%s, want %s", failed, want)
	}
}
