package cluster_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// large returns a ConfigMap with n keys and about the given number of bytes in its data.
func large(name string, n, bytes int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"key-%07d":%q`, i, strings.Repeat("x", bytes/n))
	}
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"},"data":{` + b.String()[1:] + `}}`
}

// largeDeployment returns a Deployment with a long argument; unlike the data of a ConfigMap,
// arguments have no size limit of their own.
func largeDeployment(bytes int) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"a":"b"}},
		"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","args":["` + strings.Repeat("x", bytes) + `"]}]}}}}`
}

// kube-apiserver returns etcd's error unchanged.
func TestTooLargeObjectIsRefused(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	tooLarge := func(what string, st *cluster.Status) {
		t.Helper()
		if st == nil || st.Code != 500 || st.Message != "etcdserver: request is too large" || st.Reason != "" {
			t.Errorf("%s: got %+v", what, st)
		}
	}
	_, st := q.do(cluster.Create, deployments, largeDeployment(cluster.MaxObjectBytes))
	tooLarge("create", st)
	q.must(cluster.Create, deployments, largeDeployment(1))
	_, st = q.do(cluster.Update, deployments+"/b", largeDeployment(cluster.MaxObjectBytes))
	tooLarge("update", st)
	_, st = q.do(cluster.Patch, deployments+"/b", largeDeployment(cluster.MaxObjectBytes), apply("m"), force)
	tooLarge("apply", st)
	if got := q.must(cluster.Get, deployments+"/b", ""); len(got.String()) > 10_000 {
		t.Error("a refused write changed the object")
	}
}

func force(r *cluster.Request) { yes := true; r.Force = &yes }

// managedFields that make an object too large are dropped, except for an apply.
func TestManagersGoBeforeAnObjectIsTooLarge(t *testing.T) {
	const keys = 25_000 // each takes some 20 bytes in managedFields
	body := large("c", keys, keys*40)
	for _, verb := range []cluster.Verb{cluster.Create, cluster.Update} {
		t.Run(verb.String(), func(t *testing.T) {
			q := newRequests(t, cluster.Config{})
			path := maps
			if verb == cluster.Update {
				q.must(cluster.Create, maps, `{"metadata":{"name":"c"}}`)
				path += "/c"
			}
			q.must(verb, path, body)
			got := q.must(cluster.Get, maps+"/c", "")
			if got.Lookup("metadata", "managedFields").Exists() || got.Lookup("data").Len() != keys {
				t.Errorf("%d keys are stored, managedFields: %t", got.Lookup("data").Len(), got.Lookup("metadata", "managedFields").Exists())
			}
		})
	}
	q := newRequests(t, cluster.Config{})
	_, st := q.do(cluster.Patch, maps+"/c", body, apply("m"))
	if st == nil || st.Message != "etcdserver: request is too large" {
		t.Errorf("apply: %v", st)
	}
}
