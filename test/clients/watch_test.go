package clients

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/patchlab-dev/patchlab/test/testserver"
)

// TestRetryWatcherSeesEveryVersionInOrder interrupts the watcher's connections
// repeatedly during concurrent writes. The watcher must resume and receive each written
// version once and in order.
func TestRetryWatcherSeesEveryVersionInOrder(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	c := kubernetes.NewForConfigOrDie(cfg)
	start, err := c.CoreV1().ConfigMaps(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}

	breaking := rest.CopyConfig(cfg)
	var watches atomic.Int64
	breaking.Wrap(func(rt http.RoundTripper) http.RoundTripper { return breakingWatches{rt, &watches} })
	bc := kubernetes.NewForConfigOrDie(breaking)
	w, err := watchtools.NewRetryWatcherWithContext(t.Context(), start.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return bc.CoreV1().ConfigMaps(ns).Watch(ctx, o)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()

	const writers, writes = 4, 60
	written := writeVersions(t, c, ns, writers, writes)
	var seen []uint64
	timeout := time.After(90 * time.Second)
	for len(seen) < len(written) {
		select {
		case e, ok := <-w.ResultChan():
			if !ok {
				t.Fatalf("the watch ended after %d of %d events", len(seen), len(written))
			}
			a, err := meta.Accessor(e.Object)
			if err != nil {
				t.Fatalf("event %v: %v", e, err)
			}
			seen = append(seen, version(t, a.GetResourceVersion()))
		case <-timeout:
			t.Fatalf("after 90 s %d of %d events were seen", len(seen), len(written))
		}
	}
	if !slices.Equal(seen, written) {
		t.Errorf("the versions seen are not the versions written, in order:\nseen    %v\nwritten %v", seen, written)
	}
	if watches.Load() < 3 {
		t.Errorf("the watch was opened %d times, want at least 3", watches.Load())
	}
	t.Logf("%d versions seen over %d connections", len(seen), watches.Load())
}

// writeVersions has each writer create and then update one ConfigMap. It returns all
// resourceVersions of the responses, sorted.
func writeVersions(t *testing.T, c kubernetes.Interface, ns string, writers, writes int) []uint64 {
	t.Helper()
	var mu sync.Mutex
	var out []uint64
	var g sync.WaitGroup
	for w := range writers {
		g.Go(func() {
			m, err := c.CoreV1().ConfigMaps(ns).Create(t.Context(), configMap("m"+strconv.Itoa(w), "0"), metav1.CreateOptions{})
			for i := 1; err == nil; i++ {
				rv := version(t, m.ResourceVersion)
				mu.Lock()
				out = append(out, rv)
				mu.Unlock()
				if i == writes {
					return
				}
				m.Data["a"] = strconv.Itoa(i)
				m, err = c.CoreV1().ConfigMaps(ns).Update(t.Context(), m, metav1.UpdateOptions{})
			}
			t.Error(err)
		})
	}
	g.Wait()
	slices.Sort(out)
	return out
}

func version(t testing.TB, s string) uint64 {
	t.Helper()
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Errorf("resourceVersion %q is not a number", s)
	}
	return v
}

// breakingWatches is a RoundTripper that ends the body of every watch after some
// kilobytes, as a proxy or a restarted server would.
type breakingWatches struct {
	http.RoundTripper
	opened *atomic.Int64
}

func (b breakingWatches) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil && strings.Contains(r.URL.RawQuery, "watch=true") {
		b.opened.Add(1)
		resp.Body = &cutBody{resp.Body, 8 << 10}
	}
	return resp, err
}

type cutBody struct {
	io.ReadCloser
	left int
}

func (c *cutBody) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.ReadCloser.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// TestWatchListStreamsTheInitialState requests the initial state and later events in
// one watch, as informers do since client-go 1.35.
func TestWatchListStreamsTheInitialState(t *testing.T) {
	cfg := testserver.Start(t)
	ns := testserver.Namespace(t, cfg)
	c := kubernetes.NewForConfigOrDie(cfg)
	for _, n := range []string{"a", "b", "c"} {
		if _, err := c.CoreV1().ConfigMaps(ns).Create(t.Context(), configMap(n, "0"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	yes := true
	w, err := c.CoreV1().ConfigMaps(ns).Watch(t.Context(), metav1.ListOptions{
		SendInitialEvents:    &yes,
		AllowWatchBookmarks:  true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	var names []string
	for e := range w.ResultChan() {
		m, ok := e.Object.(*corev1.ConfigMap)
		if !ok {
			t.Fatalf("event %s with a %T", e.Type, e.Object)
		}
		if e.Type == watch.Bookmark {
			if m.Annotations[metav1.InitialEventsAnnotationKey] != "true" {
				t.Errorf("the bookmark after the initial events has annotations %v", m.Annotations)
			}
			break
		}
		if e.Type != watch.Added {
			t.Errorf("an initial event is %s, want %s", e.Type, watch.Added)
		}
		names = append(names, m.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"a", "b", "c"}) {
		t.Errorf("initial events for %v, want a, b and c", names)
	}
	if err := c.CoreV1().ConfigMaps(ns).Delete(t.Context(), "b", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if e := <-w.ResultChan(); e.Type != watch.Deleted {
		t.Errorf("the event after the bookmark is %s, want %s", e.Type, watch.Deleted)
	}
}
