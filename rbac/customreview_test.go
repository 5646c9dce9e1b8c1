package rbac_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestCustomResourceNamedLikeAReview creates an object of a custom resource that has the name of a review. It is stored as
// it is sent, and not answered with a decision.
func TestCustomResourceNamedLikeAReview(t *testing.T) {
	c := newCluster(t)
	admin := cluster.User{Name: "admin", Groups: []string{"system:masters"}}
	create := func(r cluster.Request, body string) *cluster.Response {
		t.Helper()
		r.Verb, r.User, r.Body = cluster.Create, admin, []byte(body)
		response, err := c.Do(t.Context(), &r)
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	create(cluster.Request{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}, `{"metadata":{"name":"subjectaccessreviews.audit.example.com"},
		"spec":{"group":"audit.example.com","scope":"Cluster","names":{"plural":"subjectaccessreviews","kind":"SubjectAccessReview"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`)
	audit := cluster.Request{Group: "audit.example.com", Version: "v1", Resource: "subjectaccessreviews"}
	response := create(audit, `{"apiVersion":"audit.example.com/v1","kind":"SubjectAccessReview","metadata":{"name":"a"},"spec":{"user":"ada"}}`)
	if status := response.Object.Get("status"); status.Exists() {
		t.Errorf("the object has the status %s", status)
	}
}
