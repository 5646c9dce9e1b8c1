package store_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/storetest"
)

func newMemory(t testing.TB) store.Store[storetest.Value] {
	m := store.NewMemory(store.MemoryOptions[storetest.Value]{Equal: storetest.Equal, UID: storetest.UID})
	t.Cleanup(func() { m.Close() })
	return m
}

func TestMemory(t *testing.T) { storetest.Run(t, newMemory) }
