package server

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// references adds all references of a document to a set.
func references(v document.Value, into map[string]bool) {
	if ref, ok := v.Get("$ref").Text(); ok { // JSONSchemaProps has a property named $ref, which is not a string here
		into[ref] = true
	}
	for i := range v.Len() {
		references(v.At(i), into)
	}
}

// patchParameters returns the query parameters of a kind's patch operation, or nil if
// it has none.
func patchParameters(doc document.Value, k *schema.Kind) []string {
	for path, item := range doc.Get("paths").Members() {
		op := item.Get("patch")
		gvk := op.Get("x-kubernetes-group-version-kind")
		if !strings.HasSuffix(path, "}") || gvk.Get("kind").StringOr("") != k.Kind || gvk.Get("group").StringOr("") != k.Group || gvk.Get("version").StringOr("") != k.Version {
			continue
		}
		names := []string{}
		for _, p := range op.Get("parameters").Items() {
			names = append(names, p.Get("name").StringOr(""))
		}
		return names
	}
	return nil
}

func TestOpenAPIDescribesEveryKind(t *testing.T) {
	s := New(newFake(t), Options{})
	index := body(t, ask(s, "GET", "/openapi/v3", ""))
	documents, kinds := 0, 0
	for path, location := range index.Get("paths").Members() {
		documents++
		url := location.Get("serverRelativeURL").StringOr("")
		w := ask(s, "GET", url, "")
		if w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", url, w.Code, w.Header())
			continue
		}
		doc := body(t, w)
		refs := map[string]bool{}
		references(doc, refs)
		for ref := range refs {
			if name, ok := strings.CutPrefix(ref, "#/components/schemas/"); !ok || !doc.Get("components").Get("schemas").Get(name).Exists() {
				t.Errorf("%s: %s does not resolve", path, ref)
			}
		}
		group, version, _ := strings.Cut(strings.TrimPrefix(path, "apis/"), "/")
		if path == "api/v1" {
			group, version = "", "v1"
		}
		for _, k := range s.kindsOf(group, version) {
			kinds++
			described := doc.Get("components").Get("schemas").Get(schemaName(k))
			if described.Get("x-kubernetes-group-version-kind").At(0).Get("kind").StringOr("") != k.Kind {
				t.Errorf("%s: no schema has the kind %s", path, k.Kind)
			}
			if got := patchParameters(doc, k); got != nil && !strings.Contains(strings.Join(got, " "), "fieldValidation") {
				t.Errorf("%s: the patch of %s has only %v", path, k.Kind, got)
			}
		}
	}
	if documents < 20 || kinds < 70 {
		t.Errorf("only %d documents with %d kinds", documents, kinds)
	}
}

