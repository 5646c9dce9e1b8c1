package store

// Fork returns a store that begins with what m holds now, at the same revision,
// and goes its own way from there. It shares what neither changes, so that it
// costs next to nothing. It knows no revision before its beginning, and has no
// watchers.
func (m *Memory[T]) Fork() *Memory[T] {
	m.mu.Lock()
	defer m.mu.Unlock()
	return newMemory(m.now.Load().revision, m.index.Copy(), m.options)
}
