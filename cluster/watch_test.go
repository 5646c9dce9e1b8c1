package cluster_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/store"
)

// watching opens a watch and stops its stream at the end of the test.
func (q requests) watching(path string, o cluster.Options) *cluster.Stream {
	q.t.Helper()
	resp, st := q.do(cluster.Watch, path, "", options(o))
	if st != nil {
		q.t.Fatalf("watch %s: %d %s", path, st.Code, st.Message)
	}
	q.t.Cleanup(resp.Events.Stop)
	return resp.Events
}

// events returns the events that a stream has so far: type, name, resourceVersion and the
// value of data.k.
func events(t *testing.T, s *cluster.Stream) string {
	t.Helper()
	var out []string
	for {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // all expected events have been stored
		e, err := s.Next(ctx)
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			return strings.Join(out, ", ")
		}
		m := e.Object.Get("metadata")
		text := strings.Join([]string{e.Type, m.Get("name").StringOr(""), m.Get("resourceVersion").StringOr(""), e.Object.Lookup("data", "k").StringOr("")}, " ")
		if m.Get("annotations").Get("k8s.io/initial-events-end").Exists() {
			text += "end"
		}
		out = append(out, strings.TrimSpace(text))
	}
}

// A watch with selectors matches a list: an object that begins to match is ADDED, one that no
// longer matches is DELETED in its last matching state.
func TestWatchWithSelectors(t *testing.T) {
	q := fixed(t)
	first := q.must(cluster.Create, maps, `{"metadata":{"name":"first"}}`).Lookup("metadata", "resourceVersion").StringOr("")
	labels := q.watching(maps, cluster.Options{ResourceVersion: first, LabelSelector: "x in (1,2)"})
	named := q.watching(maps, cluster.Options{ResourceVersion: first, FieldSelector: "metadata.name=a"})
	other := q.watching("/api/v1/namespaces/other/configmaps", cluster.Options{ResourceVersion: first})

	q.must(cluster.Create, maps, `{"metadata":{"name":"a","labels":{"x":"0"}},"data":{"k":"1"}}`)
	q.must(cluster.Patch, maps+"/a", `{"metadata":{"labels":{"x":"1"}},"data":{"k":"2"}}`)
	q.must(cluster.Patch, maps+"/a", `{"metadata":{"labels":{"x":"2"}},"data":{"k":"3"}}`)
	q.must(cluster.Patch, maps+"/a", `{"metadata":{"labels":{"x":"3"}},"data":{"k":"4"}}`)
	q.must(cluster.Patch, maps+"/a", `{"data":{"k":"4"}}`) // unchanged for the watch, so no event
	q.must(cluster.Patch, maps+"/a", `{"metadata":{"labels":{"x":"1"}}}`)
	q.must(cluster.Delete, maps+"/a", "")
	for _, c := range []struct {
		stream *cluster.Stream
		want   string
	}{
		{labels, "ADDED a 4 2, MODIFIED a 5 3, DELETED a 6 3, ADDED a 7 4, DELETED a 8 4"},
		{named, "ADDED a 3 1, MODIFIED a 4 2, MODIFIED a 5 3, MODIFIED a 6 4, MODIFIED a 7 4, DELETED a 8 4"},
		{other, ""},
	} {
		if got := events(t, c.stream); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// The initial events of a watch.
func TestWatchBeginsWithInitialEvents(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, maps, `{"metadata":{"name":"a"}}`)
	q.must(cluster.Create, maps, `{"metadata":{"name":"b"}}`)
	yes, no := true, false
	for _, c := range []struct {
		o    cluster.Options
		want string
	}{
		{cluster.Options{}, "ADDED a 2, ADDED b 3"},
		{cluster.Options{ResourceVersion: "0"}, "ADDED a 2, ADDED b 3"},
		{cluster.Options{ResourceVersion: "2"}, "ADDED b 3"},
		{cluster.Options{ResourceVersion: "3"}, ""},
		{cluster.Options{InitialEvents: &no, ResourceVersionMatch: "NotOlderThan"}, ""},
		{cluster.Options{InitialEvents: &yes, ResourceVersionMatch: "NotOlderThan", Bookmarks: true}, "ADDED a 2, ADDED b 3, BOOKMARK  3 end"},
	} {
		if got := events(t, q.watching(maps, c.o)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
	for _, o := range []cluster.Options{
		{InitialEvents: &yes},
		{ResourceVersionMatch: "NotOlderThan"},
		{ResourceVersionMatch: "Exact", InitialEvents: &yes},
	} {
		if st := q.refused(422, cluster.Watch, maps, "", options(o)); st.Details.Kind != "ListOptions" {
			t.Errorf("%+v: %s", o, st.Message)
		}
	}
	q.refused(400, cluster.Watch, maps, "", options(cluster.Options{LabelSelector: "a in ("}))
	q.refused(400, cluster.Watch, maps, "", options(cluster.Options{FieldSelector: "spec.x=1"}))
}

// An expired resourceVersion is reported as an ERROR event, after which the stream ends.
func TestWatchFromACompactedVersion(t *testing.T) {
	memory := store.NewMemory(store.MemoryOptions[*cluster.Record]{Equal: cluster.Equal, UID: (*cluster.Record).UID, History: 1})
	q := newRequests(t, cluster.Config{Store: memory})
	for range 1000 {
		q.must(cluster.Create, maps, `{"metadata":{"generateName":"a"}}`)
	}
	s := q.watching(maps, cluster.Options{ResourceVersion: "2"})
	e, err := s.Next(context.Background())
	if err != nil || e.Type != "ERROR" || e.Object.Get("code").String() != "410" || e.Object.Get("reason").StringOr("") != "Expired" ||
		!strings.HasPrefix(e.Object.Get("message").StringOr(""), "too old resource version: 2 (") {
		t.Errorf("the first event is %s %s, %v", e.Type, e.Object, err)
	}
	if _, err := s.Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("after the error: %v", err)
	}
}

// A watch from a compacted resourceVersion is served if nothing was written to its resource since, also if other
// resources of its group were written to.
func TestWatchOfAQuietResourceFromACompactedVersion(t *testing.T) {
	memory := store.NewMemory(store.MemoryOptions[*cluster.Record]{Equal: cluster.Equal, UID: (*cluster.Record).UID})
	q := newRequests(t, cluster.Config{Store: memory})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, crds, thingCRD("others", "Other", simpleSpec, ""))
	const group = "/apis/x.example.com/v1/"
	create := func(resource, kind, name string) string {
		object := q.must(cluster.Create, group+"namespaces/n/"+resource, `{"apiVersion":"x.example.com/v1","kind":"`+kind+`","metadata":{"name":"`+name+`"}}`)
		return object.Lookup("metadata", "resourceVersion").StringOr("")
	}
	quiet := create("things", "Thing", "a")
	for _, name := range [...]string{"a", "b", "c"} {
		create("others", "Other", name)
	}
	revision, err := memory.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := memory.Compact(t.Context(), revision); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, path, want string }{
		{"its resource", group + "things", "ADDED"},
		{"its namespace", group + "namespaces/n/things", "ADDED"},
		{"the resource beside it", group + "others", "ERROR"},
	} {
		s := q.watching(test.path, cluster.Options{ResourceVersion: quiet})
		create("things", "Thing", strings.ReplaceAll(test.name, " ", "-"))
		if e, err := s.Next(t.Context()); err != nil || e.Type != test.want {
			t.Errorf("%s: %s %s, %v, want %s", test.name, e.Type, e.Object, err, test.want)
		}
	}
}

func TestBookmarksAreSentAtTheInterval(t *testing.T) {
	q := newRequests(t, cluster.Config{BookmarkInterval: time.Millisecond})
	s := q.watching(maps, cluster.Options{ResourceVersion: "1", Bookmarks: true})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	e, err := s.Next(ctx)
	if err != nil || e.Type != "BOOKMARK" || e.Object.Get("kind").StringOr("") != "ConfigMap" {
		t.Errorf("%s %s, %v", e.Type, e.Object, err)
	}
}

// Closing a cluster ends its watches.
func TestCloseEndsWatches(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := requests{t, c}.watching(maps, cluster.Options{ResourceVersion: "1"})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("the stream ends with %v", err)
	}
}
