package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// lab is a cluster with running controllers.
type lab struct {
	t *testing.T
	c *cluster.Cluster
}

func newLab(t *testing.T, o Options) *lab {
	t.Helper()
	clock := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	uids := 0
	c, err := cluster.New(cluster.Config{
		Now: func() time.Time { return clock },
		UID: func() string { uids++; return fmt.Sprintf("00000000-0000-0000-0000-%012d", uids) },
	})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t, c}
	l.run(o)
	return l
}

// run starts the controllers, in which there must be no faults, and stops them when the test ends.
func (l *lab) run(o Options) {
	o.Fault = func(err error) { l.t.Error(err) }
	l.runWith(o)
}

func (l *lab) runWith(o Options) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- Run(ctx, l.c, o) }()
	l.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			l.t.Error(err)
		}
		_ = l.c.Close()
	})
}

func (l *lab) do(r *cluster.Request) (document.Value, *cluster.Status) {
	resp, err := l.c.Do(context.Background(), r)
	var status *cluster.Status
	if errors.As(err, &status) {
		return document.Value{}, status
	}
	return resp.Object, nil
}

// configMap creates a ConfigMap with finalizers and owner references and returns its
// UID.
func (l *lab) configMap(name string, finalizers []string, owners ...string) string {
	l.t.Helper()
	body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `","finalizers":["` + strings.Join(finalizers, `","`) + `"],"ownerReferences":[` + strings.Join(owners, ",") + `]}}`
	body = strings.Replace(body, `"finalizers":[""],`, "", 1)
	o, status := l.do(&cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "configmaps", Namespace: "n", Body: []byte(body)})
	if status != nil {
		l.t.Fatal(status)
	}
	return uidOf(o)
}

// ownerReference returns an owner reference to a ConfigMap.
func ownerReference(name, uid string, blocks bool) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","name":%q,"uid":%q,"blockOwnerDeletion":%v}`, name, uid, blocks)
}

func (l *lab) get(name string) document.Value {
	o, _ := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "configmaps", Namespace: "n", Name: name})
	return o
}

func (l *lab) delete(name, policy string) {
	l.t.Helper()
	_, status := l.do(&cluster.Request{
		Verb: cluster.Delete, Version: "v1", Resource: "configmaps", Namespace: "n", Name: name,
		Options: cluster.Options{Deletion: cluster.Deletion{PropagationPolicy: &policy}},
	})
	if status != nil {
		l.t.Fatal(status)
	}
}

// own sets the owner of a ConfigMap.
func (l *lab) own(name, owner string) {
	l.t.Helper()
	_, status := l.do(&cluster.Request{
		Verb: cluster.Patch, Version: "v1", Resource: "configmaps", Namespace: "n", Name: name, Format: cluster.MergePatch,
		Body: []byte(`{"metadata":{"ownerReferences":[` + owner + `]}}`),
	})
	if status != nil {
		l.t.Fatal(status)
	}
}

// finish removes the finalizers of a ConfigMap.
func (l *lab) finish(name string) {
	l.t.Helper()
	_, status := l.do(&cluster.Request{
		Verb: cluster.Patch, Version: "v1", Resource: "configmaps", Namespace: "n", Name: name, Format: cluster.MergePatch,
		Body: []byte(`{"metadata":{"finalizers":null}}`),
	})
	if status != nil {
		l.t.Fatal(status)
	}
}

// eventually waits until the cluster holds exactly the named ConfigMaps.
func (l *lab) eventually(why string, want ...string) {
	l.t.Helper()
	l.until(why+": ConfigMaps "+fmt.Sprint(want), func() (string, bool) {
		list, status := l.do(&cluster.Request{Verb: cluster.List, Version: "v1", Resource: "configmaps", Namespace: "n"})
		if status != nil {
			l.t.Fatal(status)
		}
		var names []string
		for _, item := range list.Get("items").Items() {
			names = append(names, item.Lookup("metadata", "name").StringOr(""))
		}
		return fmt.Sprint(names), slices.Equal(names, want)
	})
}

func (l *lab) until(what string, holds func() (string, bool)) {
	l.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		found, ok := holds()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			l.t.Fatalf("%s; found %s", what, found)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestBackgroundDeletionReachesDependents(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true})
	a := l.configMap("a", nil)
	b := l.configMap("b", nil, ownerReference("a", a, true))
	l.configMap("c", nil, ownerReference("b", b, false))
	l.configMap("d", nil)
	l.delete("a", background)
	l.eventually("what a owned, and what that owned, goes with it", "d")
}

