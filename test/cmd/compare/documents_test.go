package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// TestDocuments: the same servers agree about discovery and OpenAPI documents, and a difference is found in each of them.
func TestDocuments(t *testing.T) {
	o := &options{seed: 2, cases: 1}
	r, err := compareDocuments(o, servers(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if total := r.total(); len(r.kinds) > 0 || total.accepted < 20 {
		t.Errorf("%s; differences: %v", total, r.kinds)
	}
	for _, change := range []struct{ path, accept, old, new string }{
		{"/apis", "", `"v1"`, `"v2"`},
		{"/apis", aggregatedType, `"singularResource"`, `"other"`},
		{"/apis/", "", `"storageVersionHash"`, `"other"`},
		{"/openapi/v3", "", ".example.com/v1", ".example.com/v3"},
		{"/openapi/v3/apis/", "", `"x-kubernetes-group-version-kind"`, `"x-other"`},
		{"/openapi/v2", "", `"x-kubernetes-group-version-kind"`, `"x-other"`},
		{"/openapi/v2", openapi2Type, "x-kubernetes-group-version-kind", "x-kubernetes-group-version-kins"},
	} {
		r, err := compareDocuments(o, servers(t, func(r conformance.Request, a *conformance.Answer) {
			if r.Accept == change.accept && (r.Path == change.path || strings.HasSuffix(change.path, "/") && strings.HasPrefix(r.Path, change.path)) {
				a.Body = bytes.ReplaceAll(a.Body, []byte(change.old), []byte(change.new))
			}
		}))
		if err != nil || len(r.kinds) == 0 {
			t.Errorf("%s (%s): no difference was found (%v)", change.path, change.accept, err)
		}
	}
}
