package main

import (
	"bytes"
	"slices"
	"strings"
)

// dropHiddenNames removes the names of functions of Go's runtime that stack traces leave out. The names that
// remain move to the start of their part, and the rest of it is filled with zeros.
func (t functionTable) dropHiddenNames() error {
	moved := map[int]int{0: 0} // new offsets; 0 stands for no name
	kept := []byte{0}
	for _, r := range t.records {
		offset := r.get(recordName)
		if _, done := moved[offset]; done {
			continue
		}
		name, _, ended := bytes.Cut(t.names[offset:], []byte{0})
		if !ended {
			return errUnknownLayout
		}
		if isHidden(string(name)) {
			moved[offset] = 0
			continue
		}
		moved[offset] = len(kept)
		kept = append(append(kept, name...), 0)
	}
	if len(kept) > len(t.names) {
		return errUnknownLayout // names that overlap
	}
	for _, r := range t.records {
		r.set(recordName, moved[r.get(recordName)])
	}
	clear(t.names[copy(t.names, kept):])
	return nil
}

// neededNames are functions of the runtime that stack traces do not leave out although they are not exported
// (showfuncinfo in runtime/traceback.go), and those that it starts as goroutines without arguments, which it
// recognizes as its own by their names (isSystemGoroutine).
var neededNames = []string{
	"gopanic", "runFinalizers", "runCleanups", "main", "handleAsyncEvent", "forcegchelper", "updateMaxProcsGoroutine",
}

// startsGoroutine starts the last part of the name of a function that calls another one with arguments, as a goroutine.
const startsGoroutine = "gowrap"

// isHidden reports whether stack traces leave a function out: one of the runtime that is not exported, or a method of a type that
// is not. Methods with exported names are kept, because the runtime reads their names when one is called by
// a nil pointer (panicwrap).
func isHidden(name string) bool {
	name, runtime := strings.CutPrefix(name, "runtime.")
	if !runtime || slices.Contains(neededNames, name) {
		return false
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	return last != "" && !strings.HasPrefix(last, startsGoroutine) && ('a' <= last[0] && last[0] <= 'z' || last[0] == '_')
}
