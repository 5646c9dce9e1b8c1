//go:build !js

package patchlab

import (
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/jsonpointer"
	"github.com/patchlab-dev/patchlab/kinds"
)

// resetFields returns a note for each field that the change sets and its endpoint resets to the value of
// the live object, as it does with the status outside of the subresource. after is the object after the
// change. Empty values and those that the object has are not noted: programs send them with everything else.
func (w *write) resetFields(after document.Value) []Note {
	what := "the object itself"
	if w.change.Subresource == "status" {
		what = "the subresource status"
	}
	var notes []Note
	for _, field := range w.resets() {
		path := document.Keys(strings.Split(field, ".")...)
		if !w.sets(path, after) {
			continue
		}
		note := fmt.Sprintf("%s has no effect in a change of %s", field, what)
		if field == "status" {
			note += ", but in one of the subresource (--subresource status)"
		}
		notes = append(notes, NoteText(note))
	}
	return notes
}

// resets returns the fields that the endpoint of the change resets to their live values.
func (w *write) resets() []string {
	switch w.change.Subresource {
	case "":
		return kinds.For(w.kind).Reset
	case "status":
		return kinds.For(w.kind).ResetStatus
	}
	return nil
}

// sets reports whether the change has a value below a path that the object does not have after it.
func (w *write) sets(path document.Path, after document.Value) bool {
	if w.change.Action != ActionJSONPatch {
		return adds(w.Value.Follow(path), after.Follow(path))
	}
	pointer := jsonpointer.Of(path)
	for _, op := range w.Value.Items() {
		at := op.Get("path").StringOr("")
		if op.Get("op").StringOr("") != "test" && (at == pointer || strings.HasPrefix(at, pointer+"/")) {
			return true
		}
	}
	return false
}

// adds reports whether a value has a part that is neither empty nor in another value.
func adds(v, to document.Value) bool {
	switch v.Kind() {
	case document.Object:
		for key, member := range v.Members() {
			if adds(member, to.Get(key)) {
				return true
			}
		}
		return false
	case document.List:
		return v.Len() > 0 && !document.Identical(v, to)
	}
	switch v.String() {
	case `""`, "0", "false", "null":
		return false
	}
	return v.Exists() && !document.Identical(v, to)
}
