//go:build js

package cluster

// creations counts nothing in a browser, where requests follow each other: its engine is smaller
// without it.
type creations struct{}

func (w *write) beginCreation(name string) *Status { return w.c.terminatingCRD(w.t.ep, name) }

func (*write) endCreation() {}

func (creations) wait(groupResource) {}
