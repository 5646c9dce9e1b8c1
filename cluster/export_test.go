package cluster

// WithoutTree makes a record hold its object as text only, as compact does for new objects.
func (r *Record) WithoutTree() {
	if r.original.Exists() {
		return
	}
	o := r.tree()
	r.text.Store(textOf(o.Value, o.Managed.Value()))
	r.object.Store(nil)
}
