package cluster

// WithoutTree makes a record hold its object as text only, as compact does for new objects.
func (r *Record) WithoutTree() {
	if r.original.Exists() {
		return
	}
	r.text.Store(textOf(r.tree().Join()))
	r.object.Store(nil)
}
