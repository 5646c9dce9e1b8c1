// Package etcd tests the store on etcd with a real etcd.
package etcd

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/etcd"
	"github.com/patchlab-dev/patchlab/store/storetest"
	"github.com/patchlab-dev/patchlab/test/etcd/etcdtest"
)

// options returns options that store the suite's values as JSON.
func options() etcd.Options[storetest.Value] {
	return etcd.Options[storetest.Value]{
		Prefix: "/patchlab",
		Encode: func(v storetest.Value) []byte {
			data, _ := json.Marshal(v)
			return data
		},
		Decode: func(data []byte) (v storetest.Value, err error) {
			err = json.Unmarshal(data, &v)
			return v, err
		},
		Equal: storetest.Equal, UID: storetest.UID,
	}
}

// TestStore runs the suite of package storetest. The suite expects revisions to start
// at 1, so every store has its own etcd.
func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Store[storetest.Value] {
		s := etcd.New(etcdtest.Client(t, etcdtest.Start(t, 1)), options())
		t.Cleanup(func() { _ = s.Close() })
		return s
	}, storetest.CompactionEndsQuietWatches)
}

// TestStoreOfThree runs the simulation on a three-member etcd.
func TestStoreOfThree(t *testing.T) {
	storetest.Simulate(t, func(t testing.TB) store.Store[storetest.Value] {
		s := etcd.New(etcdtest.Client(t, etcdtest.Start(t, 3)), options())
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
}

// TestCache runs the suite of package storetest through a cache.
func TestCache(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Store[storetest.Value] {
		c := store.NewCache(etcd.New(etcdtest.Client(t, etcdtest.Start(t, 1)), options()), store.CacheOptions[storetest.Value]{})
		t.Cleanup(func() { _ = c.Close() })
		if _, err := c.List(t.Context(), "", store.ListOptions[storetest.Value]{}); err != nil { // starts the cache's history at this revision
			t.Fatal(err)
		}
		return c
	}, storetest.CompactionEndsQuietWatches)
}

// The caller's function of an update may take longer than a request to etcd may, as when it calls
// webhooks.
func TestTimeoutDoesNotIncludeTheCallersFunction(t *testing.T) {
	o := options()
	o.Timeout = time.Second
	s := etcd.New(etcdtest.Client(t, etcdtest.Start(t, 1)), o)
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Create(t.Context(), "/a", storetest.Value{}); err != nil {
		t.Fatal(err)
	}
	slow := func(store.Item[storetest.Value]) (storetest.Value, error) {
		time.Sleep(2 * o.Timeout)
		return storetest.Value{Data: "changed"}, nil
	}
	if _, err := s.Update(t.Context(), "/a", store.UpdateOptions{}, slow); err != nil {
		t.Errorf("update: %v", err)
	}
	validate := func(store.Item[storetest.Value]) error {
		time.Sleep(2 * o.Timeout)
		return nil
	}
	if _, err := s.Delete(t.Context(), "/a", store.DeleteOptions[storetest.Value]{Validate: validate}); err != nil {
		t.Errorf("delete: %v", err)
	}
}

// TestWatchRestarts checks that a watch which its user has stopped does not count as one that had to be opened again.
func TestWatchRestarts(t *testing.T) {
	s := etcd.New(etcdtest.Client(t, etcdtest.Start(t, 1)), options())
	t.Cleanup(func() { _ = s.Close() })
	for range 3 {
		w, err := s.Watch(t.Context(), "", store.WatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w.RequestBookmark()
		if _, err := w.Next(t.Context()); err != nil { // the watch in etcd is open
			t.Fatal(err)
		}
		w.Stop()
	}
	for deadline := time.Now().Add(time.Minute); strings.Contains(stacks(), ".follow("); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a watch that was stopped is still followed:\n%s", stacks())
		}
	}
	if n := s.WatchRestarts(); n != 0 {
		t.Errorf("%d restarts, want none", n)
	}
}

// stacks returns the stacks of all goroutines.
func stacks() string {
	buffer := make([]byte, 1<<20)
	return string(buffer[:runtime.Stack(buffer, true)])
}
