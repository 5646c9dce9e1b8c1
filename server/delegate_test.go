package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/aggregation"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/schema"
)

const registrationsPath = "/apis/apiregistration.k8s.io/v1/apiservices"

// delegating returns a server that forwards requests for the versions of APIServices to a handler, and a function that
// creates an APIService for a version.
func delegating(t *testing.T, o Options, handler http.HandlerFunc) (*Server, func(group, version string, groupPriority, versionPriority int)) {
	t.Helper()
	extension := httptest.NewUnstartedServer(handler)
	extension.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that the end of the test interrupts
	extension.StartTLS()
	t.Cleanup(extension.Close)
	at, err := url.Parse(extension.URL)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(cluster.Config{Now: fixedClock})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.RegisterVersions(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.Aggregation, err = aggregation.New(t.Context(), c, aggregation.Options{Service: func(string, string, int32) (*url.URL, error) { return at, nil }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { o.Aggregation.Run(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended; _ = c.Close() })
	s := New(c, o)
	return s, func(group, version string, groupPriority, versionPriority int) {
		t.Helper()
		name := version + "." + group
		body := fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"group":%q,"version":%q,"groupPriorityMinimum":%d,"versionPriority":%d,"insecureSkipTLSVerify":true,`+
			`"service":{"name":"ext","namespace":"lab"}}}`, name, group, version, groupPriority, versionPriority)
		request := &cluster.Request{Verb: cluster.Create, Group: aggregation.Group, Version: "v1", Resource: "apiservices", Body: []byte(body)}
		if _, err := c.Do(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(2 * time.Millisecond) {
			request := &cluster.Request{Verb: cluster.Get, Group: aggregation.Group, Version: "v1", Resource: "apiservices", Name: name}
			got, err := c.Do(t.Context(), request)
			if b := o.Aggregation.Find(group, version); err == nil && b != nil && strings.Contains(string(got.Object.JSON()), `"Passed"`) && b.Available() {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s is not available: %s", name, got.Object)
			}
		}
	}
}

// define creates a CustomResourceDefinition with the versions v1 and v1beta1.
func define(t *testing.T, s *Server, group string) {
	t.Helper()
	const version = `{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object"}}}`
	body := fmt.Sprintf(`{"metadata":{"name":"gadgets.%s"},"spec":{"group":%q,"scope":"Namespaced","names":{"plural":"gadgets","kind":"Gadget"},"versions":[`+version+","+version+`]}}`,
		group, group, "v1", true, "v1beta1", false)
	if w := ask(s, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body, "Content-Type", "application/json"); w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
}

// TestDiscoveryOfExtensions has the answers of kube-apiserver 1.36.3 to the same APIServices and definitions: an APIService with
// a service takes the place of a version of a definition, whichever is created first, and the priorities determine the order.
func TestDiscoveryOfExtensions(t *testing.T) {
	s, register := delegating(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"APIResourceList","resources":[{"name":"things","singularName":"thing","namespaced":true,"kind":"Thing","verbs":["get"]}]}`)
	})
	register("crd.example.com", "v1", 1000, 50)
	define(t, s, "crd.example.com")
	define(t, s, "zzz.example.com")
	register("crd.example.com", "v2", 900, 200)
	register("low.example.com", "v1", 10, 10)
	register("top.example.com", "v1", 19000, 10)
	register("wardle.example.com", "v1alpha1", 1000, 15)
	register("wardle.example.com", "v1beta1", 1000, 15)
	var list apiGroupList
	if err := json.Unmarshal(ask(s, "GET", "/apis", "").Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, g := range list.Groups {
		if strings.Contains(g.Name, "example.com") || g.Name == "apps" || g.Name == aggregation.Group {
			listed = append(listed, describe(g))
		}
	}
	if want := []string{
		"apiregistration.k8s.io v1", "top.example.com v1", "apps v1", "crd.example.com v2 v1beta1 v1", "zzz.example.com v1 v1beta1",
		"wardle.example.com v1beta1 v1alpha1", "low.example.com v1",
	}; !reflect.DeepEqual(listed, want) {
		t.Errorf("listed\n%v\nwant\n%v", listed, want)
	}
	var group apiGroup
	if err := json.Unmarshal(ask(s, "GET", "/apis/crd.example.com", "").Body.Bytes(), &group); err != nil || describe(group) != "crd.example.com v2 v1beta1 v1" {
		t.Errorf("the group is %v, %v", group, err)
	}
	var root struct{ Paths []string }
	if err := json.Unmarshal(ask(s, "GET", "/", "").Body.Bytes(), &root); err != nil {
		t.Fatal(err)
	}
	root.Paths = slices.DeleteFunc(root.Paths, func(path string) bool {
		return !strings.Contains(path, "wardle") && !strings.Contains(path, "crd.example.com")
	})
	if want := []string{
		"/apis/crd.example.com", "/apis/crd.example.com/v1", "/apis/crd.example.com/v1beta1", "/apis/crd.example.com/v2",
		"/apis/wardle.example.com", "/apis/wardle.example.com/v1alpha1", "/apis/wardle.example.com/v1beta1",
	}; !reflect.DeepEqual(root.Paths, want) {
		t.Errorf("the paths are %q, want %q", root.Paths, want)
	}
	want := []string{
		"apiregistration.k8s.io v1:apiservices", "top.example.com v1:things", "apps v1:controllerrevisions",
		"crd.example.com v2:things v1beta1:gadgets v1:things", "wardle.example.com v1beta1:things v1alpha1:things",
		"zzz.example.com v1:gadgets v1beta1:gadgets", "low.example.com v1:things",
	}
	var got []string
	for deadline := time.Now().Add(15 * time.Second); !reflect.DeepEqual(got, want); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("aggregated\n%v\nwant\n%v", got, want)
		}
		got = aggregatedText(t, s)
	}
	if w := ask(s, "GET", "/apis/crd.example.com/v1beta1", ""); !strings.Contains(w.Body.String(), "gadgets") {
		t.Errorf("the version of the definition: %s", w.Body)
	}
	if w := ask(s, "GET", "/apis/crd.example.com/v1", ""); !strings.Contains(w.Body.String(), "things") {
		t.Errorf("the version of the service: %s", w.Body)
	}
}

func describe(g apiGroup) string {
	out := g.Name
	for _, v := range g.Versions {
		out += " " + v.Version
	}
	return out
}

// aggregatedText returns each group of the aggregated document with the first resource of each version; that of a version
// whose resources are not known is Stale.
func aggregatedText(t *testing.T, s *Server) []string {
	t.Helper()
	var list discoveryList
	w := ask(s, "GET", "/apis", "", "Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, g := range list.Items {
		if !strings.Contains(g.Metadata.Name, "example.com") && g.Metadata.Name != "apps" && g.Metadata.Name != aggregation.Group {
			continue
		}
		line := g.Metadata.Name
		for _, v := range g.Versions {
			first := v.Freshness
			if len(v.Resources) > 0 && first == "Current" {
				first = v.Resources[0].Resource
			}
			line += " " + v.Version + ":" + first
		}
		out = append(out, line)
	}
	return out
}

// TestStaleDiscovery: a version whose service does not answer has no resources and is stale.
func TestStaleDiscovery(t *testing.T) {
	s, register := delegating(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/apis" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	register("ext.example.com", "v1", 1000, 10)
	got := aggregatedText(t, s)
	if last := got[len(got)-1]; last != "ext.example.com v1:Stale" {
		t.Errorf("got %v", got)
	}
	w := ask(s, "GET", "/apis", "", "Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	if !strings.Contains(w.Body.String(), `{"metadata":{"name":"ext.example.com"},"versions":[{"version":"v1","freshness":"Stale"}]}`) {
		t.Errorf("the document is %s", w.Body)
	}
}

// TestDelegatedRequests: requests with all methods, and bodies larger than this server takes itself, are forwarded with the
// user, unless the authorizer refuses them.
func TestDelegatedRequests(t *testing.T) {
	s, register := delegating(t, Options{Authorizer: exceptBob{}}, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %d %s %t", r.Method, r.URL, n, r.Header.Get("X-Remote-User"), r.Header.Get(auditID) != "")
	})
	register("ext.example.com", "v1", 1000, 10)
	const root = "/apis/ext.example.com/v1"
	for _, c := range []struct {
		why, method, path, user string
		size, code              int
		want                    string
	}{
		{"an object", "GET", root + "/namespaces/lab/things/x", "ada", 0, 200, "GET /apis/ext.example.com/v1/namespaces/lab/things/x 0 ada true"},
		{"a large body", "POST", root + "/things?dryRun=All", "ada", 2 * maxBody, 200, "POST /apis/ext.example.com/v1/things?dryRun=All " + strconv.Itoa(2*maxBody) + " ada true"},
		{"an unusual method", "PROPFIND", root + "/things", "ada", 0, 200, "PROPFIND /apis/ext.example.com/v1/things 0 ada true"},
		{"the version", "GET", root, "ada", 0, 200, "GET /apis/ext.example.com/v1 0 ada true"},
		{"a path with a slash at the end", "GET", root + "/", "ada", 0, 200, "GET /apis/ext.example.com/v1/ 0 ada true"},
		{"a refused user", "GET", root + "/namespaces/lab/things/x", "bob", 0, 403, "bob may not"},
	} {
		w := ask(s, c.method, c.path, strings.Repeat("x", c.size), "Impersonate-User", c.user, "Content-Type", "application/json")
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.why, w.Code, w.Body, c.code, c.want)
		}
	}
}

// exceptBob refuses the requests of bob.
type exceptBob struct{}

func (exceptBob) Authorize(_ context.Context, r *cluster.Request) error {
	if r.User.Name == "bob" {
		return forbidden("bob may not")
	}
	return nil
}

func (exceptBob) AuthorizePath(context.Context, cluster.User, cluster.User, string, string) error {
	return nil
}

// TestHangingExtension: requests that an extension API server does not answer occupy no slot, and end at their timeout.
func TestHangingExtension(t *testing.T) {
	reached := make(chan struct{})
	s, register := delegating(t, Options{MaxReads: 1, MaxWrites: 1}, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/things") {
			reached <- struct{}{}
			<-r.Context().Done()
		}
	})
	register("ext.example.com", "v1", 1000, 10)
	done := make(chan *httptest.ResponseRecorder)
	const running = 4
	for i := range running {
		method := []string{"GET", "POST"}[i%2]
		go func() {
			done <- ask(s, method, "/apis/ext.example.com/v1/namespaces/lab/things?timeout=3s", "", "Content-Type", "application/json")
		}()
		<-reached
		if w := ask(s, "GET", configMaps, ""); w.Code != 200 {
			t.Errorf("beside requests that hang: %d %s", w.Code, w.Body)
		}
		create(t, s, fmt.Sprintf("beside-%d", i), "")
	}
	for range running {
		if w := <-done; w.Code != http.StatusGatewayTimeout {
			t.Errorf("a request that hangs: %d %s", w.Code, w.Body)
		}
	}
}

// TestDelegatedWatch: each event of a watch arrives at once, and a watch ends with the server.
func TestDelegatedWatch(t *testing.T) {
	s, register := delegating(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "true" {
			_, _ = io.WriteString(w, "{\"type\":\"ADDED\"}\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	})
	register("ext.example.com", "v1", 1000, 10)
	at, client, stop := serve(t, s, false)
	response, err := client.Get(at + "/apis/ext.example.com/v1/things?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	events := bufio.NewReader(response.Body)
	if line, err := events.ReadString('\n'); line != "{\"type\":\"ADDED\"}\n" {
		t.Fatalf("the first event is %q, %v", line, err)
	}
	begin := time.Now()
	stop()
	if took := time.Since(begin); took >= stopTime {
		t.Errorf("the server took %v to end", took)
	}
	if rest, err := io.ReadAll(events); len(rest) > 0 {
		t.Errorf("after the end: %q, %v", rest, err)
	}
}

// TestDelegatedConnection: a connection that changes its protocol is closed when the server ends.
func TestDelegatedConnection(t *testing.T) {
	s, register := delegating(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			return
		}
		conn, buffers, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(buffers, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\nready\n")
		_ = buffers.Flush()
		_, _ = buffers.ReadString('\n')
	})
	register("ext.example.com", "v1", 1000, 10)
	at, _, stop := serve(t, s, false)
	conn, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /apis/ext.example.com/v1/namespaces/lab/things/x/exec HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n")
	lines := bufio.NewReader(conn)
	for line := ""; line != "ready\n"; {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := lines.ReadString('\n'); err != io.EOF {
		t.Errorf("after the end of the server: %v", err)
	}
}

// TestOpenAPIOfExtensions: the documents of extension API servers are listed and forwarded, except for those of paths that this
// server answers itself.
func TestOpenAPIOfExtensions(t *testing.T) {
	s, register := delegating(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/openapi/v3":
			_, _ = io.WriteString(w, `{"paths":{"version":{"serverRelativeURL":"/openapi/v3/version?hash=E"},"apis/crd.example.com/v1":{"serverRelativeURL":"/openapi/v3/apis/crd.example.com/v1?hash=E"},
				"apis/crd.example.com/v1beta1":{"serverRelativeURL":"/openapi/v3/apis/crd.example.com/v1beta1?hash=E"},"apis/ext.example.com":{"serverRelativeURL":"/openapi/v3/apis/ext.example.com?hash=E"}}}`)
		case "/openapi/v3/version":
			_, _ = io.WriteString(w, "the extension's")
		default:
			_, _ = fmt.Fprintf(w, "%s for %s", r.URL, r.Header.Get("X-Remote-User"))
		}
	})
	define(t, s, "crd.example.com")
	register("ext.example.com", "v1", 1000, 10)
	w := ask(s, "DELETE", registrationsPath+"/v1.crd.example.com", "") // that of the definition, which is restored
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w = ask(s, "PATCH", registrationsPath+"/v1.crd.example.com", `{"metadata":{"labels":null},"spec":{"insecureSkipTLSVerify":true,"service":{"name":"ext","namespace":"lab"}}}`,
		"Content-Type", "application/merge-patch+json")
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	want := map[string]string{
		"version": "", "apis/crd.example.com/v1": "/openapi/v3/apis/crd.example.com/v1?hash=E", "apis/crd.example.com/v1beta1": "",
		"apis/ext.example.com": "/openapi/v3/apis/ext.example.com?hash=E",
	}
	var list struct {
		Paths map[string]struct {
			URL string `json:"serverRelativeURL"`
		}
	}
	wrong := "not asked yet"
	for deadline := time.Now().Add(15 * time.Second); wrong != ""; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(wrong)
		}
		wrong, list.Paths = "", nil
		if err := json.Unmarshal(ask(s, "GET", "/openapi/v3", "").Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		for path, url := range want {
			got := list.Paths[path].URL
			if url != "" && got != url || url == "" && (got == "" || strings.HasSuffix(got, "hash=E")) {
				wrong = fmt.Sprintf("%s is %q, want %q", path, got, url)
			}
		}
	}
	for path, want := range map[string]string{
		"apis/ext.example.com": "/openapi/v3/apis/ext.example.com?hash=E for ada", "apis/crd.example.com/v1": "/openapi/v3/apis/crd.example.com/v1?hash=E for ada",
		"version": `"openapi"`, "apis/crd.example.com/v1beta1": `"openapi"`,
	} {
		if w := ask(s, "GET", "/openapi/v3/"+path+map[bool]string{true: "?hash=E"}[want != `"openapi"`], "", "Impersonate-User", "ada"); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %.80s, want %s", path, w.Code, w.Body, want)
		}
	}
}

// TestAllVersionsAreListed: each version that the server itself serves has an APIService, without which /apis would not list it.
func TestAllVersionsAreListed(t *testing.T) {
	for _, version := range schema.Versions() {
		c, err := cluster.New(cluster.Config{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.RegisterVersions(t.Context()); err != nil {
			t.Fatal(err)
		}
		a, err := aggregation.New(t.Context(), c, aggregation.Options{})
		if err != nil {
			t.Fatal(err)
		}
		of := func(o Options) (all []string) {
			var list apiGroupList
			if err := json.Unmarshal(ask(New(c, o), "GET", "/apis", "").Body.Bytes(), &list); err != nil {
				t.Fatal(err)
			}
			for _, g := range list.Groups {
				all = append(all, describe(g))
			}
			return all
		}
		if want, got := of(Options{}), of(Options{Aggregation: a}); len(want) < 15 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", version, got, want)
		}
		_ = c.Close()
	}
}
