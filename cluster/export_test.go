package cluster

// WithoutTree makes a record hold its object as text only, as compact does for new objects.
func (r *Record) WithoutTree() {
	if !r.original.Exists() {
		r.dropTree()
	}
}
