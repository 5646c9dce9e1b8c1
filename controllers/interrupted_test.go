package controllers

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// before is an admission that calls a function before each write of a controller is stored.
type before func(*cluster.Attributes) *cluster.Status

func (before) Active() bool { return true }

func (f before) Mutate(_ context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	if a.Request.UserAgent != agent {
		return a.Object, nil
	}
	return a.Object, f(a)
}

func (before) Validate(context.Context, *cluster.Attributes) *cluster.Status { return nil }
func (before) Changed(*schema.Kind)                                          {}

// newInterrupted returns a lab whose controllers are interrupted before each write.
func newInterrupted(t *testing.T, o Options, config cluster.Config, f before) *lab {
	t.Helper()
	if f != nil {
		config.Admission = func(*cluster.Cluster) (cluster.Admission, error) { return f, nil }
	}
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t, c}
	l.run(o)
	return l
}

// A namespace with more objects than the history has revisions: its deletion makes the controllers fall
// behind.
func TestControllersGoOnAfterTheyFellBehind(t *testing.T) {
	memory := store.NewMemory(store.MemoryOptions[*cluster.Record]{Equal: cluster.Equal, UID: (*cluster.Record).UID, History: 5})
	l := newInterrupted(t, Options{Namespaces: true, GarbageCollection: true}, cluster.Config{Store: memory}, nil)
	for _, name := range []string{"n", "other"} {
		l.namespace(name)
		for i := range 50 {
			body := `{"metadata":{"name":"c` + strconv.Itoa(i) + `"}}`
			if _, status := l.do(&cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "configmaps", Namespace: name, Body: []byte(body)}); status != nil {
				t.Fatal(status)
			}
		}
		if _, status := l.do(&cluster.Request{Verb: cluster.Delete, Version: "v1", Resource: "namespaces", Name: name}); status != nil {
			t.Fatal(status)
		}
		l.until("namespace "+name+" goes", func() (string, bool) {
			o, _ := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: name})
			return o.String(), !o.Exists()
		})
	}
}

// An owner that is deleted with the policy Orphan stays until its dependents have no reference to it. Without
// it, they would be deleted.
func TestDependentsThatChangeAreOrphaned(t *testing.T) {
	var l *lab
	var writes int
	l = newInterrupted(t, Options{GarbageCollection: true}, cluster.Config{}, func(a *cluster.Attributes) *cluster.Status {
		if a.Name == "b" && writes < 2*maxTries+5 { // an attempt at a patch asks twice
			writes++
			l.annotate("b", strconv.Itoa(writes))
		}
		return nil
	})
	a := l.configMap("a", nil)
	l.configMap("b", nil, ownerReference("a", a, false))
	l.delete("a", orphan)
	l.orphaned(a)
	if owners := l.get("b").Lookup("metadata", "ownerReferences"); owners.Len() > 0 || writes <= 2*maxTries {
		t.Errorf("b is owned by %s after %d writes", owners, writes)
	}
}

func (l *lab) annotate(name, value string) {
	l.t.Helper()
	_, status := l.do(&cluster.Request{
		Verb: cluster.Patch, Version: "v1", Resource: "configmaps", Namespace: "n", Name: name, Format: cluster.MergePatch,
		Body: []byte(`{"metadata":{"annotations":{"a":"` + value + `"}}}`),
	})
	if status != nil {
		l.t.Error(status)
	}
}

// A dependent that gets another owner while it is about to be deleted is kept.
func TestAdoptedObjectIsKept(t *testing.T) {
	var l *lab
	var adopt sync.Once
	var owner string
	l = newInterrupted(t, Options{GarbageCollection: true}, cluster.Config{}, func(a *cluster.Attributes) *cluster.Status {
		if a.Name == "b" && a.Operation == cluster.OperationDelete {
			adopt.Do(func() { l.own("b", ownerReference("owner", owner, false)) })
		}
		return nil
	})
	owner = l.configMap("owner", nil)
	a := l.configMap("a", nil)
	l.configMap("b", nil, ownerReference("a", a, false))
	l.delete("a", background)
	l.configMap("c", nil, ownerReference("a", a, false))
	l.eventually("a and c go", "b", "owner")
}

// Objects that cannot be deleted keep a namespace, whose status says why, but no other objects.
func TestNamespaceWithObjectsThatCannotBeDeleted(t *testing.T) {
	var once sync.Once
	refused := make(chan struct{})
	c, err := cluster.New(cluster.Config{Admission: func(*cluster.Cluster) (cluster.Admission, error) {
		return before(func(a *cluster.Attributes) *cluster.Status {
			if a.Operation == cluster.OperationDelete && a.Name == "a" {
				once.Do(func() { close(refused) })
				return &cluster.Status{Code: 403, Reason: cluster.ReasonForbidden, Message: "a is needed"}
			}
			return nil
		}), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t, c}
	l.runWith(Options{Namespaces: true, Fault: func(err error) {
		if !strings.Contains(err.Error(), "a is needed") {
			t.Error(err)
		}
	}})
	l.namespace("n")
	l.configMap("a", nil)
	l.configMap("b", nil)
	if _, status := l.do(&cluster.Request{Verb: cluster.Delete, Version: "v1", Resource: "namespaces", Name: "n"}); status != nil {
		t.Fatal(status)
	}
	<-refused
	l.eventually("the other objects go", "a")
	l.until("the status says why", func() (string, bool) {
		o, _ := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: "n"})
		conditions := o.Lookup("status", "conditions").String()
		return conditions, strings.Contains(conditions, "Failed to delete all resource types, 1 remaining: a is needed")
	})
}

// Since 1.33, the other objects of a namespace are deleted when its pods are gone (the feature
// OrderedNamespaceDeletion of Kubernetes).
func TestPodsOfANamespaceGoFirst(t *testing.T) {
	for version, want := range map[string]string{"1.32": "", "1.33": "c"} {
		l := newInterrupted(t, Options{Namespaces: true}, cluster.Config{Version: version}, nil)
		l.namespace("n")
		l.configMap("c", nil)
		pod := `{"metadata":{"name":"p","finalizers":["example.com/wait"]},"spec":{"containers":[{"name":"c","image":"i"}]}}`
		if _, status := l.do(&cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "pods", Namespace: "n", Body: []byte(pod)}); status != nil {
			t.Fatal(status)
		}
		if _, status := l.do(&cluster.Request{Verb: cluster.Delete, Version: "v1", Resource: "namespaces", Name: "n"}); status != nil {
			t.Fatal(status)
		}
		l.until("the namespace waits", func() (string, bool) {
			o, _ := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: "n"})
			return o.String(), o.Lookup("status", "conditions").Len() > 0
		})
		l.eventually(version+": the ConfigMap waits for the pod", strings.Fields(want)...)
		if _, status := l.do(&cluster.Request{Verb: cluster.Patch, Version: "v1", Resource: "pods", Namespace: "n", Name: "p", Format: cluster.MergePatch,
			Body: []byte(`{"metadata":{"finalizers":null}}`)}); status != nil {
			t.Fatal(status)
		}
		l.until("the namespace goes", func() (string, bool) {
			o, _ := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: "n"})
			return o.String(), !o.Exists()
		})
	}
}
