package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// allocatedMiB returns how many MiB do allocates, including garbage.
func allocatedMiB(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int((after.TotalAlloc - before.TotalAlloc) >> 20)
}

// sizeRecorder is a ResponseWriter that keeps only the status code and the length.
type sizeRecorder struct {
	discardWriter
	code int
}

func (c *sizeRecorder) WriteHeader(code int) { c.code = code }

func counted(s *Server, method, url, body string, headers ...string) *sizeRecorder {
	r := httptest.NewRequest(method, url, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := &sizeRecorder{discardWriter: discardWriter{header: http.Header{}}}
	s.ServeHTTP(w, r)
	return w
}

const (
	traps   = "/apis/attack.example.com/v1/namespaces/n/traps"
	asTable = "application/json;as=Table;v=v1;g=meta.k8s.io"
)

// trap creates a CRD without a structural schema but with additional printer columns.
func trap(t *testing.T, s *Server, columns string) {
	t.Helper()
	crd := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"traps.attack.example.com"},
	"spec":{"group":"attack.example.com","scope":"Namespaced","names":{"plural":"traps","singular":"trap","kind":"Trap","listKind":"TrapList"},
	"versions":[{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[` + columns + `],
	"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
	if w := ask(s, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd); w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
}

// TestTablesDoNotAmplify checks the size of a table whose 1,000 columns all show the
// same large field. Unlimited, it would be a thousand times as large as the object.
func TestTablesDoNotAmplify(t *testing.T) {
	s := local(t, Options{})
	var columns []string
	for i := range 1000 {
		columns = append(columns, fmt.Sprintf(`{"name":"c%d","type":"string","jsonPath":".spec.big"}`, i))
	}
	trap(t, s, strings.Join(columns, ","))
	const size = 500_000
	object := `{"apiVersion":"attack.example.com/v1","kind":"Trap","metadata":{"name":"a"},"spec":{"big":"` + strings.Repeat("x", size) + `"}}`
	if w := ask(s, "POST", traps, object); w.Code != 201 {
		t.Fatalf("%d %.200s", w.Code, w.Body)
	}
	for _, c := range []struct{ url, accept string }{
		{traps, asTable}, {traps + "/a", asTable}, {traps + "?pretty=true", asTable}, {traps + "?includeObject=Object", asTable},
		{traps + "?watch=1&timeoutSeconds=1&resourceVersion=0", asTable},
		{traps, strings.Replace(asTable, "json", "yaml", 1) + ",application/json"},
	} {
		var w *sizeRecorder
		most := maxGrowth*size + 1000*300 // plus the column definitions, which the CRD's author has sent
		if used := allocatedMiB(func() { w = counted(s, "GET", c.url, "", "Accept", c.accept) }); used > 100 {
			t.Errorf("%s %s: %d MiB were allocated", c.url, c.accept, used)
		}
		if w.code != 200 && w.code != 0 || w.bytes > most {
			t.Errorf("%s %s: %d with %d bytes for an object of %d", c.url, c.accept, w.code, w.bytes, size)
		}
	}
}

// TestConflictsDoNotAmplify checks the size of the response to a small request that
// causes ten thousand conflicts with long field paths.
func TestConflictsDoNotAmplify(t *testing.T) {
	s := local(t, Options{})
	trap(t, s, "")
	config := func(value string) string {
		var b strings.Builder
		const depth = 100
		b.WriteString(`{"apiVersion":"attack.example.com/v1","kind":"Trap","metadata":{"name":"a"},"spec":`)
		for range depth {
			b.WriteString(`{"` + strings.Repeat("k", 100) + `":`)
		}
		b.WriteString("{")
		for i := range 10_000 {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, `"f%d":%q`, i, value)
		}
		b.WriteString(strings.Repeat("}", depth+2))
		return b.String()
	}
	apply := func(manager, value string) *sizeRecorder {
		return counted(s, "PATCH", traps+"/a?fieldManager="+manager, config(value), "Content-Type", "application/apply-patch+yaml")
	}
	if w := apply("one", "1"); w.code != 201 {
		t.Fatalf("%d", w.code)
	}
	var w *sizeRecorder
	if used := allocatedMiB(func() { w = apply("two", "2") }); used > 400 {
		t.Errorf("%d MiB were allocated", used)
	}
	if sent := len(config("2")); w.code != 409 || w.bytes > 64*sent {
		t.Errorf("%d with %d bytes for a configuration of %d", w.code, w.bytes, sent)
	}
}

// blocked is a ResponseWriter whose writes block until it is released, as with a client
// that does not read.
type blocked struct {
	discardWriter
	begun   sync.Once
	started chan<- struct{}
	release <-chan struct{}
}

func (b *blocked) Write(p []byte) (int, error) {
	b.begun.Do(func() { b.started <- struct{}{} })
	<-b.release
	return b.discardWriter.Write(p)
}

// TestManyLongListsAtOnce lets eight slow clients list 100,000 objects, in each
// encoding. The memory of the lists must be small compared to that of the objects.
func TestManyLongListsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 100,000 objects")
	}
	s := local(t, Options{})
	const objects = 100_000
	for i := range objects {
		if w := counted(s, "POST", configMaps, `{"metadata":{"name":"c`+strconv.Itoa(i)+`"}}`); w.code != 201 {
			t.Fatal(w.code)
		}
	}
	forms := []struct{ query, accept string }{
		{"", "application/json"}, {"", "application/vnd.kubernetes.protobuf"}, {"?pretty=true", "application/json"}, {"", "application/yaml"},
		{"", asTable}, {"", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}, {"?labelSelector=a!=b", "application/json"}, {"", "application/json"},
	}
	for _, f := range forms { // fills the caches of encodings, whose memory does not count here
		counted(s, "GET", configMaps+f.query, "", "Accept", f.accept)
	}
	before := heap()
	started, release := make(chan struct{}, len(forms)), make(chan struct{})
	var wg sync.WaitGroup
	for _, f := range forms {
		wg.Go(func() {
			r := httptest.NewRequest("GET", configMaps+f.query, nil)
			r.Header.Set("Accept", f.accept)
			s.ServeHTTP(&blocked{discardWriter: discardWriter{header: http.Header{}}, started: started, release: release}, r)
		})
	}
	for range forms {
		<-started
	}
	during := heap()
	close(release)
	wg.Wait()
	t.Logf("%d MiB for %d objects, %d more during %d lists of them", before>>20, objects, (int(during)-int(before))>>20, len(forms))
	if more := (int(during) - int(before)) >> 20; more > 100 {
		t.Errorf("%d lists hold %d MiB", len(forms), more)
	}
}

