package cli

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// ownVersion is the apiVersion of the documents that the commands print about objects.
const ownVersion = "patchlab.dev/v1"

// notAnObject returns an error for a document that a command has printed about an object, such as
// the refusal of one: in a pipeline of two commands, such documents are between the objects. A custom
// resource of the same group has metadata, which these documents do not have.
func notAnObject(o manifest.Object) error {
	if o.Value.Get("apiVersion").StringOr("") != ownVersion || o.Kind() == "" || o.Value.Get("metadata").Exists() {
		return nil
	}
	if o.Kind() != refusalKind {
		return fmt.Errorf("%s: this is a %s, which patchlab has printed about an object, and not an object", o.Position(), oneLine(o.Kind()))
	}
	of := refusedTarget(o).String()
	if of == "" { // of a kind that does not exist
		of = "a manifest"
	}
	return fmt.Errorf("%s: this is the refusal of %s, and not an object: %s", o.Position(), of, o.Value.Get("message").StringOr(""))
}

// refusedTarget returns the object that a refusal is about.
func refusedTarget(refusal manifest.Object) patchlab.Target {
	text := func(name string) string { return refusal.Value.Lookup("target", name).StringOr("") }
	return patchlab.Target{APIVersion: text("apiVersion"), Kind: text("kind"), Namespace: text("namespace"), Name: text("name")}
}

// refuseOwnOutput returns the errors of notAnObject for all documents.
func refuseOwnOutput(docs documents) error {
	var all []error
	for _, o := range docs.objects() {
		all = append(all, notAnObject(o))
	}
	return errors.Join(all...)
}

// onlyObjects reports the documents for which notAnObject returns an error, and returns the others. The
// command processes these and then fails.
func (a *App) onlyObjects(docs documents) documents {
	if refuseOwnOutput(docs) == nil {
		return docs
	}
	var kept documents
	for _, o := range docs.objects() {
		if err := notAnObject(o); err != nil {
			a.leaveOut(err)
			continue
		}
		kept = append(kept, asOneObject(o))
	}
	return kept
}

// asOneObject returns a document that consists of an object, with the positions of its text.
func asOneObject(o manifest.Object) *document.Document {
	one := *o.Document
	one.Root, one.Duplicates = o.Value, duplicatesIn(o)
	return &one
}

// withoutRefused returns the changes to objects other than those whose refusals are among the live objects: what
// these objects are is not known. The refusals have been reported.
func (a *App) withoutRefused(changes, live documents) documents {
	refused := map[patchlab.Target]bool{}
	for _, o := range live.objects() {
		if notAnObject(o) != nil {
			refused[withoutVersion(refusedTarget(o))] = true
		}
	}
	if len(refused) == 0 {
		return changes
	}
	var kept documents
	for _, o := range changes.objects() {
		t := withoutVersion(targetOf(o.Value))
		given := t
		if given.Namespace == "" {
			given.Namespace = "default"
		}
		if refused[t] || refused[given] {
			a.note(o.Position().String() + ": " + t.String() + " is left out, because the object that it changes was refused")
			continue
		}
		kept = append(kept, asOneObject(o))
	}
	return kept
}

// duplicatesIn returns the duplicate keys of an object, with their paths in it.
func duplicatesIn(o manifest.Object) []document.Duplicate {
	var found []document.Duplicate
	for _, d := range o.Document.Duplicates {
		if d.Path.HasPrefix(o.At) {
			d.Path = d.Path[len(o.At):]
			found = append(found, d)
		}
	}
	return found
}
