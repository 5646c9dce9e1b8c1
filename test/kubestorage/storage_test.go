package kubestorage

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/etcd"
	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

// storedPrefix is the prefix that the tests' transformer adds to stored values.
const storedPrefix = "stored:"

// subject is a storage under test, with functions that the tests need.
type subject struct {
	*Storage
	t *testing.T
	// bytes returns the stored value of a key.
	bytes func(key string) []byte
	// reads returns the number of read requests to the backend since its last call.
	// most returns the maximum for n pages.
	reads func() uint64
	most  func(pages uint64) uint64
	// write writes a key outside the resource and, if possible, outside the store.
	write func(ctx context.Context) (revision int64, err error)
	// cached is set for a store with a cache.
	cached bool
}

// backends are the constructors of stores, by name.
var backends = map[string]func(t *testing.T) *subject{
	"memory": onMemory,
	"etcd":   func(t *testing.T) *subject { return onEtcd(t, false) },
	"cache":  func(t *testing.T) *subject { return onEtcd(t, true) },
}

func newStorage(t *testing.T, s store.Store[Encoded]) *Storage {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	utilruntime.Must(example.AddToScheme(scheme))
	utilruntime.Must(examplev1.AddToScheme(scheme))
	t.Cleanup(func() { _ = s.Close() })
	return &Storage{
		Store:    s,
		Codec:    serializer.NewCodecFactory(scheme).LegacyCodec(schema.GroupVersion{Group: "example.apiserver.k8s.io", Version: "v1"}),
		New:      func() runtime.Object { return &example.Pod{} },
		NewList:  func() runtime.Object { return &example.PodList{} },
		Prefix:   "/registry",
		Resource: "/pods/",

		Transformer: storagetesting.NewPrefixTransformer([]byte(storedPrefix), false),
	}
}

// counted counts the lists of an in-memory store, which reads a whole page at once.
type counted struct {
	store.Store[Encoded]
	lists atomic.Uint64
}

func (s *counted) List(ctx context.Context, scope string, opts store.ListOptions[Encoded]) (store.Page[Encoded], error) {
	s.lists.Add(1)
	return s.Store.List(ctx, scope, opts)
}

