package aggregation

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// timedOut is what WriteTimedOut writes.
const timedOut = `{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}` + "\n"

func parsed(t *testing.T, body string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(body), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

// get sends a request to the extension API server and returns its response.
func (a *Aggregator) get(t *testing.T, url string, u cluster.User, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, url, nil)
	r.Header = http.Header{}
	maps.Copy(r.Header, header)
	w := httptest.NewRecorder()
	b := a.Find("ext.example.com", "v1")
	if b == nil {
		t.Fatal("no backend")
	}
	b.Serve(w, r, u)
	return w
}

// available waits until the extension API server can be used.
func (a *Aggregator) available(t *testing.T) {
	t.Helper()
	eventually(t, func() string { return "the service is not available: " + a.condition(t) }, func() bool {
		b := a.Find("ext.example.com", "v1")
		return b != nil && b.current.Load().available
	})
}

// TestForwardedRequest compares the headers and the URL of a request with those that kube-apiserver 1.36.3 forwards.
// Beside them, it has the header Via.
func TestForwardedRequest(t *testing.T) {
	type received struct {
		URI, Host, Client string
		Header            http.Header
	}
	e := newExtension(t, func(w http.ResponseWriter, r *http.Request) {
		got := received{URI: r.RequestURI, Host: r.Host, Header: r.Header}
		for _, c := range r.TLS.PeerCertificates {
			got.Client = c.Subject.CommonName
		}
		_ = json.NewEncoder(w).Encode(got)
	})
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, e.registration())
	a.available(t)
	user := cluster.User{Name: "jane", UID: "7", Groups: []string{"g1", "system:authenticated"}, Extra: map[string][]string{"foo/bar": {"baz"}}}
	w := a.get(t, "/apis/ext.example.com/v1/echo?b=2&a=1&a=0&x=%2F", user, http.Header{
		"Authorization": {"Bearer secret"}, "Impersonate-User": {"jane"}, "Impersonate-Extra-Foo": {"bar"},
		"X-Remote-User": {"evil"}, "X-Remote-Group": {"system:masters"}, "X-Remote-Extra-A": {"evil"}, "X-Remote-Uid": {"evil"},
		"X-Forwarded-For": {"1.2.3.4"}, "Forwarded": {"for=1.1.1.1"}, "X-Custom": {"c"}, "Cookie": {"a=b"}, "User-Agent": {"kubectl"},
		"Accept-Encoding": {"gzip"}, "Connection": {"X-Hop"}, "X-Hop": {"1"},
	})
	var got received
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	host := "localhost:" + e.port
	want := received{URI: "/apis/ext.example.com/v1/echo?a=1&a=0&b=2&x=%2F", Host: host, Client: "front-proxy-client", Header: http.Header{
		"X-Remote-User": {"jane"}, "X-Remote-Uid": {"7"}, "X-Remote-Group": {"g1", "system:authenticated"}, "X-Remote-Extra-Foo%2fbar": {"baz"},
		"X-Forwarded-For": {"1.2.3.4, 192.0.2.1"}, "X-Forwarded-Host": {host}, "X-Forwarded-Proto": {"https"},
		"X-Forwarded-Uri": {"/apis/ext.example.com/v1/echo"}, "Forwarded": {"for=1.1.1.1"}, "X-Custom": {"c"}, "Cookie": {"a=b"},
		"User-Agent": {"kubectl"}, "Accept-Encoding": {"gzip"}, "Via": {a.via()},
	}}
	for _, name := range slices.Sorted(maps.Keys(got.Header)) {
		if want.Header[name] == nil {
			t.Errorf("the request has %s: %v", name, got.Header[name])
		}
	}
	for name, values := range want.Header {
		if !slices.Equal(got.Header[name], values) {
			t.Errorf("%s is %q, want %q", name, got.Header[name], values)
		}
	}
	if got.URI != want.URI || got.Host != want.Host || got.Client != want.Client {
		t.Errorf("got %s at %s by %s, want %s at %s by %s", got.URI, got.Host, got.Client, want.URI, want.Host, want.Client)
	}
}

