package inprocess

import (
	"context"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/store"
)

// Bytes returns a store in memory that begins every update, and answers every get, with
// a record decoded from bytes, as a store over etcd does.
func Bytes() store.Store[*cluster.Record] { return decoding{cluster.NewStore()} }

type decoding struct{ store.Store[*cluster.Record] }

// decoded returns the item with a record of its own.
func decoded(item store.Item[*cluster.Record], err error) (store.Item[*cluster.Record], error) {
	if err != nil || item.Revision == 0 {
		return item, err
	}
	item.Value, err = cluster.DecodeRecord(item.Value.Encode())
	return item, err
}

func (s decoding) Get(ctx context.Context, key string, o store.GetOptions) (store.Item[*cluster.Record], error) {
	return decoded(s.Store.Get(ctx, key, o))
}

func (s decoding) Update(ctx context.Context, key string, o store.UpdateOptions, try store.UpdateFunc[*cluster.Record]) (store.Item[*cluster.Record], error) {
	return s.Store.Update(ctx, key, o, func(current store.Item[*cluster.Record]) (*cluster.Record, error) {
		kept := current.Value
		current, err := decoded(current, nil)
		if err != nil {
			return nil, err
		}
		next, err := try(current)
		if err == nil && next == current.Value {
			return kept, nil
		}
		return next, err
	})
}
