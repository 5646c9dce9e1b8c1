package controllers

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestRandomDeletions creates and deletes namespaces, definitions and objects with owners and finalizers in random
// orders. Once all finalizers are removed, nothing may be left that is being deleted, nor an object whose owner
// is gone. Whether an owner exists is unknown where its kind is not served: an object that is created when the
// definition of its owner ends remains, as with kube-controller-manager.
func TestRandomDeletions(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			l := newLab(t, Options{Namespaces: true, GarbageCollection: true})
			d := &disorder{lab: l, Rand: rand.New(rand.NewPCG(seed, 0))}
			l.configMap("first", nil, ownerReference("none", "0", false))
			l.eventually("the controllers have started")
			for range 60 {
				d.step()
			}
			d.settle()
		})
	}
}

// disorder makes random requests. Those that are refused, as in a namespace that is being deleted, are part of it.
type disorder struct {
	*lab
	*rand.Rand
}

var (
	someNamespaces = []string{"n", "m"}
	someKinds      = []string{"things", "others"}
	kindNames      = map[string]string{"things": "Thing", "others": "Other", "configmaps": "ConfigMap"}
)

func (d *disorder) step() {
	namespace, plural := someNamespaces[d.IntN(2)], someKinds[d.IntN(2)]
	group, version, resource := "example.com", "v1", plural
	if d.IntN(2) == 0 {
		group, resource = "", "configmaps"
	}
	name := fmt.Sprintf("o%d", d.IntN(6))
	policy := []string{background, foreground, orphan}[d.IntN(3)]
	deletion := cluster.Options{Deletion: cluster.Deletion{PropagationPolicy: &policy}}
	switch d.IntN(12) {
	case 0:
		d.do(&cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "namespaces", Body: []byte(`{"metadata":{"name":"` + namespace + `"}}`)})
	case 1:
		d.do(&cluster.Request{Verb: cluster.Delete, Version: "v1", Resource: "namespaces", Name: namespace})
	case 2, 3:
		d.do(&cluster.Request{Verb: cluster.Create, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
			Body: []byte(`{"metadata":{"name":"` + plural + `.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"` + kindNames[plural] + `","plural":"` + plural + `"},
				"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)})
	case 4:
		d.do(&cluster.Request{Verb: cluster.Delete, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: plural + ".example.com"})
	case 5, 6:
		d.do(&cluster.Request{Verb: cluster.Delete, Group: group, Version: version, Resource: resource, Namespace: namespace, Name: name, Options: deletion})
	default:
		d.createOwned(group, version, resource, namespace, name)
	}
}

// createOwned creates an object, often with a finalizer or an owner in the same namespace.
func (d *disorder) createOwned(group, version, resource, namespace, name string) {
	var owners, finalizers []string
	if all := d.objects(namespace); len(all) > 0 && d.IntN(3) > 0 {
		o := all[d.IntN(len(all))]
		owners = append(owners, fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"blockOwnerDeletion":%v}`, o.Get("apiVersion").StringOr(""),
			o.Get("kind").StringOr(""), o.Lookup("metadata", "name").StringOr(""), uidOf(o), d.IntN(2) == 0))
	}
	if d.IntN(4) == 0 {
		finalizers = append(finalizers, `"example.com/wait"`)
	}
	d.do(&cluster.Request{Verb: cluster.Create, Group: group, Version: version, Resource: resource, Namespace: namespace,
		Body: []byte(fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"finalizers":[%s],"ownerReferences":[%s]}}`,
			schema.APIVersion(group, version), kindNames[resource], name, strings.Join(finalizers, ","), strings.Join(owners, ",")))})
}

// objects returns the ConfigMaps and custom resources in a namespace, with their apiVersion and kind. These are not
// asked of the cluster, where the definition may go at any moment.
func (d *disorder) objects(namespace string) []document.Value {
	var all []document.Value
	for _, resource := range append([]string{"configmaps"}, someKinds...) {
		group := "example.com"
		if resource == "configmaps" {
			group = ""
		}
		resp, err := d.c.Do(d.t.Context(), &cluster.Request{Verb: cluster.List, Group: group, Version: "v1", Resource: resource, Namespace: namespace})
		if err == nil {
			for _, o := range resp.Items() {
				all = append(all, o.With("apiVersion", document.NewString(schema.APIVersion(group, "v1"))).With("kind", document.NewString(kindNames[resource])))
			}
		}
	}
	return all
}

// settle removes the finalizers of all objects and checks what is left.
func (d *disorder) settle() {
	d.until("nothing is being deleted, and no owner is missing", func() (string, bool) {
		var left []string
		for _, namespace := range someNamespaces {
			uids := map[string]bool{}
			all := d.objects(namespace)
			for _, o := range all {
				uids[uidOf(o)] = true
			}
			for _, o := range all {
				group, version, _ := schema.SplitAPIVersion(o.Get("apiVersion").StringOr(""))
				resource := strings.ToLower(o.Get("kind").StringOr("")) + "s"
				name := namespace + "/" + o.Lookup("metadata", "name").StringOr("")
				if strings.Contains(o.Lookup("metadata", "finalizers").String(), "example.com/wait") {
					d.do(&cluster.Request{Verb: cluster.Patch, Format: cluster.MergePatch, Group: group, Version: version, Resource: resource, Namespace: namespace,
						Name: o.Lookup("metadata", "name").StringOr(""), Body: []byte(`{"metadata":{"finalizers":null}}`)})
				}
				if o.Lookup("metadata", "deletionTimestamp").Exists() {
					left = append(left, name+" is being deleted")
				}
				for _, owner := range ownersOf(o.Get("metadata")) {
					group, _, _ := schema.SplitAPIVersion(owner.apiVersion)
					if !uids[owner.uid] && len(d.c.Kinds().Served(group, owner.kind)) > 0 {
						left = append(left, name+" has an owner that is gone: "+owner.kind+" "+owner.name)
					}
				}
			}
			if o, st := d.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: namespace}); st == nil && o.Lookup("metadata", "deletionTimestamp").Exists() {
				left = append(left, "namespace "+namespace+" is being deleted")
			}
		}
		return strings.Join(left, "; "), len(left) == 0
	})
}
