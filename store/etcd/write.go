package etcd

import (
	"context"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/patchlab-dev/patchlab/store"
)

// Create implements [store.Store].
func (s *Store[T]) Create(ctx context.Context, key string, value T) (store.Item[T], error) {
	ctx, cancel, err := s.begin(ctx, "create", key)
	if err != nil {
		return store.Item[T]{}, err
	}
	defer cancel()
	item, _, err := s.put(ctx, "create", key, 0, value)
	if err == nil && item.Revision == 0 {
		err = &store.KeyError{Op: "create", Key: key, Err: store.ErrExists}
	}
	return item, err
}

// Update implements [store.Store].
func (s *Store[T]) Update(ctx context.Context, key string, opts store.UpdateOptions, try store.UpdateFunc[T]) (store.Item[T], error) {
	return s.change(ctx, "update", key, opts.Preconditions, opts.CreateMissing, func(current store.Item[T]) (store.Item[T], *mvccpb.KeyValue, error) {
		value, err := try(current)
		if err != nil {
			return store.Item[T]{}, nil, err
		}
		if current.Revision != 0 && s.options.Equal(current.Value, value) {
			return current, nil, nil
		}
		bounded, cancel, err := s.alive(ctx)
		if err != nil {
			return store.Item[T]{}, nil, err
		}
		defer cancel()
		return s.put(bounded, "update", key, current.Revision, value)
	})
}

// Delete implements [store.Store].
func (s *Store[T]) Delete(ctx context.Context, key string, opts store.DeleteOptions[T]) (store.Item[T], error) {
	return s.change(ctx, "delete", key, opts.Preconditions, false, func(current store.Item[T]) (store.Item[T], *mvccpb.KeyValue, error) {
		if opts.Validate != nil {
			if err := opts.Validate(current); err != nil {
				return store.Item[T]{}, nil, err
			}
		}
		bounded, cancel, err := s.alive(ctx)
		if err != nil {
			return store.Item[T]{}, nil, err
		}
		defer cancel()
		revision, now, err := s.swap(bounded, key, current.Revision, clientv3.OpDelete(s.inEtcd(key)))
		current.Revision = revision
		return current, now, err
	})
}

// change performs a write that depends on the latest item. It calls write with the item, and
// again with each newer one. write returns the written item, or an item of revision 0 and the
// key's current state if another write came first. It limits the time of its requests to etcd, but
// not that of the caller's functions, which may wait for webhooks.
func (s *Store[T]) change(ctx context.Context, op, key string, p store.Preconditions, mayCreate bool,
	write func(current store.Item[T]) (store.Item[T], *mvccpb.KeyValue, error)) (store.Item[T], error) {
	bounded, cancel, err := s.begin(ctx, op, key)
	if err != nil {
		return store.Item[T]{}, err
	}
	resp, err := s.client.Get(bounded, s.inEtcd(key))
	cancel()
	if err != nil {
		return store.Item[T]{}, s.failed(err)
	}
	var now *mvccpb.KeyValue
	if len(resp.Kvs) == 1 {
		now = resp.Kvs[0]
	}
	for {
		current, err := s.current(op, key, now, p, mayCreate)
		if err != nil {
			return store.Item[T]{}, err
		}
		item, other, err := write(current)
		if err != nil || item.Revision != 0 {
			return item, err
		}
		now = other
	}
}

// current returns the current item for a write, after checking that it exists if it must and
// the preconditions.
func (s *Store[T]) current(op, key string, now *mvccpb.KeyValue, p store.Preconditions, mayCreate bool) (store.Item[T], error) {
	item, uid := store.Item[T]{Key: key}, ""
	if now != nil {
		var err error
		if item, err = s.item(key, now.Value, now.ModRevision); err != nil {
			return item, err
		}
		uid = s.options.UID(item.Value)
	} else if !mayCreate {
		return item, &store.KeyError{Op: op, Key: key, Err: store.ErrNotFound}
	}
	return item, p.Check(key, uid, item.Revision)
}

// put writes a value if the key's revision still is was (0: absent). If it is not, the item
// has revision 0, and now is the key's current state.
func (s *Store[T]) put(ctx context.Context, op, key string, was int64, value T) (item store.Item[T], now *mvccpb.KeyValue, err error) {
	data := s.options.Encode(value)
	if len(data) > s.options.MaxBytes {
		return item, nil, &store.KeyError{Op: op, Key: key, Err: &store.SizeError{Size: len(data)}}
	}
	lease, err := s.lease(ctx, value)
	if err != nil {
		return item, nil, err
	}
	revision, now, err := s.swap(ctx, key, was, clientv3.OpPut(s.inEtcd(key), string(data), clientv3.WithLease(lease)))
	if err != nil || revision == 0 {
		return item, now, err
	}
	return store.Item[T]{Key: key, Value: value, Revision: revision}, nil, nil
}

// swap performs op if the key's revision still is was, and returns the revision of the write;
// otherwise 0 and the key's current state, nil if it does not exist.
func (s *Store[T]) swap(ctx context.Context, key string, was int64, op clientv3.Op) (revision int64, now *mvccpb.KeyValue, err error) {
	name := s.inEtcd(key)
	resp, err := s.client.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(name), "=", was)).
		Then(op).Else(clientv3.OpGet(name)).Commit()
	switch {
	case err != nil:
		return 0, nil, s.writeFailed(err)
	case resp.Succeeded:
		return resp.Header.Revision, nil, nil
	}
	if kvs := resp.Responses[0].GetResponseRange().Kvs; len(kvs) == 1 {
		now = kvs[0]
	}
	return 0, now, nil
}

// lease returns a lease for the lifetime of a value. Each value has its own, because etcd
// deletes all keys of a lease at one revision, and a watcher of the store receives one event
// per revision.
func (s *Store[T]) lease(ctx context.Context, value T) (clientv3.LeaseID, error) {
	if s.options.Lifetime == nil {
		return clientv3.NoLease, nil
	}
	d := s.options.Lifetime(value)
	if d <= 0 {
		return clientv3.NoLease, nil
	}
	lease, err := s.client.Grant(ctx, int64(max(d, time.Second)/time.Second))
	if err != nil {
		return clientv3.NoLease, s.failed(err)
	}
	return lease.ID, nil
}
