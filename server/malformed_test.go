package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

// newServerWithObjects returns a server with a CRD, a custom resource and a ConfigMap.
func newServerWithObjects(t testing.TB) *Server {
	t.Helper()
	s := local(t, Options{})
	crd, err := os.ReadFile("../testdata/crds/plains.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w := ask(s, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", string(crd), "Content-Type", "application/yaml")
	if w.Code != 201 {
		t.Fatalf("custom resource: %d %s", w.Code, w.Body)
	}
	create(t, s, "a", "")
	w = ask(s, "POST", "/apis/lab.example.com/v1/namespaces/n/plains", `{"apiVersion":"lab.example.com/v1","kind":"Plain","metadata":{"name":"a"}}`)
	if w.Code != 201 {
		t.Fatalf("object: %d %s", w.Code, w.Body)
	}
	return s
}

// revision returns the resourceVersion of the server's last write.
func revision(t testing.TB, s *Server) string {
	t.Helper()
	w := ask(s, "GET", "/apis/node.k8s.io/v1/runtimeclasses", "")
	return body(t, w).Get("metadata").Get("resourceVersion").StringOr("")
}

// checkRefusal returns an error unless the response is a 4xx with a Status, or the
// plain-text 404 of a path outside the API.
func checkRefusal(w *httptest.ResponseRecorder) error {
	if w.Code < 400 || w.Code > 499 {
		return fmt.Errorf("code %d: %.200s", w.Code, w.Body)
	}
	if w.Code == http.StatusNotFound && w.Body.String() == "404 page not found\n" {
		return nil
	}
	d, err := document.Parse(w.Body.Bytes(), document.Options{})
	if err != nil || d.Root.Get("kind").StringOr("") != "Status" || d.Root.Get("message").StringOr("") == "" || d.Root.Get("code").String() != fmt.Sprint(w.Code) {
		return fmt.Errorf("the response %d is not a Status: %.200s", w.Code, w.Body)
	}
	return nil
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	s := newServerWithObjects(t)
	const custom = "/apis/lab.example.com/v1/namespaces/n/plains"
	before, asked := revision(t, s), 0
	refuse := func(method, url, body string, headers ...string) {
		t.Helper()
		asked++
		if err := checkRefusal(ask(s, method, url, body, headers...)); err != nil {
			t.Errorf("%s %s %v %.80q: %v", method, url, headers, body, err)
		}
	}
	for _, collection := range []string{configMaps, custom} {
		for _, path := range []string{"/a/status", "/a/b/c/d", "/a/scale", "/missing", "/%00", "/..", "/a%2Fb"} {
			refuse("GET", collection+path, "")
			refuse("PUT", collection+path, "{}")
			refuse("PATCH", collection+path, "{}", "Content-Type", "application/merge-patch+json")
		}
		for _, query := range []string{"limit=x", "limit=1.5", "limit=", "continue=%00", "continue=x", "labelSelector=a%20in", "labelSelector=%FF",
			"fieldSelector=x%3Dy", "fieldSelector=x", "resourceVersion=x", "resourceVersion=-1", "resourceVersionMatch=Exact", "timeoutSeconds=x",
			"timeout=x", "watch=1&timeoutSeconds=x", "watch=1&continue=x", "watch=1&sendInitialEvents=0", "sendInitialEvents=1"} {
			if !strings.HasPrefix(query, "resourceVersion=") || !strings.Contains(query, "watch") {
				refuse("GET", collection+"?"+query, "")
			}
		}
		for _, accept := range []string{"text/html", "application/cbor", "application/json;as=X;v=v1;g=meta.k8s.io", ";;;", "image/*"} {
			refuse("GET", collection, "", "Accept", accept)
			refuse("GET", collection+"/a", "", "Accept", accept)
			refuse("POST", collection, "{}", "Accept", accept)
		}
		for _, kind := range []string{"text/plain", "application/cbor", "application/x-www-form-urlencoded", ";", "application/json;;;=", "application/merge-patch+json"} {
			refuse("POST", collection, `{"metadata":{"name":"b"}}`, "Content-Type", kind)
			refuse("PUT", collection+"/a", `{"metadata":{"name":"a"}}`, "Content-Type", kind)
			refuse("DELETE", collection+"/a", `{}`, "Content-Type", kind)
		}
		bodies := []string{"", "{", "[]", "1", `"x"`, "null", "\x00", "\xff\xfe", "{}", `{"metadata":1}`, `{"metadata":{"name":1}}`, `{"kind":"Other"}`,
			`{"apiVersion":"v9","kind":"ConfigMap","metadata":{"name":"b"}}`, strings.Repeat("[", 20000), strings.Repeat(`{"a":`, 20000), "k8s\x00\xff"}
		for _, b := range bodies {
			for _, kind := range []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"} {
				refuse("POST", collection, b, "Content-Type", kind)
			}
			if b != "null" && b != "{}" && b != "" {
				refuse("PATCH", collection+"/missing", b, "Content-Type", "application/json-patch+json")
			}
		}
		for _, b := range []string{"", "{", "x", `[{"op":"nope","path":"/a"}]`, `[{"op":"remove","path":"/nope/nope"}]`, `[1]`, `{"op":"add"}`} {
			refuse("PATCH", collection+"/a", b, "Content-Type", "application/json-patch+json")
		}
		for _, method := range []string{"BREW", "OPTIONS", "TRACE", "CONNECT"} {
			refuse(method, collection, "")
			refuse(method, collection+"/a", "")
		}
		for _, query := range []string{"dryRun=x", "fieldValidation=x", "fieldManager=%0A", "fieldManager=" + strings.Repeat("m", 129)} {
			refuse("POST", collection+"?"+query, `{"metadata":{"name":"b"}}`)
			refuse("PATCH", collection+"/a?"+query, `{}`, "Content-Type", "application/merge-patch+json")
		}
		for _, b := range []string{"{", "x", "[]", `{"kind":"Pod"}`, `{"gracePeriodSeconds":"x"}`, `{"propagationPolicy":"x"}`, `{"dryRun":["x"]}`, `{"dryRun":[1]}`, `{"dryRun":"All"}`,
			`{"preconditions":{"uid":"x"}}`, `{"preconditions":[]}`, `{"apiVersion":"a/b/c"}`} {
			refuse("DELETE", collection+"/a", b)
		}
	}
	for _, path := range []string{"/api/v2/pods", "/api", "/apis/apps/v1", "/version", "/nope", "//", "/api/v1/x/y/z/a/b/c"} {
		refuse("POST", path, "{}")
	}
	if after := revision(t, s); after != before {
		t.Errorf("something was stored: revision %s became %s", before, after)
	}
	if asked < 300 {
		t.Errorf("only %d requests", asked)
	}
	t.Logf("%d malformed requests", asked)
}

