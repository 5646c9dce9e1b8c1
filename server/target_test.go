package server

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestPaths checks the cluster request for each method and path, or the response if the
// path is invalid. The expectations are those of kube-apiserver v1.36.3.
func TestPaths(t *testing.T) {
	const custom = "/apis/lab.example.com/v1"
	notFound, notAllowed := "404 the server could not find the requested resource", "405 the server does not allow this method on the requested resource"
	noPage, noNamespace := "404 404 page not found", "400 Namespace parameter required."
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/api/v1/configmaps", "list v1 configmaps  "},
		{"GET", "/api/v1/configmaps?watch=1", "watch v1 configmaps  "},
		{"GET", "/api/v1/watch/configmaps", "watch v1 configmaps  "},
		{"GET", "/api/v1/watch/namespaces/a/configmaps/b", "watch v1 configmaps a b"},
		{"GET", "/api/v1/configmaps?watch=false", "list v1 configmaps  "},
		{"GET", "/api/v1/namespaces/a/configmaps/", "list v1 configmaps a "},
		{"GET", "/api/v1/namespaces//configmaps", "list v1 configmaps  "},
		{"GET", "/api/v1/watch/namespaces//configmaps", "watch v1 configmaps  "},
		{"GET", "/api/v1/namespaces//configmaps/b", noNamespace},
		{"PATCH", "/api/v1/namespaces//configmaps/b", noNamespace},
		{"DELETE", "/api/v1/namespaces//configmaps", noNamespace},
		{"POST", "/api/v1/namespaces//pods/b/eviction", noNamespace},
		{"GET", "/api/v1/namespaces//services//status", "400 name must be provided"},
		{"POST", "/api/v1/namespaces//configmaps/b", notAllowed},
		{"GET", "/api/v1/namespaces//configmaps/b/status", notFound},
		{"GET", "/api/v1/namespaces//nodes", notFound},
		{"GET", "/api/v1/namespaces/a/configmaps/b", "get v1 configmaps a b"},
		{"GET", "/api/v1/namespaces/a/configmaps/b?watch=1", "get v1 configmaps a b"},
		{"GET", "/api/v1/namespaces/a/configmaps/%62", "get v1 configmaps a b"},
		{"HEAD", "/api/v1/namespaces/a/configmaps/b", "405 "},
		{"GET", "/api/v1/namespaces/a/configmaps/..", "get v1 configmaps a .."},
		{"PUT", "/api/v1/namespaces/a/configmaps/a%25", "update v1 configmaps a a%"},
		{"HEAD", custom + "/namespaces/a/gadgets/b", "get lab.example.com/v1 gadgets a b"},
		{"OPTIONS", custom + "/namespaces/a/gadgets/b/y", "404 gadgets.lab.example.com \"b\" not found"},
		{"POST", "/api/v1/namespaces/a/configmaps", "create v1 configmaps a "},
		{"PUT", "/api/v1/namespaces/a/configmaps/b", "update v1 configmaps a b"},
		{"PATCH", "/api/v1/namespaces/a/configmaps/b", "patch v1 configmaps a b"},
		{"DELETE", "/api/v1/namespaces/a/configmaps/b", "delete v1 configmaps a b"},
		{"DELETE", "/api/v1/namespaces/a/configmaps", "deletecollection v1 configmaps a "},
		{"GET", "/api/v1/namespaces", "list v1 namespaces  "},
		{"GET", "/api/v1/namespaces/a", "get v1 namespaces  a"},
		{"PUT", "/api/v1/namespaces/a/status", "update v1 namespaces/status  a"},
		{"PUT", "/api/v1/namespaces/a/finalize", "update v1 namespaces/finalize  a"},
		{"PATCH", "/apis/apps/v1/namespaces/a/deployments/b/scale", "patch apps/v1 deployments/scale a b"},
		{"POST", "/api/v1/namespaces/a/pods/b/eviction", "create v1 pods/eviction a b"},
		{"DELETE", "/api/v1/namespaces", notAllowed},
		{"DELETE", "/api/v1/configmaps", notAllowed},
		{"POST", "/api/v1/configmaps", notAllowed},
		{"POST", "/api/v1/namespaces/a/configmaps/b", notAllowed},
		{"PUT", "/api/v1/namespaces/a/configmaps", notAllowed},
		{"PATCH", "/api/v1/namespaces/a/configmaps", notAllowed},
		{"FOO", "/api/v1/namespaces/a/configmaps", notAllowed},
		{"DELETE", "/apis/apps/v1/namespaces/a/deployments/b/status", notAllowed},
		{"PATCH", "/api/v1/namespaces/a/pods/b/binding", notAllowed},
		{"GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", notAllowed},
		{"DELETE", "/api/v1/watch/namespaces/a/configmaps", notAllowed},
		{"DELETE", "/api/v1/watch/namespaces/a/configmaps/b", notAllowed},
		{"PUT", "/api/v1/watch/namespaces/a/configmaps/b", notAllowed},
		{"DELETE", "/api/v1/namespaces/a/bindings/b", notFound},
		{"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews/b", notFound},
		{"GET", "/api/v1/configmaps/b", notFound},
		{"OPTIONS", "/api/v1/namespaces/a/pods/b/proxy/x", "get v1 pods/proxy a b"},
		{"CONNECT", "lab.example.com:443", noPage}, // of a client that takes the server for a proxy
		{"GET", "/api/v1/namespaces/a/nodes", notFound},
		{"GET", "/api/v1/namespaces/a/foos", notFound},
		{"GET", "/api/v1/namespaces/a/configmaps/b/status", notFound},
		{"GET", "/api/v1/namespaces/a/configmaps/b/y/z", notFound},
		{"GET", "/apis/apps/v9/namespaces/a/deployments/b", notFound},
		{"GET", "/api/v2", notFound},
		{"GET", "/apis/apps/v2", notFound},
		{"GET", "/apis/nope", noPage},
		{"GET", "/nope", noPage},
		{"GET", "//api/v1", noPage},
		{"POST", "/api/v1", notAllowed},
		{"GET", custom + "/gadgets", "list lab.example.com/v1 gadgets  "},
		{"GET", custom + "/namespaces/a/gadgets/b/status", "get lab.example.com/v1 gadgets/status a b"},
		{"POST", custom + "/namespaces/a/gadgets/b", "create lab.example.com/v1 gadgets a "},
		{"PUT", custom + "/namespaces/a/gadgets", "update lab.example.com/v1 gadgets a "},
		{"GET", custom + "/namespaces/a/gadgets/b/y/z", "404 gadgets.lab.example.com \"b\" not found"},
		{"DELETE", custom + "/namespaces/a/gadgets/b/status", `405 delete is not supported on resources of kind "gadgets.lab.example.com"`},
		{"FOO", custom + "/namespaces/a/gadgets", `405  is not supported on resources of kind "gadgets.lab.example.com"`},
		{"POST", custom + "/gadgets", noPage},
		{"GET", custom + "/gadgets/b", noPage},
		{"DELETE", custom + "/gadgets", noPage},
		{"GET", custom + "/namespaces/a/nonsense", noPage},
		{"GET", "/apis/lab.example.com/v2/namespaces/a/gadgets", noPage},
	} {
		f := newFake(t)
		f.answer = func(_ context.Context, r *cluster.Request) (*cluster.Response, error) {
			return nil, &cluster.Status{Code: 418}
		}
		w := ask(New(f, Options{}), c.method, c.path, "")
		got := fmt.Sprintf("%d ", w.Code)
		switch {
		case len(f.asked) == 1:
			r := f.asked[0]
			group := r.Group
			if group != "" {
				group += "/"
			}
			sub := r.Subresource
			if sub != "" {
				sub = "/" + sub
			}
			got = fmt.Sprintf("%s %s%s %s%s %s %s", r.Verb, group, r.Version, r.Resource, sub, r.Namespace, r.Name)
		case w.Header().Get("Content-Type") == "application/json" && w.Body.Len() > 0:
			got += body(t, w).Get("message").StringOr("")
		default:
			got += w.Body.String()[:max(w.Body.Len()-1, 0)]
		}
		if got != c.want {
			t.Errorf("%s %s:\n got %q\nwant %q", c.method, c.path, got, c.want)
		}
	}
}

func TestFailuresAreStatusObjects(t *testing.T) {
	w := ask(New(newFake(t), Options{}), "GET", "/api/v1/nope", "", "Accept", "application/yaml")
	want := "apiVersion: v1\ncode: 404\ndetails: {}\nkind: Status\nmessage: the server could not find the requested resource\nmetadata: {}\nreason: NotFound\nstatus: Failure\n"
	if w.Code != http.StatusNotFound || w.Body.String() != want {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
