package rules

// Compiled returns the number of versions whose rules are kept.
func (r *Rules) Compiled() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.versions)
}
