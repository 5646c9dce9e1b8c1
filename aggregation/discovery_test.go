package aggregation

import (
	"io"
	"net/http"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
)

// TestResources: the resources are those of the aggregated document, or of the document of the version from a server
// without one, in the form that kube-apiserver 1.36.3 gives them.
func TestResources(t *testing.T) {
	const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	for _, c := range []struct {
		why              string
		kind, apis, list string
		want             []Resource
	}{
		{
			why: "the aggregated document, without one kind", kind: aggregated,
			apis: `{"items":[{"metadata":{"name":"other"},"versions":[{"version":"v1","resources":[{"resource":"no"}]}]},{"metadata":{"name":"ext.example.com"},
				"versions":[{"version":"v2","resources":[{"resource":"no"}]},{"version":"v1","resources":[{"resource":"things","scope":"Namespaced","singularResource":"thing",
				"verbs":["get"],"subresources":[{"subresource":"status","verbs":["get"]}]}]}]}]}`,
			want: []Resource{{Resource: "things", Scope: "Namespaced", Singular: "thing", Verbs: []string{"get"}, ResponseKind: &Kind{},
				Subresources: []Subresource{{Subresource: "status", Verbs: []string{"get"}, ResponseKind: &Kind{}}}}},
		},
		{why: "the aggregated document, without the version", kind: aggregated, apis: `{"items":[]}`},
		{
			why: "no aggregated document", kind: "application/json", apis: `{"kind":"APIGroupList"}`,
			list: `{"resources":[{"name":"things/status","namespaced":true,"kind":"Thing","verbs":["get"]},{"name":"alone/scale","kind":"Scale","group":"autoscaling","version":"v1","verbs":["get"]},
				{"name":"things","namespaced":true,"singularName":"thing","kind":"Thing","verbs":["get","list"],"shortNames":["th"],"categories":["all"]}]}`,
			want: []Resource{
				{Resource: "things", Scope: "Namespaced", Singular: "thing", Verbs: []string{"get", "list"}, ResponseKind: &Kind{Kind: "Thing"}, ShortNames: []string{"th"},
					Categories: []string{"all"}, Subresources: []Subresource{{Subresource: "status", ResponseKind: &Kind{Kind: "Thing"}, Verbs: []string{"get"}}}},
				{Resource: "alone", Scope: "Cluster", ResponseKind: &Kind{}, Subresources: []Subresource{
					{Subresource: "scale", ResponseKind: &Kind{Group: "autoscaling", Version: "v1", Kind: "Scale"}, Verbs: []string{"get"}}}},
			},
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			e := newExtension(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/apis" {
					w.Header().Set("Content-Type", c.kind)
					_, _ = io.WriteString(w, c.apis)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, c.list)
			})
			a := newAggregator(t)
			a.create(t, services, external)
			a.create(t, apiServices, e.registration())
			var got []Resource
			eventually(t, func() string { return "the resources are not known" }, func() (current bool) {
				if b := a.Find("ext.example.com", "v1"); b != nil {
					got, current = b.Resources()
				}
				return current
			})
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestStaleResources: the resources of a service that fails are not known, until it answers again.
func TestStaleResources(t *testing.T) {
	var fails atomic.Bool
	e := newExtension(t, func(w http.ResponseWriter, r *http.Request) {
		if fails.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"resources":[{"name":"things","kind":"Thing","verbs":["get"]}]}`)
	})
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, e.registration())
	for _, step := range []struct {
		fails   bool
		current bool
	}{{false, true}, {true, false}, {false, true}} {
		fails.Store(step.fails)
		a.patch(t, apiServices, "v1.ext.example.com", `{"metadata":{"annotations":{"step":"`+map[bool]string{true: "a", false: "b"}[step.fails]+`"}}}`)
		eventually(t, func() string { return "the resources are known although the service fails, or the reverse" }, func() bool {
			b := a.Find("ext.example.com", "v1")
			if b == nil {
				return false
			}
			resources, current := b.Resources()
			return current == step.current && (len(resources) > 0) == current
		})
	}
}

// TestTooLargeDocument: a document beyond the limit is not read.
func TestTooLargeDocument(t *testing.T) {
	part := make([]byte, 1<<20)
	e := newExtension(t, func(w http.ResponseWriter, r *http.Request) {
		for range maxDocument>>20 + 1 {
			_, _ = w.Write(part)
		}
	})
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, e.registration())
	a.available(t)
	b := a.Find("ext.example.com", "v1")
	if _, err := b.fetch(t.Context(), b.current.Load(), "/apis", http.Header{}, aggregatorUser(true)); err == nil {
		t.Error("the document is read")
	}
}

// TestOrderOfVersions: kube-apiserver 1.36.3 lists APIServices with these priorities in this order
// (k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper).
func TestOrderOfVersions(t *testing.T) {
	of := func(group, version string, groupPriority, versionPriority int64) registration {
		return registration{name: version + "." + group, group: group, version: version, groupPriority: groupPriority, versionPriority: versionPriority}
	}
	var got []string
	for _, v := range sorted([]registration{
		of("b", "v1", 1000, 100), of("a", "v2", 1000, 100), of("low", "v1", 10, 100), of("mixed", "v1alpha1", 10, 200),
		of("b", "v2beta1", 1000, 100), of("mixed", "v1", 2000, 100), of("b", "v2", 1000, 100), of("b", "v1beta1", 1000, 300),
	}) {
		got = append(got, v.Group+"/"+v.Version)
	}
	if want := []string{"mixed/v1alpha1", "mixed/v1", "b/v1beta1", "b/v2", "b/v1", "b/v2beta1", "a/v2", "low/v1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
