package convert

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// The limits of the warnings of a response in characters (apiserver/pkg/endpoints/filters, warning): a server truncates
// each text to the second if all of them exceed the first, and sends none after the first is reached.
const (
	warningsLimit = 4096
	warningLimit  = 256
)

// Warnings collects the warnings of a call that a response can have: each once, and none after the limit. It is safe for
// concurrent use.
type Warnings struct {
	mu     sync.Mutex
	list   []string
	known  map[string]bool
	length int // in characters, of each text at most warningLimit
}

// AddWarning implements the recorder of k8s.io/apiserver/pkg/warning. A webhook may have sent any number of texts.
func (w *Warnings) AddWarning(_, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.length > warningsLimit || w.known[text] || strings.ContainsFunc(text, isControl) {
		return
	}
	if w.known == nil {
		w.known = map[string]bool{}
	}
	w.known[text] = true
	w.list = append(w.list, text)
	w.length += min(utf8.RuneCountInString(text), warningLimit)
}

// isControl reports whether a header cannot have a character, so that the text that has it is not sent.
func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// Texts returns the texts of the warnings in the order in which they were added.
func (w *Warnings) Texts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.list
}