// FuzzRequest checks that the server responds to every request without an internal
// error and that a rejected request does not write to the store.
func FuzzRequest(f *testing.F) {
	for _, seed := range []struct{ method, url, header, body string }{
		{"GET", "/api/v1/namespaces/n/configmaps?limit=1&labelSelector=a%20in%20(b)", "application/json;as=Table;v=v1;g=meta.k8s.io", ""},
		{"POST", "/apis/lab.example.com/v1/namespaces/n/plains?fieldManager=m", "application/yaml", "apiVersion: lab.example.com/v1\nkind: Plain\nmetadata: {name: b}\n"},
		{"PATCH", "/api/v1/namespaces/n/configmaps/a?force=1", "application/apply-patch+yaml", "data: {a: yes}"},
		{"PATCH", "/api/v1/namespaces/n/configmaps/a", "application/json-patch+json", `[{"op":"add","path":"/data","value":{"a":"b"}}]`},
		{"PATCH", "/api/v1/namespaces/n/configmaps/a", "application/strategic-merge-patch+json", `{"$patch":"replace","metadata":{"name":"a"}}`},
		{"PUT", "/apis/lab.example.com/v1/namespaces/n/plains/a", "application/json", `{"metadata":{"resourceVersion":"1"}}`},
		{"DELETE", "/api/v1/namespaces/n/configmaps?propagationPolicy=Orphan", "application/json", `{"kind":"DeleteOptions","apiVersion":"v1"}`},
		{"POST", "/api/v1/namespaces/n/configmaps", "application/vnd.kubernetes.protobuf", "k8s\x00\n\x0f\n\x02v1\x12\tConfigMap\x12\x06\n\x04\n\x02cm"},
		{"GET", "/openapi/v3/apis/apps/v1?hash=x", "", ""},
		{"GET", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", ""},
	} {
		f.Add(seed.method, seed.url, seed.header, seed.body)
	}
	f.Fuzz(func(t *testing.T, method, url, header, body string) {
		r, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil || r.URL.Path == "" || strings.Contains(r.URL.RawQuery, "watch") || strings.Contains(url, "/watch") {
			t.Skip("no request, or one that does not end")
		}
		if strings.Contains(url, "esourceVersion") {
			t.Skip("a version that has not come yet is waited for")
		}
		r.Header.Set("Accept", header)
		r.Header.Set("Content-Type", header)
		s := newServerWithObjects(t)
		before := revision(t, s)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code < 200 || w.Code > 599 || strings.Contains(w.Body.String(), "fault in the server") {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if after := revision(t, s); w.Code >= 300 && after != before {
			t.Fatalf("refused with %d, but revision %s became %s", w.Code, before, after)
		}
	})
}