func onMemory(t *testing.T) *subject {
	m := &counted{Store: store.NewMemory(store.MemoryOptions[Encoded]{Equal: Equal, UID: UID, Lifetime: Lifetime})}
	return &subject{
		Storage: newStorage(t, m), t: t,
		bytes: func(key string) []byte {
			item, err := m.Get(t.Context(), key, store.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return item.Value.Data
		},
		reads: func() uint64 { return m.lists.Swap(0) },
		write: func(ctx context.Context) (int64, error) {
			item, err := m.Update(ctx, "/other", store.UpdateOptions{CreateMissing: true}, func(store.Item[Encoded]) (Encoded, error) {
				return Encoded{rewrite: true}, nil
			})
			return item.Revision, err
		},
		most: func(uint64) uint64 { return 1 },
	}
}

func onEtcd(t *testing.T, cached bool) *subject {
	client := etcdtest.Client(t, etcdtest.Start(t, 1))
	recorder := storagetesting.NewKVRecorder(client.KV)
	client.KV = recorder
	var s store.Store[Encoded] = etcd.New(client, etcd.Options[Encoded]{
		Prefix: "/patchlab", Equal: Equal, UID: UID, Lifetime: Lifetime,
		Encode: func(v Encoded) []byte { return v.Data },
		Decode: func(data []byte) (Encoded, error) { return Encoded{Data: data}, nil },
	})
	most := func(pages uint64) uint64 { return pages }
	if cached {
		s = store.NewCache(s, store.CacheOptions[Encoded]{})
		if _, err := s.List(t.Context(), "", store.ListOptions[Encoded]{}); err != nil { // starts the cache's history at this revision
			t.Fatal(err)
		}
		// The cache requests the current revision, and its watch a bookmark.
		most = func(uint64) uint64 { return 2 }
	}
	sub := &subject{
		Storage: newStorage(t, s), t: t, cached: cached, most: most,
		reads: recorder.GetReadsAndReset,
		write: func(ctx context.Context) (int64, error) {
			resp, err := client.Put(ctx, "other", "")
			if err != nil {
				return 0, err
			}
			return resp.Header.Revision, nil
		},
		bytes: func(key string) []byte {
			resp, err := client.Get(t.Context(), "/patchlab"+key)
			if err != nil || len(resp.Kvs) != 1 {
				t.Fatalf("%s: %d values, %v", key, len(resp.Kvs), err)
			}
			return resp.Kvs[0].Value
		},
	}
	recorder.GetReadsAndReset()
	return sub
}

// UpdatePrefixTransformer implements storagetesting.InterfaceWithPrefixTransformer.
func (s *subject) UpdatePrefixTransformer(modify storagetesting.PrefixTransformerModifier) func() {
	original := s.Transformer
	changed := *original.(*storagetesting.PrefixTransformer)
	s.Transformer = modify(&changed)
	return func() { s.Transformer = original }
}

// unreadable is a transformer that cannot decode any value.
type unreadable struct{ value.Transformer }

func (unreadable) TransformFromStorage(context.Context, []byte, value.Context) ([]byte, bool, error) {
	return nil, true, errors.New("bits flipped")
}

// CorruptTransformer implements storagetesting.InterfaceWithCorruptTransformer.
func (s *subject) CorruptTransformer() func() {
	original := s.Transformer
	s.Transformer = unreadable{original}
	return func() { s.Transformer = original }
}

// compaction writes and then compacts: kube-apiserver first records a compaction in etcd, and
// its tests count that write.
func (s *subject) compaction(ctx context.Context, t *testing.T, resourceVersion string) {
	revision, err := s.versioner.ParseResourceVersion(resourceVersion)
	if err != nil {
		t.Fatal(err)
	}
	s.increase(ctx, t)
	if err := s.Store.Compact(ctx, int64(revision)); err != nil {
		t.Fatal(err)
	}
}

// increase increments the revision by a write outside the resource.
func (s *subject) increase(ctx context.Context, t *testing.T) int64 {
	revision, err := s.write(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

// increaseLater is increase after the cache has seen all earlier writes. Otherwise a list that
// waits for one of them requests a bookmark, which has the revision of the increase, so that the
// cache is newer than Kubernetes' test for consistent lists allows.
func (s *subject) increaseLater(ctx context.Context, t *testing.T) int64 {
	if s.cached {
		if _, err := s.Store.List(ctx, s.Prefix, store.ListOptions[Encoded]{Cached: true, Limit: 1}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // further bookmarks may have been requested meanwhile
	}
	return s.increase(ctx, t)
}

// stored checks that neither a resourceVersion nor a selfLink is stored.
func (s *subject) stored(_ context.Context, t *testing.T, key string) {
	t.Helper()
	name, err := s.name(key)
	if err != nil {
		t.Fatal(err)
	}
	obj, err := runtime.Decode(s.Codec, s.bytes(name)[len(storedPrefix):])
	if err != nil {
		t.Fatal(err)
	}
	//lint:ignore SA1019 the suite requires that selfLink is not stored
	if pod := obj.(*example.Pod); pod.ResourceVersion != "" || pod.SelfLink != "" {
		//lint:ignore SA1019 as above
		t.Errorf("the stored object has resourceVersion %q and selfLink %q", pod.ResourceVersion, pod.SelfLink)
	}
}

// calls checks the number of decoded objects and of read requests. The page size
// doubles until enough objects have been read.
func (s *subject) calls(t *testing.T, pageSize, objects uint64) {
	t.Helper()
	if reads := s.Transformer.(*storagetesting.PrefixTransformer).GetReadsAndReset(); reads != objects {
		t.Errorf("%d objects have been decoded, want %d", reads, objects)
	}
	pages := uint64(1)
	if pageSize != 0 {
		for sum, size := uint64(1), pageSize; sum < objects; pages++ {
			size = min(2*size, 10_000)
			sum += size
		}
	}
	if reads := s.reads(); reads > s.most(pages) || !s.cached && reads < s.most(pages) {
		t.Errorf("%d read requests, want %d", reads, s.most(pages))
	}
}

// bookmarked enables bookmarks for watches that allow them.
func (s *subject) bookmarked() *subject {
	s.Bookmarks = 100 * time.Millisecond
	return s
}