func TestObjectWithRemainingOwnerIsKept(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true})
	a, b := l.configMap("a", nil), l.configMap("b", nil)
	l.configMap("c", nil, ownerReference("a", a, false), ownerReference("b", b, false))
	l.delete("a", background)
	l.until("the reference to a is dropped", func() (string, bool) {
		owners := ownersOf(l.get("c").Get("metadata"))
		return fmt.Sprint(owners), len(owners) == 1 && owners[0].uid == b
	})
	l.delete("b", background)
	l.eventually("then it goes with b")
}

func TestNonexistentOwnerIsAbsent(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true})
	a := l.configMap("a", nil)
	l.configMap("other-uid", nil, ownerReference("a", "00000000-0000-0000-0000-ffffffffffff", false))
	l.configMap("other-name", nil, ownerReference("none", a, false))
	l.configMap("unknown-kind", nil, strings.Replace(ownerReference("a", a, false), `"kind":"ConfigMap"`, `"kind":"Nothing"`, 1))
	l.eventually("of an unknown kind nothing is known", "a", "unknown-kind")
}

// TestObjectWithOwnerOfUnknownStateIsKept checks that an object stays as it is, with its references to owners that do not
// exist, if whether another owner exists cannot be known: its kind is not served, or it is in a namespace and the object is
// not. kube-controller-manager collects no such object either, not even once the owner is deleted.
func TestObjectWithOwnerOfUnknownStateIsKept(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true})
	a := l.configMap("a", nil)
	absent := ownerReference("none", "00000000-0000-0000-0000-ffffffffffff", false)
	unserved := strings.Replace(ownerReference("a", a, false), `"kind":"ConfigMap"`, `"kind":"Nothing"`, 1)
	l.configMap("b", nil, absent, unserved)
	role := func(name string, owners ...string) {
		l.create("rbac.authorization.k8s.io", "v1", "clusterroles", "", `{"metadata":{"name":"`+name+`","ownerReferences":[`+strings.Join(owners, ",")+`]}}`)
	}
	role("owned", ownerReference("a", a, true))
	role("absent", strings.Replace(absent, `"v1","kind":"ConfigMap"`, `"rbac.authorization.k8s.io/v1","kind":"ClusterRole"`, 1), ownerReference("a", a, true))
	l.delete("a", background)
	l.configMap("c", nil, absent) // is collected after everything before it
	l.eventually("only a and c go", "b")
	for _, tc := range []struct {
		reason, resource, namespace, name string
		owners                            int
	}{
		{"the kind of an owner is not served", "configmaps", "n", "b", 2},
		{"an owner that was deleted is in a namespace", "clusterroles", "", "owned", 1},
		{"one of two owners is in a namespace", "clusterroles", "", "absent", 2},
	} {
		group := map[bool]string{true: "rbac.authorization.k8s.io"}[tc.namespace == ""]
		o, st := l.do(&cluster.Request{Verb: cluster.Get, Group: group, Version: "v1", Resource: tc.resource, Namespace: tc.namespace, Name: tc.name})
		if owners := ownersOf(o.Get("metadata")); st != nil || len(owners) != tc.owners {
			t.Errorf("%s: %v, owners %v", tc.reason, st, owners)
		}
	}
}

func TestForegroundDeletionWaitsForDependents(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true})
	a := l.configMap("a", nil)
	l.configMap("blocks", []string{"example.com/wait"}, ownerReference("a", a, true))
	l.configMap("does-not", []string{"example.com/wait"}, ownerReference("a", a, false))
	l.configMap("free", nil, ownerReference("a", a, true))
	l.delete("a", foreground)
	l.eventually("a waits for what blocks it", "a", "blocks", "does-not")
	for _, name := range []string{"blocks", "does-not"} {
		l.until(name+" is being deleted", func() (string, bool) {
			return "", l.get(name).Lookup("metadata", "deletionTimestamp").Exists()
		})
	}
	l.finish("blocks")
	l.eventually("and for nothing else", "does-not")
	l.finish("does-not")
	l.eventually("in the end nothing is left")
}

// TestForegroundDeletionBeginsWithDependents checks that dependents which do not block the deletion of their owner are deleted
// with it, also if the owner then remains for another finalizer: kube-controller-manager examines them first.
func TestForegroundDeletionBeginsWithDependents(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true})
	a := l.configMap("a", []string{"example.com/wait"})
	b := l.configMap("b", nil, ownerReference("a", a, false))
	c := l.configMap("c", nil)
	l.configMap("d", nil, ownerReference("b", b, false), ownerReference("c", c, false))
	l.configMap("e", nil, ownerReference("a", a, false))
	l.delete("a", foreground)
	l.eventually("b and e go", "a", "c", "d")
}

