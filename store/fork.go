package store

import "context"

// Fork returns a new store with the current contents of m at the same revision. The two stores
// share all unchanged items, so that a fork costs little. The fork has no watchers and no
// history, and the items that it shares do not expire.
func (m *Memory[T]) Fork() *Memory[T] {
	s, index := m.current()
	return newMemory(s.revision, index, m.options)
}

// With returns a fork that also holds items, each with its own revision, as if they had been
// written there before. An item of revision 0 gets the next revision. An item replaces an
// existing one with the same key, and its lifetime begins now. The fork's revision is the highest of
// all, and it has no history before that.
func (m *Memory[T]) With(items ...Item[T]) (*Memory[T], error) {
	f := m.Fork()
	revision := f.now.Load().revision
	for _, item := range items {
		if err := f.begin(context.Background(), "restore", item.Key); err != nil {
			return nil, err
		}
		if err := f.checkSize("restore", item.Key, item.Value); err != nil {
			return nil, err
		}
		revision = max(revision, item.Revision)
	}
	entries := make([]*entry[T], len(items))
	for i, item := range items {
		if item.Revision == 0 {
			revision++
			item.Revision = revision
		}
		entries[i] = &entry[T]{value: item.Value, revision: item.Revision}
		f.index.Set(item.Key, entries[i])
	}
	with := newMemory(revision, f.index, f.options)
	with.mu.Lock()
	defer with.mu.Unlock()
	for i, item := range items {
		with.expire(item.Key, entries[i])
	}
	return with, nil
}