// TestManyStreams opens a thousand watches that no client reads while objects change.
// The server must not hold a copy of the events for each watch.
func TestManyStreams(t *testing.T) {
	s := local(t, Options{})
	url, _, stop := serve(t, s, false)
	defer stop()
	create(t, s, "a", "")
	const streams = 1000
	before := heap()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	watches := make([]*bufio.Reader, streams)
	for i := range watches {
		r, err := http.NewRequestWithContext(ctx, "GET", url+configMaps+"?watch=1&resourceVersion=0", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		watches[i] = bufio.NewReaderSize(resp.Body, 16)
	}
	// Each watch gets fifty events of 1 MB. Buffered separately, they would take 50 GB.
	// They fit into the history: a watch that falls behind the history is ended, however
	// late its goroutine runs.
	for i := range 50 {
		if w := counted(s, "PUT", configMaps+"/a", `{"metadata":{"name":"a"},"data":{"a":"`+strings.Repeat(strconv.Itoa(i%10), 1_000_000)+`"}}`); w.code != 200 {
			t.Fatal(w.code)
		}
	}
	used := (int(heap()) - int(before)) >> 20
	t.Logf("%d watches that are not read hold %d MiB", streams, used)
	if used > 400 {
		t.Errorf("%d watches hold %d MiB", streams, used)
	}
	if w := ask(s, "GET", configMaps, ""); w.Code != 200 {
		t.Errorf("beside them: %d", w.Code)
	}
	for i, w := range watches[:10] {
		if line, err := w.ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"type":"ADDED"`) {
			t.Errorf("watch %d begins with %.100q, %v", i, line, err)
		}
	}
	if got := s.metrics.watches.Load(); got != streams {
		t.Errorf("%d watches are open", got)
	}
}

// TestChunkedEventEqualsEncodedEvent checks that a watch event written in chunks has the
// same bytes as one written at once.
func TestChunkedEventEqualsEncodedEvent(t *testing.T) {
	s := local(t, Options{})
	for _, size := range []int{largeEvent, 2*largeEvent - 300, 500_000} {
		object := `{"metadata":{"name":"a` + strconv.Itoa(size) + `","labels":{"size":"large"}},"data":{"a":"` + strings.Repeat("x", size) + `"}}`
		if w := counted(s, "POST", configMaps, object); w.code != 201 {
			t.Fatal(w.code)
		}
	}
	target, err := s.target(httptest.NewRequest("GET", configMaps, nil), place{version: "v1", resource: "configmaps", namespace: "n", inNamespace: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []answerForm{{}, {as: formMetadata, version: "v1"}, {protobuf: true}, {protobuf: true, as: formMetadata, version: "v1"}} {
		reading, err := s.cluster.Read(t.Context(), &cluster.Request{Verb: cluster.Watch, Version: "v1", Resource: "configmaps", Namespace: "n"})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			event, err := reading.Events.NextShown(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var whole, parts bytes.Buffer
			whole.Write(s.newFrames(form, target, "").append(nil, event))
			if _, err := s.newFrames(form, target, "").write(&parts, nil, event); err != nil || !bytes.Equal(parts.Bytes(), whole.Bytes()) {
				t.Errorf("%+v: %d bytes in parts, %d as a whole, %v", form, parts.Len(), whole.Len(), err)
			}
		}
		reading.Events.Stop()
	}
}
