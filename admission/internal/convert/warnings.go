package convert

import "sync"

// Warnings collects the warnings of a call. It is safe for concurrent use.
type Warnings struct {
	mu   sync.Mutex
	list []string
}

// AddWarning implements the recorder of k8s.io/apiserver/pkg/warning.
func (w *Warnings) AddWarning(_, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, text)
}

// Texts returns the texts of the warnings in the order in which they were added.
func (w *Warnings) Texts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.list
}
