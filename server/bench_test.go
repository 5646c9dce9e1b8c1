package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
)

// discardWriter is a ResponseWriter that counts the bytes of the body and discards them.
type discardWriter struct {
	header http.Header
	bytes  int
}

func (d *discardWriter) Header() http.Header         { return d.header }
func (d *discardWriter) WriteHeader(int)             {}
func (d *discardWriter) Write(b []byte) (int, error) { d.bytes += len(b); return len(b), nil }

// deployment returns a Deployment of about 1 kB, including its managedFields.
func deployment(name string) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"` + name + `","namespace":"n","labels":{"app":"` + name + `","tier":"web"}},"spec":{"replicas":3,` +
		`"selector":{"matchLabels":{"app":"` + name + `"}},"template":{"metadata":{"labels":{"app":"` + name + `"}},"spec":{"containers":[{"name":"app","image":"registry.example.com/team/app:1.2.3",` +
		`"ports":[{"containerPort":8080,"name":"http"}],"env":[{"name":"A","value":"b"}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}}}`
}

// newServerWithDeployments returns a server with count Deployments and their memory in bytes.
func newServerWithDeployments(t testing.TB, count int) (s *Server, memory int64) {
	t.Helper()
	c, err := cluster.New(cluster.Config{Now: fixedClock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	s = New(c, Options{Now: fixedClock})
	before := heap()
	for i := range count {
		_, err := c.Do(context.Background(), &cluster.Request{
			Verb: cluster.Create, Group: "apps", Version: "v1", Resource: "deployments", Namespace: "n", Body: []byte(deployment(fmt.Sprint("d", i))),
			UserAgent: "bench",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s, heap() - before
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

const deployments = "/apis/apps/v1/namespaces/n/deployments"

// BenchmarkList2000 lists 2,000 Deployments in the encodings that clients request. The
// target is 3 ms of CPU time in JSON and in protobuf.
func BenchmarkList2000(b *testing.B) {
	s, _ := newServerWithDeployments(b, 2000)
	for _, c := range []struct{ name, url, accept, encoding string }{
		{"JSON", deployments, "application/json", ""},
		{"protobuf", deployments, "application/vnd.kubernetes.protobuf", ""},
		{"JSON compressed", deployments, "application/json", "gzip"},
		{"protobuf compressed", deployments, "application/vnd.kubernetes.protobuf", "gzip"},
		{"metadata", deployments, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", ""},
		{"table", deployments, "application/json;as=Table;v=v1;g=meta.k8s.io", ""},
		{"selected by label", deployments + "?labelSelector=app%3Dd77", "application/json", ""},
	} {
		b.Run(strings.ReplaceAll(c.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			var bytes int
			for b.Loop() {
				r := httptest.NewRequest("GET", c.url, nil)
				r.Header.Set("Accept", c.accept)
				r.Header.Set("Accept-Encoding", c.encoding)
				out := &discardWriter{header: http.Header{}}
				s.ServeHTTP(out, r)
				bytes = out.bytes
			}
			b.ReportMetric(float64(bytes), "bytes/answer")
		})
	}
}

// BenchmarkGet reads a Deployment over and over.
func BenchmarkGet(b *testing.B) {
	s, _ := newServerWithDeployments(b, 1)
	for _, accept := range []string{"application/json", "application/vnd.kubernetes.protobuf,application/json"} {
		b.Run(accept, func(b *testing.B) {
			r := httptest.NewRequest("GET", deployments+"/d0", nil)
			r.Header.Set("Accept", accept)
			r.Header.Set("User-Agent", "bench")
			b.ReportAllocs()
			for b.Loop() {
				s.ServeHTTP(&discardWriter{header: http.Header{}}, r)
			}
		})
	}
}

// BenchmarkGetOverHTTP reads a Deployment over a connection, from the server and, for comparison,
// from a handler of the same http.Server that writes the same bytes. The client's time is part
// of both.
func BenchmarkGetOverHTTP(b *testing.B) {
	s, _ := newServerWithDeployments(b, 1)
	body := ask(s, "GET", deployments+"/d0", "").Body.Bytes()
	same := New(s.cluster, Options{Wrap: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})
	}})
	for _, c := range []struct {
		name   string
		server *Server
	}{{"server", s}, {"same-bytes", same}} {
		b.Run(c.name, func(b *testing.B) {
			listener := httptest.NewUnstartedServer(nil)
			listener.Config = c.server.httpServer(b.Context())
			listener.Start()
			defer listener.Close()
			b.ReportAllocs()
			for b.Loop() {
				answer, err := http.Get(listener.URL + deployments + "/d0")
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
		})
	}
}

// BenchmarkCreate creates Deployments with generated names, with the same encoding in both
// directions, as typed clients do.
func BenchmarkCreate(b *testing.B) {
	s, _ := newServerWithDeployments(b, 0)
	text := strings.Replace(deployment("d"), `"name":"d"`, `"generateName":"d-"`, 1)
	doc, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		b.Fatal(err)
	}
	encoded, err := protobuf.AppendObject(nil, "apps/v1", "Deployment", doc.Root)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ mediaType, body string }{{"application/json", text}, {protobuf.MediaType, string(encoded)}} {
		b.Run(c.mediaType, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if w := ask(s, "POST", deployments, c.body, "Accept", c.mediaType, "Content-Type", c.mediaType); w.Code != http.StatusCreated {
					b.Fatal(w.Body)
				}
			}
		})
	}
}

// TestMemoryOfObjects limits the memory of a stored object, before and after it has
// been listed in both encodings.
func TestMemoryOfObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("makes thousands of objects")
	}
	const count = 5000
	before := heap()
	s, stored := newServerWithDeployments(t, count)
	for _, accept := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		if w := ask(s, "GET", deployments, "", "Accept", accept); w.Code != 200 {
			t.Fatal(w.Body)
		}
	}
	listed := heap() - before
	runtime.KeepAlive(s) // it is not used below, and could be collected before its size is read
	t.Logf("each of %d Deployments takes %d bytes when stored, %d when it has been listed in JSON and protobuf", count, stored/count, listed/count)
	if listed/count > 20_000 {
		t.Errorf("%d bytes for each object", listed/count)
	}
}

// BenchmarkOpenAPI creates OpenAPI documents, each of which a server creates once.
func BenchmarkOpenAPI(b *testing.B) {
	for _, d := range []struct{ name, path, accept string }{
		{"v3-core", "/openapi/v3/api/v1", "application/json"},
		{"v3-apps", "/openapi/v3/apis/apps/v1", "application/json"},
		{"v2-json", "/openapi/v2", "application/json"},
		{"v2-protobuf", "/openapi/v2", openAPIv2Protobuf},
	} {
		b.Run(d.name, func(b *testing.B) {
			c, err := cluster.New(cluster.Config{})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			b.ReportAllocs()
			for range b.N {
				r := httptest.NewRequest("GET", d.path, nil)
				r.Header.Set("Accept", d.accept)
				w := &discardWriter{header: http.Header{}}
				New(c, Options{}).ServeHTTP(w, r)
				b.SetBytes(int64(w.bytes))
			}
		})
	}
}
