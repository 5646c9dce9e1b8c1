package cluster_test

import (
	"context"
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// The messages are those of the admission plugin NamespaceLifecycle.
func TestStrictNamespaces(t *testing.T) {
	c, err := cluster.New(cluster.Config{StrictNamespaces: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	request := func(verb cluster.Verb, resource, namespace, name, body string) *cluster.Request {
		return &cluster.Request{Verb: verb, Version: "v1", Resource: resource, Namespace: namespace, Name: name, Body: []byte(body)}
	}
	configMap := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`
	apply := request(cluster.Patch, "configmaps", "none", "a", configMap)
	apply.Format, apply.FieldManager = cluster.ApplyPatch, "m"
	for _, c1 := range []struct {
		why     string
		request *cluster.Request
		code    int
		message string
		cause   string
	}{
		{"the namespace does not exist", request(cluster.Create, "configmaps", "none", "", configMap), 404, `namespaces "none" not found`, ""},
		{"an apply in a namespace that does not exist", apply, 404, `namespaces "none" not found`, ""},
		{"the namespace is created", request(cluster.Create, "namespaces", "", "", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"lab"}}`), 0, "", ""},
		{"an object is created in the namespace", request(cluster.Create, "configmaps", "lab", "", configMap), 0, "", ""},
		{"the namespace is deleted", request(cluster.Delete, "namespaces", "", "lab", ""), 0, "", ""},
		{"a create in a terminating namespace", request(cluster.Create, "configmaps", "lab", "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}`),
			403, `configmaps "b" is forbidden: unable to create new content in namespace lab because it is being terminated`, "NamespaceTerminating"},
		{"an update in a terminating namespace", request(cluster.Update, "configmaps", "lab", "a", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}`), 0, "", ""},
		{"a system namespace is deleted", request(cluster.Create, "namespaces", "", "", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}}`), 0, "", ""},
		{"the system namespace still exists", request(cluster.Delete, "namespaces", "", "default", ""), 403, `namespaces "default" is forbidden: this namespace may not be deleted`, ""},
		{"a cluster-scoped object", request(cluster.Create, "nodes", "", "", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`), 0, "", ""},
	} {
		_, err := c.Do(context.Background(), c1.request)
		var st *cluster.Status
		if !errors.As(err, &st) {
			if c1.code != 0 {
				t.Errorf("%s: accepted", c1.why)
			}
			continue
		}
		if st.Code != c1.code || st.Message != c1.message {
			t.Errorf("%s: %d %s", c1.why, st.Code, st.Message)
		}
		if c1.cause != "" && (len(st.Details.Causes) != 1 || st.Details.Causes[0].Type != c1.cause) {
			t.Errorf("%s: causes %+v", c1.why, st.Details.Causes)
		}
	}
}
