package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

const configMaps = "/api/v1/namespaces/n/configmaps"

// local returns a server with its own cluster, without a listener.
func local(t testing.TB, o Options) *Server {
	t.Helper()
	c, err := cluster.New(cluster.Config{Now: fixedClock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if o.Now == nil {
		o.Now = func() time.Time { return fixedClock().Add(90 * time.Second) }
	}
	return New(c, o)
}

func create(t testing.TB, s http.Handler, name, rest string) {
	t.Helper()
	w := ask(s, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`"}`+rest+`}`)
	if w.Code != http.StatusCreated {
		t.Fatalf("creating %s: %d %s", name, w.Code, w.Body)
	}
}

func TestRequestsNeedBearerToken(t *testing.T) {
	s := local(t, Options{Token: "secret"})
	for header, code := range map[string]int{
		"": 401, "Bearer": 401, "Bearer ": 401, "Bearer wrong": 401, "Bearer secretx": 401, "Basic secret": 401, "secret": 401,
		"Bearer secret": 200, "bearer secret": 200,
	} {
		w := ask(s, "GET", "/version", "", "Authorization", header)
		if w.Code != code {
			t.Errorf("%q: %d", header, w.Code)
		}
		if code == 401 && body(t, w).Get("reason").StringOr("") != "Unauthorized" {
			t.Errorf("%q: %s", header, w.Body)
		}
	}
}

func TestVersionEndpointReturnsKubernetesVersion(t *testing.T) {
	for version, emulation := range map[string]string{"1.32": "", "1.33": "33", "1.36": "36"} {
		v := body(t, ask(served(t, version), "GET", "/version", ""))
		if got := "1." + v.Get("minor").StringOr(""); v.Get("major").StringOr("") != "1" || got != version || v.Get("gitVersion").StringOr("") != "v"+version+".0+patchlab" {
			t.Errorf("%s: got %s", version, v)
		}
		if v.Get("emulationMinor").StringOr("") != emulation {
			t.Errorf("%s emulates %s, want %q", version, v, emulation)
		}
	}
}

// TestSubresourcesOfDisabledFeatures: pods/resize is in the documents of Kubernetes 1.32, but kube-apiserver serves it there
// only with a feature gate.
func TestSubresourcesOfDisabledFeatures(t *testing.T) {
	for version, code := range map[string]int{"1.31": 404, "1.32": 404, "1.33": 405, "1.36": 405} {
		s := served(t, version)
		if w := ask(s, "POST", "/api/v1/namespaces/n/pods/p/resize", "{}"); w.Code != code {
			t.Errorf("%s: %d, want %d", version, w.Code, code)
		}
		listed := strings.Contains(ask(s, "GET", "/api/v1", "").Body.String(), `"name":"pods/resize"`)
		if listed != (code == 405) {
			t.Errorf("%s lists it: %t", version, listed)
		}
	}
}

// TestPathsAreListed compares the list of paths with that of kube-apiserver, except for the paths that are not
// served here.
func TestPathsAreListed(t *testing.T) {
	recorded, err := os.ReadFile("testdata/paths.json")
	if err != nil {
		t.Fatal(err)
	}
	list := func(data []byte) (paths []string) {
		var page struct{ Paths []string }
		if err := json.Unmarshal(data, &page); err != nil {
			t.Fatal(err)
		}
		return page.Paths
	}
	want := slices.DeleteFunc(list(recorded), func(p string) bool { return p == "/flagz" || p == "/statusz" || p == "/metrics/slis" })
	w := ask(local(t, Options{Tokens: new(Tokens)}), "GET", "/", "")
	if paths := list(w.Body.Bytes()); !slices.Equal(paths, want) {
		t.Errorf("got  %q\nwant %q", paths, want)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	f := newFake(t)
	s := New(f, Options{})
	for size, code := range map[int]int{maxBody: 200, maxBody + 1: 413} {
		f.asked = nil
		w := ask(s, "POST", configMaps, strings.Repeat(" ", size))
		if w.Code != code || len(f.asked) != map[int]int{200: 1, 413: 0}[code] {
			t.Errorf("%d bytes: %d, the cluster got %d requests", size, w.Code, len(f.asked))
		}
		if code == 413 && body(t, w).Get("reason").StringOr("") != "RequestEntityTooLarge" {
			t.Errorf("%d bytes: %s", size, w.Body)
		}
	}
}

func TestConcurrentRequestsAreBounded(t *testing.T) {
	f := newFake(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	f.answer = func(context.Context, *cluster.Request) (*cluster.Response, error) {
		entered <- struct{}{}
		<-leave
		return &cluster.Response{Code: 200, Object: object("kind", text("ConfigMap"))}, nil
	}
	s := New(f, Options{MaxReads: 1, MaxWrites: 1})
	var wg sync.WaitGroup
	for _, method := range []string{"GET", "PUT"} {
		wg.Go(func() { ask(s, method, configMaps+"/a", "") })
		<-entered
	}
	for _, method := range []string{"GET", "PUT"} {
		w := ask(s, method, configMaps+"/a", "")
		if w.Code != 429 || w.Header().Get("Retry-After") != "1" || body(t, w).Get("reason").StringOr("") != "TooManyRequests" {
			t.Errorf("%s: %d %v %s", method, w.Code, w.Header(), w.Body)
		}
	}
	if w := ask(s, "GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("health while busy: %d", w.Code)
	}
	close(leave)
	wg.Wait()
	wg.Go(func() { <-entered })
	if w := ask(s, "GET", configMaps+"/a", ""); w.Code != 200 {
		t.Errorf("afterwards: %d", w.Code)
	}
	wg.Wait()
}

func TestPanicIsInternalError(t *testing.T) {
	f := newFake(t)
	f.answer = func(context.Context, *cluster.Request) (*cluster.Response, error) { panic("what only we may know") }
	var log []Access
	s := New(f, Options{Log: func(a Access) { log = append(log, a) }})
	w := ask(s, "GET", configMaps+"/a", "")
	if w.Code != 500 || body(t, w).Get("reason").StringOr("") != "InternalError" || strings.Contains(w.Body.String(), "only we") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if len(log) != 1 || log[0].Code != 500 || !strings.Contains(log[0].Fault, "only we") || !strings.Contains(log[0].Fault, "server_test.go") {
		t.Errorf("log: %+v", log)
	}
	if page := ask(s, "GET", "/metrics", "").Body.String(); !strings.Contains(page, "patchlab_panics_total 1") {
		t.Errorf("metrics:\n%s", page)
	}
}

// breaking is a ResponseWriter whose second Write panics.
type breaking struct {
	http.ResponseWriter
	written bool
}

func (b *breaking) Write(p []byte) (int, error) {
	if b.written {
		panic("a bug")
	}
	b.written = true
	return b.ResponseWriter.Write(p)
}

// A response that a panic interrupts must not look complete.
func TestPanicInAResponseBreaksTheConnection(t *testing.T) {
	f := newFake(t)
	f.answer = func(context.Context, *cluster.Request) (*cluster.Response, error) {
		return &cluster.Response{Code: 200, Object: object("apiVersion", text("v1"), "kind", text("ConfigMapList"),
			"items", document.NewList(object("metadata", object("name", text("a")), "data", object("k", text(strings.Repeat("x", 1<<20))))))}, nil
	}
	s := New(f, Options{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(&breaking{ResponseWriter: w}, r) }))
	defer web.Close()
	response, err := web.Client().Get(web.URL + configMaps)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if text, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("%d with %d bytes and no error", response.StatusCode, len(text))
	}
}

func TestOtherErrorsAreInternalErrors(t *testing.T) {
	f := newFake(t)
	f.answer = func(context.Context, *cluster.Request) (*cluster.Response, error) { return nil, errors.New("oh") }
	if w := ask(New(f, Options{}), "GET", configMaps+"/a", ""); w.Code != 500 || body(t, w).Get("message").StringOr("") != "oh" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestLogAndMetrics(t *testing.T) {
	var log []Access
	s := local(t, Options{Log: func(a Access) { log = append(log, a) }})
	create(t, s, "a", "")
	ask(s, "GET", configMaps+"/a?x=1", "", "User-Agent", "me/1", "Audit-Id", "id-1")
	ask(s, "BREW", configMaps, "")
	if len(log) != 3 || log[1].URL != configMaps+"/a?x=1" || log[1].UserAgent != "me/1" || log[1].Code != 200 || log[1].Bytes == 0 {
		t.Errorf("log: %+v", log)
	}
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	if log[1].ID != "id-1" || !uuid.MatchString(log[0].ID) || log[0].ID == log[2].ID {
		t.Errorf("identifiers: %q, %q and %q", log[0].ID, log[1].ID, log[2].ID)
	}
	if w := ask(s, "GET", configMaps+"/a", "", "Audit-Id", "two words\t"); strings.Contains(w.Header().Get("Audit-Id"), "two") {
		t.Errorf("the identifier %q was taken from the client", w.Header().Get("Audit-Id"))
	}
	ask(s, "PUT", configMaps+"/a", `{"metadata":{"name":"a","resourceVersion":"1"}}`, "Content-Type", "application/json")
	page := ask(s, "GET", "/metrics", "").Body.String()
	for _, want := range []string{
		`patchlab_requests_total{code="201",group="",resource="configmaps",verb="create"} 1`,
		`patchlab_requests_total{code="200",group="",resource="configmaps",verb="get"} 2`,
		`patchlab_requests_total{code="405",group="",resource="",verb="other"} 1`,
		`patchlab_request_duration_seconds_count{group="",resource="configmaps",verb="create"} 1`,
		`patchlab_conflicts_total{group="",reason="version",resource="configmaps",verb="update"} 1`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing in\n%s", want, page)
		}
	}
}

func TestWarningHeadersAreQuotedAndLimited(t *testing.T) {
	header := func(warnings ...string) []string {
		h := http.Header{}
		warn(h, warnings)
		return h.Values("Warning")
	}
	if got := header(`unknown field "a\b"`, "x\ny"); fmt.Sprint(got) != `[299 - "unknown field \"a\\b\"" 299 - "xy"]` {
		t.Errorf("got %v", got)
	}
	long := strings.Repeat("w", 300)
	many := slices.Repeat([]string{long}, 40)
	got := header(many...)
	if len(got) != warningsLimit/warningLimit || len(got[0]) != warningLimit+len(`299 - ""`) {
		t.Errorf("of %d long warnings %d are sent, the first with %d bytes", len(many), len(got), len(got[0]))
	}
	if got := header(long); len(got[0]) != 300+len(`299 - ""`) {
		t.Errorf("one long warning is cut: %s", got)
	}
}

func TestObjectsAreEncodedAsRequested(t *testing.T) {
	s := local(t, Options{})
	create(t, s, "a", `,"data":{"k":"v"}`)
	plain := ask(s, "GET", configMaps+"/a", "")
	if !bytes.HasPrefix(plain.Body.Bytes(), []byte(`{"apiVersion":"v1","data":{"k":"v"},`)) || !bytes.HasSuffix(plain.Body.Bytes(), []byte("}\n")) {
		t.Errorf("plain: %s", plain.Body)
	}
	indented := ask(s, "GET", configMaps+"/a?pretty=true", "").Body.String()
	if !strings.HasPrefix(indented, "{\n  \"apiVersion\": \"v1\",\n") {
		t.Errorf("indented: %s", indented)
	}
	yaml := ask(s, "GET", configMaps+"/a", "", "Accept", "application/yaml")
	if !strings.HasPrefix(yaml.Body.String(), "apiVersion: v1\ndata:\n  k: v\n") || yaml.Header().Get("Content-Type") != "application/yaml" {
		t.Errorf("YAML: %s", yaml.Body)
	}
	paths := ask(s, "GET", "/", "")
	head := ask(s, "HEAD", "/", "")
	if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != paths.Header().Get("Content-Length") {
		t.Errorf("HEAD: %d %v %s", head.Code, head.Header(), head.Body)
	}
}

func TestResponseFormats(t *testing.T) {
	s := local(t, Options{})
	create(t, s, "a", `,"data":{"k":"v"}`)
	accept := func(form string) string { return "application/json;as=" + form + ";v=v1;g=meta.k8s.io" }
	get := func(path, form string) document.Value {
		return body(t, ask(s, "GET", path, "", "Accept", accept(form)))
	}
	table := get(configMaps, "Table")
	row := table.Get("rows").At(0)
	if got := row.Get("cells").String(); got != `["a",1,"90s"]` || table.Get("kind").StringOr("") != "Table" {
		t.Errorf("table: %s", table)
	}
	if row.Get("object").Get("kind").StringOr("") != "PartialObjectMetadata" || row.Get("object").Get("data").Exists() {
		t.Errorf("row's object: %s", row)
	}
	if o := get(configMaps+"?includeObject=Object", "Table").Get("rows").At(0).Get("object"); o.Get("kind").StringOr("") != "ConfigMap" || !o.Get("data").Exists() {
		t.Errorf("row with the object: %s", o)
	}
	if o := get(configMaps+"/a?includeObject=None", "Table").Get("rows").At(0).Get("object"); !o.IsNull() {
		t.Errorf("row without object: %s", o)
	}
	if st := get(configMaps+"/a?includeObject=Other", "Table"); st.Get("code").String() != "400" {
		t.Errorf("unknown includeObject: %s", st)
	}
	if o := get(configMaps+"/a", "PartialObjectMetadata"); o.Get("data").Exists() || o.Get("metadata").Get("name").StringOr("") != "a" || o.Get("apiVersion").StringOr("") != "meta.k8s.io/v1" {
		t.Errorf("metadata: %s", o)
	}
	if l := get(configMaps, "PartialObjectMetadataList"); l.Get("items").Len() != 1 || l.Get("kind").StringOr("") != "PartialObjectMetadataList" {
		t.Errorf("list of metadata: %s", l)
	}
	for path, form := range map[string]string{configMaps: "PartialObjectMetadata", configMaps + "/a": "PartialObjectMetadataList"} {
		if st := get(path, form); st.Get("reason").StringOr("") != "NotAcceptable" {
			t.Errorf("%s as %s: %s", path, form, st)
		}
	}
	if st := get(configMaps+"/none", "Table"); st.Get("kind").StringOr("") != "Status" {
		t.Errorf("a failure as a table: %s", st)
	}
}

// lines reads count lines of a watch.
func lines(t *testing.T, url string, count int, headers ...string) []document.Value {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out []document.Value
	var buf []byte
	chunk := make([]byte, 4096)
	for len(out) < count {
		n, err := resp.Body.Read(chunk)
		buf = append(buf, chunk[:n]...)
		for {
			i := bytes.IndexByte(buf, '\n')
			if i < 0 {
				break
			}
			d, perr := document.Parse(buf[:i], document.Options{})
			if perr != nil {
				t.Fatalf("%s: %v", buf[:i], perr)
			}
			out, buf = append(out, d.Root), buf[i+1:]
		}
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("after %d events: %v", len(out), err)
		}
	}
	return out
}

func TestWatchFormats(t *testing.T) {
	s := local(t, Options{})
	create(t, s, "a", "")
	create(t, s, "b", "")
	live := httptest.NewServer(s)
	defer live.Close()
	defer live.CloseClientConnections()
	url := live.URL + configMaps + "?watch=1"
	events := lines(t, url, 2, "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	if events[0].Get("object").Get("columnDefinitions").Len() != 3 || !events[1].Get("object").Get("columnDefinitions").IsNull() {
		t.Errorf("columns stand in the first table only: %s", events)
	}
	events = lines(t, url, 1, "Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
	if events[0].Get("object").Get("kind").StringOr("") != "PartialObjectMetadata" {
		t.Errorf("metadata: %s", events)
	}
	if events = lines(t, url+"&timeoutSeconds=1", 5); len(events) != 2 {
		t.Errorf("a watch with a time of its own ended after %d events", len(events))
	}
	if w := ask(s, "GET", configMaps+"?watch=1&timeoutSeconds=x", ""); w.Code != 400 {
		t.Errorf("malformed time: %d", w.Code)
	}
}

func TestServeStops(t *testing.T) {
	s := local(t, Options{})
	create(t, s, "a", "")
	for _, secure := range []bool{false, true} {
		url, client, stop := serve(t, s, secure)
		resp, err := client.Get(url + configMaps + "?watch=1")
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 10)
		if _, err := io.ReadFull(resp.Body, first); err != nil || string(first) != `{"type":"A` {
			t.Errorf("watch begins with %q: %v", first, err)
		}
		stop()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil && !secure {
			t.Errorf("the watch was cut off, not ended: %v", err)
		}
		resp.Body.Close()
		if _, err := client.Get(url + "/version"); err == nil {
			t.Error("still serving")
		}
		s.stopping.Store(false)
	}
}

// TestUnusualRequests checks unusual requests and those about the API itself against
// the responses of kube-apiserver v1.36.3.
func TestUnusualRequests(t *testing.T) {
	s := local(t, Options{})
	const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"zz"},"spec":{"bogus":1}}`
	apply, strategic := "application/apply-patch+yaml", "application/strategic-merge-patch+json"
	create(t, s, "owned", "")
	create(t, s, "one", "")
	for _, c := range []struct {
		why, method, url, kind, accept, body string
		code                                 int
		want, warning                        string
	}{
		{"an unknown field in an apply", "PATCH", "/apis/apps/v1/namespaces/n/deployments/zz?fieldManager=m", apply, "", deployment, 500,
			`failed to create typed patch object (/zz; apps/v1, Kind=Deployment): .spec.bogus: field not declared in schema`, ""},
		{"another type in an apply", "PATCH", configMaps + "/a?fieldManager=m", apply, "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":true}}`, 500,
			`failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.a: expected string, got \u0026value.valueUnstructured{Value:true}`, ""},
		{"a strategic merge patch of another type", "PATCH", configMaps + "/owned", strategic, "", `{"metadata":{"labels":"invalid"}}`, 422,
			`patch: Invalid value: \"map[metadata:map[labels:invalid]]\": cannot restore map from string`, ""},
		{"a dry run ignores the resourceVersion", "POST", configMaps + "?dryRun=All", "", "", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"7"}}`, 201, "", ""},
		{"a path with an empty group", "POST", configMaps, "", "", `{"apiVersion":"/v1","kind":"ConfigMap","metadata":{"name":"empty-group"}}`, 201, `{"apiVersion":"v1",`, ""},
		{"the warning of a deprecated version accompanies a refusal", "POST", "/api/v1/namespaces/n/endpoints", "", "", `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"E_"}}`, 422, "",
			`299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"`},
		{"owner references that a patch duplicates", "PATCH", configMaps + "/owned", "application/merge-patch+json", "",
			`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}]}}`, 200, "",
			`contains duplicate entries after mutating admission happens; API server dedups`},
		{"a watch as a table of an unknown version", "GET", configMaps + "?watch=1&includeObject=Foo", "", "application/json;as=Table;v=v1;g=meta.k8s.io", "", 400,
			"Unable to convert to Table as requested", ""},
		{"a deletion whose answer is a Status, with invalid options for tables, is refused", "DELETE", configMaps + "/one?includeObject=Foo", "", "application/json;as=Table;v=v1;g=meta.k8s.io", "", 400,
			`Unable to convert to Table as requested: includeObject: Invalid value: \"Foo\": must be 'Metadata', 'Object', 'None', or empty`, ""},
		{"but the object is deleted", "GET", configMaps + "/one", "", "", "", 404, `configmaps \"one\" not found`, ""},
		{"an unknown resourceVersionMatch", "GET", configMaps + "?resourceVersion=1&resourceVersionMatch=%3C%26", "", "", "", 422,
			`resourceVersionMatch: Unsupported value: \"\\u003c\\u0026\": supported values: \"Exact\", \"NotOlderThan\", \"\"`, ""},
		{"an unknown propagationPolicy", "DELETE", configMaps + "/owned?propagationPolicy=%3Cx", "", "", "", 422,
			`propagationPolicy: Unsupported value: \"\\u003cx\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"`, ""},
		{"an unknown dryRun", "DELETE", configMaps + "/owned?dryRun=%3C&dryRun=All", "", "", "", 422,
			`dryRun: Unsupported value: [\"\\u003c\",\"All\"]: supported values: \"All\"`, ""},
		{"another uid", "PATCH", configMaps + "/owned", "application/merge-patch+json", "", `{"metadata":{"uid":"<x"}}`, 422, `metadata.uid: Invalid value: \"\\u003cx\": field is immutable`, ""},
		{"a group as YAML", "GET", "/apis/apps", "", "application/yaml", "", 200, "kind: APIGroup\nname: apps\n", ""},
		{"a version as YAML", "GET", "/api/v1", "", "application/yaml", "", 200, "kind: APIResourceList\n", ""},
		{"the emulated version", "GET", "/version", "", "", "", 200, "\"emulationMajor\": \"1\",\n  \"emulationMinor\": \"36\"", ""},
		{"the oldest compatible version", "GET", "/version", "", "", "", 200, "\"minCompatibilityMajor\": \"1\",\n  \"minCompatibilityMinor\": \"35\"", ""},
		{"an empty namespace in a path selects all namespaces", "GET", "/api/v1/namespaces//configmaps", "", "", "", 200, `"name":"owned"`, ""},
		{"the index of OpenAPI has no path that ends in a slash", "GET", "/openapi/v3/", "", "", "", 404, "", ""},
		{"nor has OpenAPI 2", "GET", "/openapi/v2/", "", "", "", 404, "404 page not found", ""},
		{"nor have metrics", "GET", "/metrics/", "", "", "", 404, "404 page not found", ""},
		{"a version has", "GET", "/version/", "", "", "", 200, `"major": "1"`, ""},
		{"the old path of watches without a resource", "GET", "/apis/apps/v1/watch", "", "", "", 500,
			`Internal Server Error: "/apis/apps/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /apis/apps/v1/watch`, ""},
		{"the old paths of watches", "GET", "/openapi/v3/api/v1", "", "", "", 200, `"/api/v1/watch/namespaces/{namespace}/configmaps/{name}"`, ""},
	} {
		headers := []string{}
		if c.kind != "" {
			headers = append(headers, "Content-Type", c.kind)
		}
		if c.accept != "" {
			headers = append(headers, "Accept", c.accept)
		}
		w := ask(s, c.method, c.url, c.body, headers...)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %.600s", c.why, w.Code, w.Body)
		}
		if warnings := strings.Join(w.Header().Values("Warning"), "\n"); !strings.Contains(warnings, c.warning) || c.warning == "" && warnings != "" {
			t.Errorf("%s: warnings %q", c.why, warnings)
		}
	}
}

