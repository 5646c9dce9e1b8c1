package storetest_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/storetest"
)

// The test function of an implementation calls Run with its own t.
func ExampleRun() {
	var t *testing.T
	storetest.Run(t, func(t testing.TB) store.Store[storetest.Value] {
		s := store.NewMemory(store.MemoryOptions[storetest.Value]{Equal: storetest.Equal, UID: storetest.UID})
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}
