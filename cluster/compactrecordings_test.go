package cluster_test

import (
	"context"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/store"
)

// An object that is held as text gives the same answers as one that is held as a tree.
func TestRecordingsWithoutTrees(t *testing.T) {
	replay(t, cluster.Config{Store: withoutTrees{cluster.NewStore()}})
}

// withoutTrees is a store whose records lose their trees whenever they are read.
type withoutTrees struct{ store.Store[*cluster.Record] }

func (s withoutTrees) Get(ctx context.Context, key string, o store.GetOptions) (store.Item[*cluster.Record], error) {
	item, err := s.Store.Get(ctx, key, o)
	if err == nil {
		item.Value.WithoutTree()
	}
	return item, err
}

func (s withoutTrees) List(ctx context.Context, scope string, o store.ListOptions[*cluster.Record]) (store.Page[*cluster.Record], error) {
	page, err := s.Store.List(ctx, scope, o)
	for _, item := range page.Items {
		item.Value.WithoutTree()
	}
	return page, err
}

func (s withoutTrees) Update(ctx context.Context, key string, o store.UpdateOptions, try store.UpdateFunc[*cluster.Record]) (store.Item[*cluster.Record], error) {
	return s.Store.Update(ctx, key, o, func(current store.Item[*cluster.Record]) (*cluster.Record, error) {
		if current.Revision != 0 {
			current.Value.WithoutTree()
		}
		return try(current)
	})
}
