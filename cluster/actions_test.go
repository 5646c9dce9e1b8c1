package cluster_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// witness admits everything and notes what it was asked. It adds an annotation to each body.
type witness struct{ seen []string }

func (w *witness) Active() bool         { return true }
func (w *witness) Changed(*schema.Kind) {}

func (w *witness) Mutate(_ context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	w.note("mutate", a)
	return a.Object.Set(document.NewString("witness"), "metadata", "annotations", "seen-by"), nil
}

func (w *witness) Validate(_ context.Context, a *cluster.Attributes) *cluster.Status {
	w.note("validate", a)
	return nil
}

func (w *witness) note(stage string, a *cluster.Attributes) {
	entry := []string{stage, string(a.Operation), a.Resource.Resource, a.Request.Subresource, a.Kind.Kind, a.Namespace, a.Name,
		a.Object.Lookup("metadata", "annotations", "seen-by").StringOr("-")}
	w.seen = append(w.seen, strings.Join(entry, " "))
}

// TestActionsPassAdmission checks that webhooks see the body of an action as that of a creation
// (handlers/create.go), and that the deletion of an evicted pod has no admission of its own.
func TestActionsPassAdmission(t *testing.T) {
	w := &witness{}
	q := newRequests(t, cluster.Config{Admission: func(*cluster.Cluster) (cluster.Admission, error) { return w, nil }})
	q.must(cluster.Create, "/api/v1/namespaces/n/serviceaccounts", `{"metadata":{"name":"a"}}`)
	q.must(cluster.Create, pods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"a"}]}}`)
	for _, test := range []struct{ path, body, kind string }{
		{"/api/v1/namespaces/n/serviceaccounts/a/token", `{}`, "serviceaccounts token TokenRequest n a"},
		{"/api/v1/namespaces/n/bindings", `{"metadata":{"name":"p"},"target":{"name":"node"}}`, "bindings  Binding n p"},
		{"/api/v1/namespaces/n/pods/p/eviction", `{"metadata":{"name":"p"}}`, "pods eviction Eviction n p"},
	} {
		w.seen = nil
		q.must(cluster.Create, test.path, test.body)
		want := []string{"mutate CREATE " + test.kind + " -", "validate CREATE " + test.kind + " witness"}
		if !slices.Equal(w.seen, want) {
			t.Errorf("%s: admission was asked\n%s\nwant\n%s", test.path, strings.Join(w.seen, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A second eviction of a pod that finalizers keep changes nothing, so that drains that try again
// do not wake up its watchers.
func TestSecondEvictionChangesNothing(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	const pods = "/api/v1/namespaces/n/pods"
	q.must(cluster.Create, pods, `{"metadata":{"name":"p","finalizers":["example.com/f"]},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	version := ""
	for range 2 {
		q.must(cluster.Create, pods+"/p/eviction", `{"metadata":{"name":"p"}}`)
		pod := q.must(cluster.Get, pods+"/p", "")
		now := pod.Lookup("metadata", "resourceVersion").StringOr("")
		if version != "" && now != version {
			t.Errorf("the second eviction changed the resourceVersion from %s to %s", version, now)
		}
		version = now
	}
}

// The options of an Eviction are validated only when the pod is deleted: after its PodDisruptionBudget has been
// checked, and after the condition DisruptionTarget has been added (kube-apiserver 1.36.3).
func TestEvictionWithInvalidOptions(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	const (
		pods     = "/api/v1/namespaces/n/pods"
		eviction = `{"metadata":{"name":"p"},"deleteOptions":{"propagationPolicy":"Bad"}}`
	)
	refused := func(code int, cause string) {
		t.Helper()
		_, st := q.do(cluster.Create, pods+"/p/eviction", eviction)
		if st == nil || st.Code != code || !slices.Equal(causesOf(st), []string{cause}) {
			t.Errorf("the eviction is answered with %v, want %d with the cause %s", st, code, cause)
		}
	}
	targeted := func() bool {
		conditions := q.must(cluster.Get, pods+"/p", "").Lookup("status", "conditions")
		return conditions.Len() > 0 && conditions.At(conditions.Len()-1).Get("type").StringOr("") == "DisruptionTarget"
	}
	q.must(cluster.Create, pods, `{"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	q.must(cluster.Patch, pods+"/p/status", `{"status":{"phase":"Running"}}`)
	q.must(cluster.Create, "/apis/policy/v1/namespaces/n/poddisruptionbudgets", `{"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}}`)
	refused(429, "DisruptionBudget:")
	if targeted() {
		t.Error("the pod is a target of a disruption that its budget does not allow")
	}
	q.must(cluster.Patch, "/apis/policy/v1/namespaces/n/poddisruptionbudgets/b", `{"spec":{"selector":{"matchLabels":{"a":"other"}}}}`)
	refused(422, "NotSupported:propagationPolicy")
	if !targeted() {
		t.Error("the pod whose deletion is refused has no condition DisruptionTarget")
	}
}
