package storetest_test

import (
	"context"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
	"github.com/patchlab-dev/patchlab/store/storetest"
)

// retried is a store in which another write precedes every update: the function is called with an
// older item first, and its result is dropped.
type retried struct {
	store.Store[storetest.Value]
}

func (s retried) Update(ctx context.Context, key string, opts store.UpdateOptions, try store.UpdateFunc[storetest.Value]) (store.Item[storetest.Value], error) {
	older := store.Item[storetest.Value]{Key: key, Value: storetest.Value{Data: "00000"}, Revision: 1}
	if _, err := try(older); err != nil {
		return older, err
	}
	return s.Store.Update(ctx, key, opts, try)
}

// A store may call the function of an update again, so that what the simulation writes must not
// depend on earlier calls: the values became equal to the current ones, and updates without a
// change were taken for lost ones.
func TestSimulationAllowsRetries(t *testing.T) {
	storetest.Simulate(t, func(t testing.TB) store.Store[storetest.Value] {
		s := store.NewMemory(store.MemoryOptions[storetest.Value]{Equal: storetest.Equal, UID: storetest.UID})
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return retried{s}
	})
}