func TestOpenAPIHasPatchStrategies(t *testing.T) {
	s := New(newFake(t), Options{})
	schemas := body(t, ask(s, "GET", "/openapi/v3/apis/apps/v1", "")).Get("components").Get("schemas")
	at := func(name, field string) document.Value {
		return schemas.Get("io.k8s.api." + name).Get("properties").Get(field)
	}
	for _, c := range []struct{ got, want string }{
		{at("core.v1.PodSpec", "containers").Get("x-kubernetes-patch-merge-key").String(), `"name"`},
		{at("core.v1.PodSpec", "containers").Get("x-kubernetes-patch-strategy").String(), `"merge"`},
		{at("core.v1.PodSpec", "volumes").Get("x-kubernetes-patch-strategy").String(), `"merge,retainKeys"`},
		{at("apps.v1.DeploymentSpec", "strategy").Get("x-kubernetes-patch-strategy").String(), `"retainKeys"`},
		{at("core.v1.Container", "ports").Get("x-kubernetes-list-map-keys").String(), `["containerPort","protocol"]`},
		{at("core.v1.ContainerPort", "protocol").Get("default").String(), `"TCP"`},
		{at("apps.v1.DeploymentSpec", "replicas").Get("format").String(), `"int32"`},
		{at("apps.v1.DeploymentSpec", "selector").Get("allOf").String(), `[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector"}]`},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

// TestOpenAPIFollowsCustomResources checks that the hash in the URL of a document
// changes with its kinds and that the old URL redirects to the new one.
func TestOpenAPIFollowsCustomResources(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	s := New(c, Options{})
	crd := func(method, field string) string {
		t.Helper()
		url, name := "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "things.a.example.com"
		if method == "PATCH" {
			url += "/" + name
		}
		w := ask(s, method, url, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"`+name+`"},
			"spec":{"group":"a.example.com","scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,
			"schema":{"openAPIV3Schema":{"type":"object","properties":{"`+field+`":{"type":"array","description":"the `+field+`","x-kubernetes-list-type":"set","items":{"type":"string"}}}}}}]}}`,
			"Content-Type", map[string]string{"POST": "application/json", "PATCH": "application/merge-patch+json"}[method])
		if w.Code >= 300 {
			t.Fatalf("%s: %d %s", method, w.Code, w.Body)
		}
		index := body(t, ask(s, "GET", "/openapi/v3", ""))
		return index.Get("paths").Get("apis/a.example.com/v1").Get("serverRelativeURL").StringOr("")
	}
	seen := ask(s, "GET", "/openapi/v3", "").Header().Get("Last-Modified")
	first, second := crd("POST", "one"), crd("PATCH", "two")
	// Most likely in the same second, in which a client cannot know of the change by the time.
	if w := ask(s, "GET", "/openapi/v3", "", "If-Modified-Since", seen); w.Code != 200 {
		t.Errorf("to a client that has the list of before: %d", w.Code)
	}
	if first == "" || first == second {
		t.Fatalf("addresses %q and %q", first, second)
	}
	w := ask(s, "GET", first, "")
	if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != second {
		t.Errorf("the old address: %d to %s", w.Code, w.Header().Get("Location"))
	}
	thing := body(t, ask(s, "GET", second, "")).Get("components").Get("schemas").Get("com.example.a.v1.Thing")
	two := thing.Get("properties").Get("two")
	if two.Get("x-kubernetes-list-type").StringOr("") != "set" || two.Get("description").StringOr("") != "the two" || !thing.Get("properties").Get("metadata").Get("allOf").Exists() {
		t.Errorf("schema: %s", thing)
	}
	before := body(t, ask(s, "GET", "/openapi/v3", "")).Get("paths").Len()
	if w := ask(s, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.a.example.com", ""); w.Code != 200 {
		t.Fatalf("deleting: %d %s", w.Code, w.Body)
	}
	if after := body(t, ask(s, "GET", "/openapi/v3", "")).Get("paths").Len(); after != before-1 {
		t.Errorf("%d documents before the deletion, %d after", before, after)
	}
	if len(s.documents.made) != before-1 {
		t.Errorf("%d documents are kept, %d are served", len(s.documents.made), before-1)
	}
}

func TestOpenAPI2(t *testing.T) {
	s := New(newFake(t), Options{})
	w := ask(s, "GET", "/openapi/v2", "")
	doc := body(t, w)
	refs := map[string]bool{}
	references(doc, refs)
	for ref := range refs {
		if name, ok := strings.CutPrefix(ref, "#/definitions/"); !ok || !doc.Get("definitions").Get(name).Exists() {
			t.Errorf("%s does not resolve", ref)
		}
	}
	if doc.Get("swagger").StringOr("") != "2.0" || len(refs) < 300 {
		t.Errorf("%d references", len(refs))
	}
	for _, accept := range []string{
		"application/com.github.proto-openapi.spec.v2@v1.0+protobuf", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
	} {
		w := ask(s, "GET", "/openapi/v2", "", "Accept", accept)
		if w.Code != 200 || w.Header().Get("Content-Type") != openAPIv2Protobuf || !strings.Contains(w.Body.String(), "io.k8s.api.apps.v1.DeploymentSpec") {
			t.Errorf("%s: %d, %d bytes of %s", accept, w.Code, w.Body.Len(), w.Header().Get("Content-Type"))
		}
	}
	if w := ask(s, "GET", "/openapi/v2", "", "Accept", "application/cbor"); w.Code != http.StatusNotAcceptable {
		t.Errorf("CBOR: %d", w.Code)
	}
}

// TestOpenAPI2HasTypesOfPatches: kube-apiserver 1.36.3 lists these media types, in another order. If a patch for
// apply cannot be computed by OpenAPI v3, such as one with conflicts and --overwrite=false, kubectl tries those of v2.
func TestOpenAPI2HasTypesOfPatches(t *testing.T) {
	s := New(newFake(t), Options{})
	paths := body(t, ask(s, "GET", "/openapi/v2", "")).Get("paths")
	binary := ask(s, "GET", "/openapi/v2", "", "Accept", openAPIv2Protobuf).Body.String()
	for path, want := range map[string]string{
		"/apis/apps/v1/namespaces/{namespace}/deployments/{name}":        "application/apply-patch+yaml application/json-patch+json application/merge-patch+json application/strategic-merge-patch+json",
		"/apis/lab.example.com/v1/namespaces/{namespace}/gadgets/{name}": "application/apply-patch+yaml application/json-patch+json application/merge-patch+json",
	} {
		var got []string
		for _, mediaType := range paths.Get(path).Lookup("patch", "consumes").Items() {
			got = append(got, mediaType.StringOr(""))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s consumes %q, want %q", path, text, want)
		}
	}
	if !strings.Contains(binary, "\x3a\x26application/strategic-merge-patch+json") {
		t.Error("in protobuf, no operation consumes strategic merge patches")
	}
}

// TestOpenAPIDocumentsHaveTimes: a document was last modified when it was made and has a hash, and the index is made for each
// request, as in kube-apiserver. The times are those of the caches of clients, not of Options.Now, which stands still.
func TestOpenAPIDocumentsHaveTimes(t *testing.T) {
	for _, tc := range []struct {
		path    string
		again   time.Duration // the difference of the time an hour later
		second  int           // the code of one an hour later to a client that has the first
		expires bool          // with its hash
	}{
		{"/openapi/v2", 0, 304, false},
		{"/openapi/v3/apis/apps/v1", 0, 304, true},
		{"/openapi/v3", time.Hour, 200, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := local(t, Options{})
			modified := func() time.Time {
				at, err := http.ParseTime(ask(s, "GET", tc.path, "").Header().Get("Last-Modified"))
				if err != nil {
					t.Fatal(err)
				}
				return at
			}
			begin, first := time.Now(), modified()
			time.Sleep(time.Hour)
			if again := modified().Sub(first); !first.Equal(begin) || again != tc.again {
				t.Errorf("%s was modified at %s, and after %s again; want %s and %s", tc.path, first, again, begin, tc.again)
			}
			if w := ask(s, "GET", tc.path, "", "If-Modified-Since", first.Format(http.TimeFormat)); w.Code != tc.second {
				t.Errorf("%s again: %d", tc.path, w.Code)
			}
			// The index has no hash, and is always sent.
			if etag := ask(s, "GET", tc.path, "").Header().Get("ETag"); etag == "" != (tc.path == "/openapi/v3") {
				t.Errorf("%s has the ETag %q", tc.path, etag)
			} else if w := ask(s, "GET", tc.path, "", "If-None-Match", etag); etag != "" && w.Code != http.StatusNotModified {
				t.Errorf("%s with its ETag: %d", tc.path, w.Code)
			}
			if !tc.expires {
				return
			}
			expires := ask(s, "GET", tc.path+"?hash="+strings.Trim(ask(s, "GET", tc.path, "").Header().Get("ETag"), `"`), "").Header().Get("Expires")
			if want := time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat); expires != want {
				t.Errorf("%s expires at %q, want %q", tc.path, expires, want)
			}
		})
	}
}