// TestWarningsOpenAPIAndWatchesOfCustomResource checks warnings about finalizers and versions, selectable
// fields in OpenAPI, and the end of watches when the CRD changes.
func TestWarningsOpenAPIAndWatchesOfCustomResource(t *testing.T) {
	s := local(t, Options{})
	const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	version := func(name, more string) string {
		return `{"name":"` + name + `","served":true,` + more + `"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"color":{"type":"string"}}}}}},"selectableFields":[{"jsonPath":".spec.color"}]}`
	}
	definition := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced",` +
		`"names":{"kind":"Thing","plural":"things"},"versions":[` + version("v1", `"storage":true,`) + `,` + version("v1beta1", `"storage":false,"deprecated":true,`) + `]}}`
	if w := ask(s, "POST", crds, definition); w.Code != 201 {
		t.Fatal(w.Body)
	}
	thing := func(version, finalizers string) []string {
		w := ask(s, "POST", "/apis/example.com/"+version+"/namespaces/n/things",
			`{"apiVersion":"example.com/`+version+`","kind":"Thing","metadata":{"generateName":"a-","finalizers":[`+finalizers+`]}}`)
		if w.Code != 201 {
			t.Fatal(w.Body)
		}
		return w.Header().Values("Warning")
	}
	const prefer = "to avoid accidental conflicts with other finalizer writers\""
	for _, c := range []struct {
		version, finalizers string
		want                []string
	}{
		{"v1", `"example.com/a","orphan"`, nil},
		{"v1", `"nodomain"`, []string{`299 - "metadata.finalizers: \"nodomain\": prefer a domain-qualified finalizer name ` + prefer}},
		{"v1", `"no.path"`, []string{`299 - "metadata.finalizers: \"no.path\": prefer a domain-qualified finalizer name including a path (/) ` + prefer}},
		{"v1beta1", ``, []string{`299 - "example.com/v1beta1 Thing is deprecated; use example.com/v1 Thing"`}},
	} {
		if got := thing(c.version, c.finalizers); !slices.Equal(got, c.want) {
			t.Errorf("%s with %s: %q", c.version, c.finalizers, got)
		}
	}
	// kube-apiserver publishes them in the schemas of the kind and of its list.
	if doc := ask(s, "GET", "/openapi/v3/apis/example.com/v1", "").Body.String(); strings.Count(doc, `"x-kubernetes-selectable-fields":[{"fieldPath":"spec.color"}]`) != 2 {
		t.Error("the schemas of a kind and its list do not have its selectable fields")
	}
	live := httptest.NewServer(s)
	defer live.Close()
	resp, err := http.Get(live.URL + "/apis/example.com/v1/namespaces/n/things?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, 10)
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	w := ask(s, "PATCH", crds+"/things.example.com", `[{"op":"add","path":"/spec/versions/0/additionalPrinterColumns","value":[{"name":"Color","type":"string","jsonPath":".spec.color"}]}]`,
		"Content-Type", "application/json-patch+json")
	if w.Code != 200 {
		t.Fatal(w.Body)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Errorf("the watch was cut off, not ended: %v", err)
	}
}