// TestForwardedResponse has the responses of kube-apiserver 1.36.3 to those of a service, except for HTML, whose links it
// rewrites.
func TestForwardedResponse(t *testing.T) {
	const root = "/apis/ext.example.com/v1"
	e := newExtension(t, func(w http.ResponseWriter, r *http.Request) {
		switch strings.TrimPrefix(r.URL.Path, root) {
		case "/redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case "/kept":
			w.WriteHeader(http.StatusNotModified)
		case "/created":
			w.Header().Set("Location", root+"/x")
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.WriteHeader(http.StatusCreated)
		case "/away":
			w.Header().Set("Location", "https://other.example.com/x")
			w.WriteHeader(http.StatusCreated)
		case "/hang":
			<-r.Context().Done()
		case "/close":
			panic(http.ErrAbortHandler)
		case "/teapot":
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, "teapot")
		}
	})
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, e.registration())
	eventually(t, func() string { return "no backend" }, func() bool { return a.Find("ext.example.com", "v1") != nil })
	upgrade := http.Header{"Connection": {"Upgrade"}, "Upgrade": {"SPDY/3.1"}}
	a.available(t)
	for _, c := range []struct {
		why, path  string
		header     http.Header
		code       int
		body, goes string // goes is the header Location
	}{
		{"a redirection", "/redirect", nil, 502, "the backend attempted to redirect this request, which is not permitted", ""},
		{"a code of 3xx without a location", "/kept", nil, 304, "", ""},
		{"a location on the service", "/created", nil, 201, "", "https://localhost:" + e.port + root + "/x"},
		{"a location elsewhere", "/away", nil, 201, "", "https://other.example.com/x"},
		{"an error", "/teapot", nil, 418, "teapot", ""},
		{"a request that is not answered", "/hang", nil, 504, timedOut, ""},
		{"a closed connection", "/close", nil, 503, "error trying to reach service: EOF\n", ""},
		{"no upgrade", "/ok", upgrade, 503, "invalid upgrade response: status code 200\n", ""},
		{"an error instead of an upgrade", "/teapot", upgrade, 418, "teapot", ""},
		{"a closed connection instead of an upgrade", "/close", upgrade, 503, "unexpected EOF\n", ""},
		{"a request that comes back", "/ok", http.Header{"Via": {a.via()}}, 508, a.Find("ext.example.com", "v1").loopError() + "\n", ""},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, root+c.path, nil)
		r.Header = c.header.Clone()
		if r.Header == nil {
			r.Header = http.Header{}
		}
		w := httptest.NewRecorder()
		a.Find("ext.example.com", "v1").Serve(w, r, cluster.User{Name: "ada"})
		cancel()
		if w.Code != c.code || w.Body.String() != c.body || w.Header().Get("Location") != c.goes {
			t.Errorf("%s: %d %q %s, want %d %q %s", c.why, w.Code, w.Body, w.Header().Get("Location"), c.code, c.body, c.goes)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: the response has headers for other origins", c.why)
		}
	}
	e.Close()
	if w := a.get(t, root+"/x", cluster.User{Name: "ada"}, nil); w.Code != 503 || !strings.HasPrefix(w.Body.String(), "error trying to reach service: dial tcp 127.0.0.1:"+e.port) {
		t.Errorf("a service that has stopped: %d %s", w.Code, w.Body)
	}
	a.delete(t, services, "ext")
	a.awaitCondition(t, "no Service", "False ServiceNotFound", "")
	eventually(t, func() string { return "the backend is available" }, func() bool { return !a.Find("ext.example.com", "v1").current.Load().available })
	if w := a.get(t, root+"/x", cluster.User{Name: "ada"}, nil); w.Code != 503 || w.Body.String() != "service unavailable\n" {
		t.Errorf("a service that is not available: %d %s", w.Code, w.Body)
	}
	a.delete(t, apiServices, "v1.ext.example.com")
	eventually(t, func() string { return "the version is still that of the service" }, func() bool { return a.Find("ext.example.com", "v1") == nil })
}

// expiring is a context whose time is over without a signal, as until the goroutine that waits for it runs.
type expiring struct {
	context.Context
	over *atomic.Bool
}

func (c expiring) Err() error {
	if c.over.Load() {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// TestLateResponse: a response that arrives after the time of a request is not the response to it.
func TestLateResponse(t *testing.T) {
	var over atomic.Bool
	e := newExtension(t, func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/late") { // others are from the check of the service
			over.Store(true)
		}
	})
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, e.registration())
	a.available(t)
	r := httptest.NewRequestWithContext(expiring{t.Context(), &over}, http.MethodGet, "/apis/ext.example.com/v1/late", nil)
	w := httptest.NewRecorder()
	a.Find("ext.example.com", "v1").Serve(w, r, cluster.User{Name: "ada"})
	if w.Code != http.StatusGatewayTimeout || w.Body.String() != timedOut {
		t.Errorf("%d %q, want %q", w.Code, w.Body, timedOut)
	}
}

// TestForwardedUpgrade: a connection changes to another protocol with the identity of the user.
func TestForwardedUpgrade(t *testing.T) {
	e := newExtension(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			return
		}
		conn, buffers, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(buffers, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n")
		_ = buffers.Flush()
		line, _ := buffers.ReadString('\n')
		fmt.Fprintf(buffers, "%s shouts %s", r.Header.Get("X-Remote-User"), strings.ToUpper(line))
		_ = buffers.Flush()
	})
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, e.registration())
	a.available(t)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.Find("ext.example.com", "v1").Serve(w, r, cluster.User{Name: "ada"})
	}))
	defer front.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, front.URL+"/apis/ext.example.com/v1/namespaces/lab/things/x/exec", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"shout"}}
	response, err := front.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	stream, ok := response.Body.(io.ReadWriter)
	if response.StatusCode != http.StatusSwitchingProtocols || !ok {
		t.Fatalf("the response is %s", response.Status)
	}
	if _, err := io.WriteString(stream, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stream).ReadString('\n'); line != "ada shouts HELLO\n" {
		t.Errorf("got %q, %v", line, err)
	}
}

// TestOwnGroup: an APIService for the group of APIServices is checked, but this server goes on serving the group, as
// kube-apiserver 1.36.3 does.
func TestOwnGroup(t *testing.T) {
	e := newExtension(t, func(http.ResponseWriter, *http.Request) {})
	a := newAggregator(t)
	a.create(t, services, external)
	a.create(t, apiServices, strings.NewReplacer("ext.example.com", Group, "v1", "v2").Replace(e.registration()))
	eventually(t, func() string { return "the APIService has no condition" }, func() bool {
		r := apiServices.request(cluster.Get)
		r.Name = "v2." + Group
		got, err := a.cluster.Do(t.Context(), r)
		return err == nil && strings.HasPrefix(conditionText(got.Object), "True Passed")
	})
	if b := a.Find(Group, "v2"); b != nil || a.Any() {
		t.Error("requests for APIServices are forwarded")
	}
}
