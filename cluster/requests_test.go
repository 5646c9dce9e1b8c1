package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// requests sends requests in a short form to a cluster.
type requests struct {
	t *testing.T
	c *cluster.Cluster
}

func newRequests(t *testing.T, config cluster.Config) requests {
	t.Helper()
	c, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return requests{t, c}
}

// do sends a request to a path such as /apis/g/v1/namespaces/n/things/name.
func (q requests) do(verb cluster.Verb, path string, body string, change ...func(*cluster.Request)) (*cluster.Response, *cluster.Status) {
	q.t.Helper()
	parts := strings.Split(strings.Trim(path, "/"), "/")
	r := &cluster.Request{Verb: verb, Body: []byte(body), UserAgent: "test/1"}
	if parts[0] == "api" {
		r.Version, parts = parts[1], parts[2:]
	} else {
		r.Group, r.Version, parts = parts[1], parts[2], parts[3:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "finalize" {
		r.Namespace, parts = parts[1], parts[2:]
	}
	r.Resource = parts[0]
	if len(parts) > 1 {
		r.Name = parts[1]
	}
	if len(parts) > 2 {
		r.Subresource = parts[2]
	}
	if verb == cluster.Patch {
		r.Format = cluster.MergePatch
	}
	for _, f := range change {
		f(r)
	}
	resp, err := q.c.Do(context.Background(), r)
	var st *cluster.Status
	if err != nil && !errors.As(err, &st) {
		q.t.Fatalf("%s %s: the error is not a *Status: %v", verb, path, err)
	}
	return resp, st
}

// must is do for a request that must succeed.
func (q requests) must(verb cluster.Verb, path string, body string, change ...func(*cluster.Request)) document.Value {
	q.t.Helper()
	resp, st := q.do(verb, path, body, change...)
	if st != nil {
		q.t.Fatalf("%s %s: %d %s %s", verb, path, st.Code, st.Reason, st.Message)
	}
	return resp.Object
}

// refused is do for a request that must fail with the given code.
func (q requests) refused(code int, verb cluster.Verb, path string, body string, change ...func(*cluster.Request)) *cluster.Status {
	q.t.Helper()
	resp, st := q.do(verb, path, body, change...)
	if st == nil {
		q.t.Fatalf("%s %s: it is answered %d %s, it should be refused with %d", verb, path, resp.Code, resp.Object, code)
	}
	if st.Code != code {
		q.t.Fatalf("%s %s: refused with %d %s, not %d", verb, path, st.Code, st.Message, code)
	}
	return st
}

func apply(manager string) func(*cluster.Request) {
	return func(r *cluster.Request) { r.Format, r.FieldManager = cluster.ApplyPatch, manager }
}
