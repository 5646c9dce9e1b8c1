package cluster_test

import (
	"context"
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestStreamOptions gives options as a body, as programs do that use a cluster without a server.
func TestStreamOptions(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, node := range []string{`{"metadata":{"name":"bare"}}`, `{"metadata":{"name":"n"},"status":{"addresses":[{"type":"ExternalIP","address":"10.1.1.2"}]}}`} {
		if _, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "nodes", Body: []byte(node)}); err != nil {
			t.Fatal(err)
		}
	}
	for name, spec := range map[string]string{
		"p":      `{"containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]}`,
		"bound":  `{"nodeName":"n","containers":[{"name":"a","image":"i"}]}`,
		"onbare": `{"nodeName":"bare","containers":[{"name":"a","image":"i"}]}`,
		"onnone": `{"nodeName":"none","containers":[{"name":"a","image":"i"}]}`,
	} {
		if _, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Version: "v1", Resource: "pods", Namespace: "n",
			Body: []byte(`{"metadata":{"name":"` + name + `"},"spec":` + spec + `}`)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		why, pod, sub, body string
		code                int
		message             string
	}{
		{"a container", "p", "log", `{"container":"a"}`, 204, ""},
		{"no options", "p", "log", "", 400, "a container name must be specified for pod p, choose one of: [a b]"},
		{"another container", "p", "exec", `{"container":"c"}`, 400, "container c is not valid for pod p"},
		{"a container of a pod without a node", "p", "exec", `{"container":"b","command":["ls"]}`, 400, "pod p does not have a host assigned"},
		{"a pod on a node", "bound", "log", `{}`, 404, "patchlab runs no containers and no nodes, so pods/log is not served"},
		{"a pod on a node without an address", "onbare", "log", `{}`, 500, "no preferred addresses found; known addresses: []"},
		{"a pod on a node that does not exist", "onnone", "exec", `{}`, 404, "pods \"none\" not found"},
		{"a wrong type", "p", "exec", `{"command":"ls"}`, 400, ".command: expected a list, found the string \"ls\""},
		{"no object", "p", "exec", `[]`, 400, ".: expected an object, found a list"},
		{"null", "p", "attach", `null`, 400, "a container name must be specified for pod p, choose one of: [a b]"},
		{"no JSON", "p", "log", `{`, 400, ""},
	} {
		resp, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "pods", Namespace: "n", Name: tc.pod, Subresource: tc.sub, Body: []byte(tc.body)})
		var st *cluster.Status
		switch {
		case err == nil:
			if resp.Code != tc.code {
				t.Errorf("%s: %d, want %d", tc.why, resp.Code, tc.code)
			}
		case !errors.As(err, &st) || st.Code != tc.code || tc.message != "" && st.Message != tc.message:
			t.Errorf("%s: %v, want %d %s", tc.why, err, tc.code, tc.message)
		}
	}
	if _, err := c.Read(context.Background(), &cluster.Request{Verb: cluster.Get, Version: "v1", Resource: "pods", Namespace: "n", Name: "p", Subresource: "log"}); err == nil {
		t.Error("Read returns a log as an object")
	}
}
