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
	apply := func(resource, namespace, body string) *cluster.Request {
		r := request(cluster.Patch, resource, namespace, "a", body)
		r.Format, r.FieldManager = cluster.ApplyPatch, "m"
		return r
	}
	action := func(resource, namespace, name, subresource, body string) *cluster.Request {
		r := request(cluster.Create, resource, namespace, name, body)
		r.Subresource = subresource
		return r
	}
	review := request(cluster.Create, "localsubjectaccessreviews", "none", "",
		`{"apiVersion":"authorization.k8s.io/v1","kind":"LocalSubjectAccessReview","metadata":{"namespace":"none"},"spec":{"user":"u","resourceAttributes":{"namespace":"none"}}}`)
	review.Group = "authorization.k8s.io"
	const eviction = `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}}`
	const token = `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}`
	const binding = `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{"name":"n"}}`
	for _, c1 := range []struct {
		why     string
		request *cluster.Request
		code    int
		message string
		cause   string
	}{
		{"the namespace does not exist", request(cluster.Create, "configmaps", "none", "", configMap), 404, `namespaces "none" not found`, ""},
		{"an apply in a namespace that does not exist", apply("configmaps", "none", configMap), 404, `namespaces "none" not found`, ""},
		{"an apply that does not fit the schema is refused first", apply("configmaps", "none", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":1}}`),
			500, "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.k: expected string, got &value.valueUnstructured{Value:1}", ""},
		{"another name than the path's is refused first", apply("configmaps", "none", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}`),
			400, "the name of the object (b) does not match the name on the URL (a)", ""},
		{"another namespace than the path's is refused first", request(cluster.Create, "configmaps", "none", "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"other"}}`),
			400, "the namespace of the provided object does not match the namespace sent on the request", ""},
		{"an eviction in a namespace that does not exist", action("pods", "none", "p", "eviction", eviction), 404, `namespaces "none" not found`, ""},
		{"a token in a namespace that does not exist", action("serviceaccounts", "none", "s", "token", token), 404, `namespaces "none" not found`, ""},
		{"a binding in a namespace that does not exist", action("pods", "none", "p", "binding", binding), 404, `namespaces "none" not found`, ""},
		{"an access review in a namespace that does not exist", review, 0, "", ""},
		{"the namespace is created", request(cluster.Create, "namespaces", "", "", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"lab"}}`), 0, "", ""},
		{"an object is created in the namespace", request(cluster.Create, "configmaps", "lab", "", configMap), 0, "", ""},
		{"a pod is created in the namespace", request(cluster.Create, "pods", "lab", "", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`), 0, "", ""},
		{"a service account is created in the namespace", request(cluster.Create, "serviceaccounts", "lab", "", `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"s"}}`), 0, "", ""},
		{"the namespace is deleted", request(cluster.Delete, "namespaces", "", "lab", ""), 0, "", ""},
		{"a create in a terminating namespace", request(cluster.Create, "configmaps", "lab", "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}`),
			403, `configmaps "b" is forbidden: unable to create new content in namespace lab because it is being terminated`, "NamespaceTerminating"},
		{"a create with a generated name in a terminating namespace", request(cluster.Create, "configmaps", "lab", "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"b-"}}`),
			403, `configmaps "b-" is forbidden: unable to create new content in namespace lab because it is being terminated`, "NamespaceTerminating"},
		{"an eviction in a terminating namespace", action("pods", "lab", "p", "eviction", eviction),
			403, `pods "p" is forbidden: unable to create new content in namespace lab because it is being terminated`, "NamespaceTerminating"},
		{"a token in a terminating namespace", action("serviceaccounts", "lab", "s", "token", token),
			403, `serviceaccounts "s" is forbidden: unable to create new content in namespace lab because it is being terminated`, "NamespaceTerminating"},
		{"a binding in a terminating namespace", action("pods", "lab", "p", "binding", binding),
			403, `pods "p" is forbidden: unable to create new content in namespace lab because it is being terminated`, "NamespaceTerminating"},
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
