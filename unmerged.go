//go:build !js

package patchlab

import (
	"fmt"
	"strconv"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// unmerged returns a note for each part of a manifest that is not in the result of its client-side
// apply. kubectl computes its patch from the last-applied configuration and identifies the items of a
// list by one field, so that an item may be lost if several have the same value there, in the manifest
// or in what was applied before. It also removes the fields that are null.
func (w *write) unmerged(after document.Value) []Note {
	if len(w.unmergedAs(w.Value, after)) == 0 {
		return nil // without decoding the manifest, whose values may be written in another way
	}
	normal, _ := w.lab.pipeline.Normalize(w.kind, fieldmanager.Object{Value: w.Value})
	return w.unmergedAs(normal.Value, after)
}

// unmergedAs is unmerged for a manifest as the API server reads it.
func (w *write) unmergedAs(read, after document.Value) []Note {
	u := &unmergedParts{w: w}
	for key, v := range w.Value.Members() {
		at, t := document.Keys(key), w.kind.Type().At(document.Keys(key))
		switch key {
		case "metadata":
			for _, texts := range [...]string{"labels", "annotations"} {
				if written := v.Get(texts); written.Len() > 0 {
					u.compare(part{at: at.Child(texts), t: t.At(document.Keys(texts)), written: written.Remove(patch.LastApplied),
						read: read.Lookup(key, texts), after: after.Lookup(key, texts)})
				}
			}
		case "apiVersion", "kind", "status": // the server resets the status
		default:
			u.compare(part{at: at, t: t, written: v, read: read.Get(key), after: after.Get(key)})
		}
	}
	const most = 5
	if n := len(u.notes) - most; n > 0 {
		u.notes = append(u.notes[:most], NoteText(fmt.Sprintf("%d more parts of the manifest are not in the result", n)))
	}
	return u.notes
}

type unmergedParts struct {
	w     *write
	notes []Note
}

// part is a part of a manifest: as it is written, as the API server reads it, and its counterpart in
// the result.
type part struct {
	at                   document.Path
	t                    *schema.Type
	mergeKey             string // of the list that it is
	written, read, after document.Value
}

func (u *unmergedParts) compare(p part) {
	switch {
	case p.written.IsNull():
		if !u.w.kind.Builtin && p.after.Exists() && !p.after.IsNull() {
			u.add(p.at, "kubectl removes %s, which is null in the manifest; 'kubectl apply --server-side' does not")
		}
	case !p.written.Exists(), !p.read.Exists(): // the API server drops or converts it, whoever sends it
	case p.written.Len() == 0 && (p.written.Kind() == document.Object || p.written.Kind() == document.List): // nothing is lost
	case p.written.Kind() == document.Object && p.after.Kind() == document.Object:
		for key, v := range p.written.Members() {
			member := part{at: p.at.Child(key), written: v, read: p.read.Get(key), after: p.after.Get(key)}
			if p.t != nil {
				member.t = p.t.Map.Member(key)
				if f := p.t.Map.Field(key); f != nil {
					member.mergeKey = f.MergeKey
				}
			}
			u.compare(member)
		}
	case p.written.Kind() == document.List && p.read.Len() == p.written.Len():
		u.items(p)
	case !document.Identical(p.read, p.after):
		u.add(p.at, "%s of the manifest is not in the result")
	}
}

// items compares the items of a list. The n-th item with a key is compared with the n-th that has it
// in the result.
func (u *unmergedParts) items(p part) {
	var elem *schema.Type
	element := func(i int, _ document.Value) string { return strconv.Itoa(i) }
	if p.t != nil && p.t.List != nil {
		elem = p.t.List.Elem
		if p.t.List.Kind != schema.AtomicList {
			element = func(i int, item document.Value) string {
				text, _ := structured.ItemElement(p.t.List, item)
				return text
			}
		}
	}
	found := make(map[string][]document.Value, p.after.Len())
	for i, item := range p.after.Items() {
		e := element(i, item)
		found[e] = append(found[e], item)
	}
	for i, written := range p.written.Items() {
		e := element(i, p.read.At(i))
		if len(found[e]) > 0 {
			u.compare(part{at: p.at.Item(i), t: elem, written: written, read: p.read.At(i), after: found[e][0]})
			found[e] = found[e][1:]
			continue
		}
		text := "%s of the manifest is not in the result"
		if p.mergeKey != "" {
			text += ": kubectl's patch confuses items with the same " + p.mergeKey + "; change the list by server-side apply or by a JSON patch"
		}
		u.add(p.at.Item(i), text)
	}
}

func (u *unmergedParts) add(at document.Path, format string) {
	note := fmt.Sprintf(format, at)
	if position := u.w.PositionOf(at).String(); position != "" {
		note = position + ": " + note
	}
	u.notes = append(u.notes, NoteText(note))
}
