package patchlabtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/server"
)

// failing is a cluster whose requests fail.
type failing struct {
	server.Cluster
	err error
}

func (f failing) Do(context.Context, *cluster.Request) (*cluster.Response, error) { return nil, f.err }

// TestRecordedCodes: the code of a failed request is that of the response, whatever the form of the error.
func TestRecordedCodes(t *testing.T) {
	for _, c := range []struct {
		why  string
		err  error
		code int
	}{
		{"a refusal", Conflict(), http.StatusConflict},
		{"a refusal within another error", fmt.Errorf("webhook: %w", Conflict()), http.StatusConflict},
		{"an error without a Status, which the server answers with 500", errors.New("the store is closed"), http.StatusInternalServerError},
	} {
		g := &gate{Cluster: failing{err: c.err}, now: time.Now}
		if _, err := g.Do(t.Context(), &cluster.Request{Verb: cluster.List, Version: "v1", Resource: "pods"}); !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", c.why, err, c.err)
		}
		if got := g.requests[0].Code; got != c.code {
			t.Errorf("%s: recorded with code %d, want %d", c.why, got, c.code)
		}
	}
}

// TestRequestText: a request is one line in the log of a test, with what identifies it and the code.
func TestRequestText(t *testing.T) {
	for _, c := range []struct {
		why     string
		request Request
		want    string
	}{
		{"a subresource of a group", Request{Manager: "c", Verb: "patch", Group: "apps", Resource: "deployments", Subresource: "status", Namespace: "shop", Name: "web", Code: 200}, "c patch deployments.apps/status shop/web: 200"},
		{"a list in a namespace", Request{Manager: "c", Verb: "list", Resource: "pods", Namespace: "shop", Code: 403}, "c list pods in shop: 403"},
		{"a cluster-scoped object", Request{Manager: "c", Verb: "get", Resource: "nodes", Name: "a", Code: 404}, "c get nodes a: 404"},
		{"a watch of all namespaces", Request{Manager: "c", Verb: "watch", Resource: "pods", Code: 200}, "c watch pods: 200"},
	} {
		if got := c.request.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestLatestRequestsAreKept: the list of requests does not grow without a limit, and the latest half of it is kept.
func TestLatestRequestsAreKept(t *testing.T) {
	g := &gate{now: time.Now}
	for i := range maxRecorded + 1 {
		_ = g.record(&cluster.Request{Name: strconv.Itoa(i)}, nil)
	}
	first, last := g.requests[0], g.requests[len(g.requests)-1]
	if n := len(g.requests); n != maxRecorded/2+1 || first.Name != strconv.Itoa(maxRecorded/2) || last.Name != strconv.Itoa(maxRecorded) {
		t.Errorf("%d requests, from %s to %s", n, first.Name, last.Name)
	}
}
