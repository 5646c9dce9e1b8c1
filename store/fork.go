package store

import "context"

// Fork returns a store that begins with what m holds now, at the same revision,
// and goes its own way from there. It shares what neither changes, so that it
// costs next to nothing. It knows no revision before its beginning, and has no
// watchers.
func (m *Memory[T]) Fork() *Memory[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	return newMemory(m.now.Load().revision, m.index.Copy(), m.options)
}

// With returns a store as Fork does that also holds items, each with its own
// revision, as if they had been written there long ago. An item of revision 0 is
// written next. An item replaces one with its key. The store goes on from the
// latest of all revisions, and knows none before that.
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
	for i, item := range items {
		with.expire(item.Key, entries[i])
	}
	return with, nil
}