// orphaned waits until the ConfigMap a with a uid is gone and b, its dependent, has been examined.
func (l *lab) orphaned(uid string) {
	l.t.Helper()
	l.eventually("a goes", "b")
	l.configMap("c", nil, ownerReference("a", uid, true)) // is collected after everything before it
	l.eventually("b stays", "b")
}

func TestOrphanedDependentsAreKept(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true})
	a := l.configMap("a", nil)
	l.configMap("b", nil, ownerReference("a", a, true))
	l.delete("a", orphan)
	l.orphaned(a)
	if owners := l.get("b").Lookup("metadata", "ownerReferences"); owners.Len() > 0 {
		t.Errorf("b is still owned: %s", owners)
	}
}

// TestOwnerCycleIsDeleted checks that foreground deletion removes two objects that own
// each other. Neither may wait for the other.
func TestOwnerCycleIsDeleted(t *testing.T) {
	l := newLab(t, Options{GarbageCollection: true})
	a := l.configMap("a", nil)
	b := l.configMap("b", nil, ownerReference("a", a, true))
	l.own("a", ownerReference("b", b, true))
	l.delete("a", foreground)
	l.eventually("both go")
}

// TestOwnerCycleIsDeletedWhileItIsExamined checks that a cycle is recognized if an object of
// it is deleted after the collector has queued the other one, and before it has seen the
// deletion among the changes.
func TestOwnerCycleIsDeletedWhileItIsExamined(t *testing.T) {
	l := newLab(t, Options{})
	a := l.configMap("a", nil)
	b := l.configMap("b", nil, ownerReference("a", a, true))
	l.own("a", ownerReference("b", b, true))
	changes, err := l.c.Changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Stop()
	r := newRunner(l.c, Options{GarbageCollection: true})
	for !r.synced {
		change, synced, err := changes.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if synced {
			r.begin()
		} else {
			r.observe(change)
		}
	}
	l.delete("a", foreground)
	r.processQueue(t.Context())
	go func() { _ = r.run(t.Context(), changes) }()
	l.eventually("both go")
}

// TestControllersProcessEarlierDeletions checks that controllers process deletions that happened before
// they started.
func TestControllersProcessEarlierDeletions(t *testing.T) {
	l := newLab(t, Options{})
	a := l.configMap("a", nil)
	l.configMap("b", nil, ownerReference("a", a, true))
	l.configMap("waits", nil)
	l.delete("a", background)
	l.delete("waits", foreground)
	l.eventually("nobody collects", "b", "waits")
	l.run(Options{GarbageCollection: true})
	l.eventually("now somebody does")
}

func (l *lab) namespace(name string) {
	l.t.Helper()
	body := `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"` + name + `"}}`
	if _, status := l.do(&cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "namespaces", Body: []byte(body)}); status != nil {
		l.t.Fatal(status)
	}
}

// TestConditionsOfAnEmptiedNamespace checks the conditions of a namespace that has no content anymore, but a finalizer of
// its own. kube-controller-manager writes them whether there was any content or not.
func TestConditionsOfAnEmptiedNamespace(t *testing.T) {
	l := newLab(t, Options{Namespaces: true})
	namespace := func(name string) string {
		o, _ := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: name})
		var conditions []string
		for _, c := range o.Lookup("status", "conditions").Items() {
			conditions = append(conditions, c.Get("reason").StringOr(""))
		}
		return fmt.Sprint(conditions, o.Lookup("spec", "finalizers").Len())
	}
	const (
		waiting = "[ResourcesDiscovered ParsedGroupVersions ContentDeleted SomeResourcesRemain SomeFinalizersRemain] 1"
		emptied = "[ResourcesDiscovered ParsedGroupVersions ContentDeleted ContentRemoved ContentHasNoFinalizers] 0"
	)
	for _, name := range []string{"n", "empty"} {
		l.create("", "v1", "namespaces", "", `{"metadata":{"name":"`+name+`","finalizers":["example.com/keep"]}}`)
		if name == "n" {
			l.configMap("waits", []string{"example.com/wait"})
		}
		if _, status := l.do(&cluster.Request{Verb: cluster.Delete, Version: "v1", Resource: "namespaces", Name: name}); status != nil {
			t.Fatal(status)
		}
		if name == "n" {
			l.until("content is left", func() (string, bool) { got := namespace(name); return got, got == waiting })
			l.finish("waits")
		}
		l.until(name+" is empty", func() (string, bool) { got := namespace(name); return got, got == emptied })
	}
}

