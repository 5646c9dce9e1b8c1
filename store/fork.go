package store

// Fork returns a store that begins with what m holds now, at the same revision,
// and goes its own way from there. It shares what neither changes, so that it
// costs next to nothing. It knows no revision before its beginning, and has no
// watchers.
func (m *Memory[T]) Fork() *Memory[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	fork := NewMemory(MemoryOptions[T]{Equal: m.equal, UID: m.uid, History: int(m.history)})
	now := m.now.Load()
	begin := &state[T]{revision: now.revision, oldest: now.revision, first: now.revision, blocks: []*block[T]{new(block[T])}, index: now.index}
	begin.blocks[0][0] = *now.at(now.revision)
	fork.index = m.index.Copy()
	fork.now.Store(begin)
	return fork
}
