package controllers

import (
	"fmt"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// define creates or replaces the definition of Things, with the versions that are served. v1 is the storage version.
func (l *lab) define(served ...string) {
	l.t.Helper()
	versions := ""
	for i, name := range served {
		if i > 0 {
			versions += ","
		}
		versions += fmt.Sprintf(`{"name":%q,"served":true,"storage":%v,"schema":{"openAPIV3Schema":{"type":"object"}}}`, name, name == "v1")
	}
	body := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com",
		"scope":"Namespaced","names":{"kind":"Thing","plural":"things"},"versions":[` + versions + `]}}`
	if _, st := l.do(&cluster.Request{
		Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: "things.example.com",
		Body: []byte(body), Options: cluster.Options{FieldManager: "test"},
	}); st != nil {
		l.t.Fatal(st)
	}
}

func (l *lab) undefine() {
	l.t.Helper()
	if _, st := l.do(&cluster.Request{Verb: cluster.Delete, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: "things.example.com"}); st != nil {
		l.t.Fatal(st)
	}
}

func (l *lab) create(group, version, resource, namespace, body string) string {
	l.t.Helper()
	o, st := l.do(&cluster.Request{Verb: cluster.Create, Group: group, Version: version, Resource: resource, Namespace: namespace, Body: []byte(body)})
	if st != nil {
		l.t.Fatal(st)
	}
	return uidOf(o)
}

func (l *lab) deleteNamespace() {
	l.t.Helper()
	if _, st := l.do(&cluster.Request{Verb: cluster.Delete, Version: "v1", Resource: "namespaces", Name: "n"}); st != nil {
		l.t.Fatal(st)
	}
	l.until("the namespace is removed", func() (string, bool) {
		o, st := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: "n"})
		return o.String(), st != nil && st.Code == 404
	})
}

// TestNamespaceAfterADefinition deletes a namespace whose custom resources went with their definition: the
// controllers learn of their deletion when their kind is no longer served.
func TestNamespaceAfterADefinition(t *testing.T) {
	l := newLab(t, Options{Namespaces: true})
	for range 2 { // a namespace of the same name can be deleted, too
		l.define("v1")
		l.namespace("n")
		l.create("example.com", "v1", "things", "n", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"}}`)
		l.undefine()
		l.deleteNamespace()
	}
}

// TestNamespaceWithAVersionThatIsNoLongerServed deletes custom resources in another version than the one in which
// the controllers learned of them.
func TestNamespaceWithAVersionThatIsNoLongerServed(t *testing.T) {
	l := newLab(t, Options{Namespaces: true})
	l.define("v1", "v2")
	l.namespace("n")
	l.create("example.com", "v2", "things", "n", `{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"a"}}`)
	if _, st := l.do(&cluster.Request{
		Verb: cluster.Patch, Format: cluster.JSONPatch, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: "things.example.com",
		Body: []byte(`[{"op":"replace","path":"/spec/versions/0/served","value":false}]`),
	}); st != nil {
		t.Fatal(st)
	}
	l.deleteNamespace()
}

// TestDependentsOfADefinition: objects whose owner went with its definition are deleted.
func TestDependentsOfADefinition(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true})
	l.configMap("first", nil, ownerReference("none", "0", false))
	l.eventually("the controllers have started")
	l.define("v1")
	uid := l.create("example.com", "v1", "things", "n", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"}}`)
	l.configMap("kept", nil)
	l.configMap("owned", nil, fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Thing","name":"a","uid":%q}`, uid))
	l.undefine()
	l.eventually("their owner is gone", "kept")
}