func TestDeletedNamespaceIsEmptiedAndRemoved(t *testing.T) {
	l := newLab(t, Options{Namespaces: true})
	l.namespace("n")
	l.namespace("other")
	l.configMap("a", nil)
	l.configMap("waits", []string{"example.com/wait"})
	pod := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"node","containers":[{"name":"c","image":"i"}]}}`
	if _, status := l.do(&cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "pods", Namespace: "n", Body: []byte(pod)}); status != nil {
		t.Fatal(status)
	}
	if _, status := l.do(&cluster.Request{Verb: cluster.Delete, Version: "v1", Resource: "namespaces", Name: "n"}); status != nil {
		t.Fatal(status)
	}
	l.eventually("what has a finalizer keeps the namespace", "waits")
	namespace := func() document.Value {
		o, _ := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: "n"})
		return o
	}
	l.until("the status says what is left", func() (string, bool) {
		conditions := namespace().Lookup("status", "conditions").String()
		return conditions, strings.Contains(conditions, "Some resources are remaining: configmaps. has 1 resource instances") &&
			strings.Contains(conditions, "Some content in the namespace has finalizers remaining: example.com/wait in 1 resource instances")
	})
	l.finish("waits")
	l.until("the namespace goes", func() (string, bool) { return namespace().String(), !namespace().Exists() })
	if o, _ := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: "other"}); !o.Exists() {
		t.Error("the other namespace was deleted, too")
	}
}

// Each namespace has a service account, also if it existed before the controllers started or if its account
// is deleted, until the namespace is deleted.
func TestNamespacesHaveAccounts(t *testing.T) {
	l := newLab(t, Options{Namespaces: true, ServiceAccounts: true})
	account := func(verb cluster.Verb) document.Value {
		o, _ := l.do(&cluster.Request{Verb: verb, Version: "v1", Resource: "serviceaccounts", Namespace: "n", Name: "default"})
		return o
	}
	exists := func() (string, bool) { return account(cluster.Get).String(), account(cluster.Get).Exists() }
	l.namespace("n")
	l.until("a new namespace has an account", exists)
	first := uidOf(account(cluster.Get))
	account(cluster.Delete)
	l.until("a deleted account is created again", func() (string, bool) {
		uid := uidOf(account(cluster.Get))
		return uid, uid != "" && uid != first
	})
	if _, status := l.do(&cluster.Request{Verb: cluster.Delete, Version: "v1", Resource: "namespaces", Name: "n"}); status != nil {
		t.Fatal(status)
	}
	l.until("a deleted namespace goes, with its account", func() (string, bool) {
		o, _ := l.do(&cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "namespaces", Name: "n"})
		return o.String(), !o.Exists() && !account(cluster.Get).Exists()
	})
}

// TestControllersThatEndBeforeTheyBegin checks that Run returns nil if its context is done, or the
// cluster closed, before it watches anything.
func TestControllersThatEndBeforeTheyBegin(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ended, c, Options{}); err != nil {
		t.Errorf("with a context that is done: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), c, Options{}); err != nil {
		t.Errorf("with a closed cluster: %v", err)
	}
}

func TestParse(t *testing.T) {
	if o, err := Parse("namespace, gc,roles,quota,serviceaccount"); err != nil || !o.Namespaces || !o.GarbageCollection || !o.Aggregation || !o.Quotas || !o.ServiceAccounts {
		t.Errorf("all: %+v %v", o, err)
	}
	if o, err := Parse(""); err != nil || o.Any() {
		t.Errorf("Parse of an empty list: %+v %v", o, err)
	}
	if _, err := Parse("deployment"); err == nil || !strings.Contains(err.Error(), "known are namespace, gc, roles, quota and serviceaccount") {
		t.Errorf("unknown: %v", err)
	}
}

// TestRemoveKeepsAReplacement: between reading a dependent and deleting it, a client may delete it and create another object with
// its name, which is not to be deleted.
func TestRemoveKeepsAReplacement(t *testing.T) {
	l := newLab(t, Options{})
	uid := l.configMap("a", nil)
	r := runner{cluster: l.c}
	kind, _ := l.c.Kinds().Resource("", "v1", "configmaps")
	n := &node{kind: kind, namespace: "n", name: "a", uid: "00000000-0000-0000-0000-999999999999"}
	var status *cluster.Status
	if err := r.remove(t.Context(), n, "Background", document.Value{}); !errors.As(err, &status) || status.Reason != cluster.ReasonConflict {
		t.Errorf("the deletion of a replaced object: %v", err)
	}
	if got := uidOf(l.get("a")); got != uid {
		t.Errorf("the object with the name has the uid %q, want %q", got, uid)
	}
	n.uid = uid
	if err := r.remove(t.Context(), n, "Background", document.Value{}); err != nil || l.get("a").Exists() {
		t.Errorf("the deletion of the object itself: %v", err)
	}
}
