package rbac_test

import (
	"context"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/controllers"
	"github.com/patchlab-dev/patchlab/document"
)

// The ClusterRole edit has the rules of the roles that are labelled for it, of those that exist from
// the beginning and of one that is created later, until that is deleted.
func TestAggregatedRoles(t *testing.T) {
	c := newCluster(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- controllers.Run(ctx, c.Cluster, controllers.Options{Aggregation: true, Fault: func(err error) { t.Error(err) }})
	}()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	const group = "rbac.authorization.k8s.io"
	request := func(verb cluster.Verb, name, body string) *cluster.Request {
		return &cluster.Request{Verb: verb, Group: group, Version: "v1", Resource: "clusterroles", Name: name, Body: []byte(body)}
	}
	// wait waits until the role edit satisfies a condition.
	wait := func(what string, holds func(role document.Value) bool) {
		t.Helper()
		for range 1000 {
			resp, err := c.Do(ctx, request(cluster.Get, "edit", ""))
			if err != nil {
				t.Fatal(err)
			}
			if holds(resp.Object) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("edit does not have %s", what)
	}
	names := func(role document.Value, resource string) bool {
		for _, rule := range role.Get("rules").Items() {
			for _, r := range rule.Get("resources").Items() {
				if r.StringOr("") == resource {
					return true
				}
			}
		}
		return false
	}
	wait("the rules of the beginning", func(role document.Value) bool { return names(role, "deployments") && names(role, "services") })
	if _, err := c.Do(ctx, request(cluster.Create, "", `{"metadata":{"name":"widgets","labels":{"rbac.authorization.k8s.io/aggregate-to-edit":"true"}},
		"rules":[{"apiGroups":["lab.example.com"],"resources":["widgets"],"verbs":["create"]}]}`)); err != nil {
		t.Fatal(err)
	}
	wait("the rules of a new role, applied by the controller", func(role document.Value) bool {
		last := role.Lookup("metadata", "managedFields")
		return names(role, "widgets") && last.At(0).Get("manager").StringOr("") == "clusterrole-aggregation-controller"
	})
	if _, err := c.Do(ctx, request(cluster.Delete, "widgets", "")); err != nil {
		t.Fatal(err)
	}
	wait("lost the rules of the deleted role", func(role document.Value) bool { return !names(role, "widgets") })
}
