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
		{"no such namespace", request(cluster.Create, "configmaps", "none", "", configMap), 404, `namespaces "none" not found`, ""},
		{"an apply to no such namespace", apply, 404, `namespaces "none" not found`, ""},
		{"the namespace itself", request(cluster.Create, "namespaces", "", "", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"lab"}}`), 0, "", ""},
		{"now it exists", request(cluster.Create, "configmaps", "lab", "", configMap), 0, "", ""},
		{"it is deleted", request(cluster.Delete, "namespaces", "", "lab", ""), 0, "", ""},
		{"while it is being deleted", request(cluster.Create, "configmaps", "lab", "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}`),
			403, `configmaps "b" is forbidden: unable to create new content in namespace lab because it is being terminated`, "NamespaceTerminating"},
		{"what is in it can be changed", request(cluster.Update, "configmaps", "lab", "a", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}`), 0, "", ""},
		{"a namespace of the system", request(cluster.Create, "namespaces", "", "", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}}`), 0, "", ""},
		{"which stays", request(cluster.Delete, "namespaces", "", "default", ""), 403, `namespaces "default" is forbidden: this namespace may not be deleted`, ""},
		{"without a namespace nothing is asked", request(cluster.Create, "nodes", "", "", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`), 0, "", ""},
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
