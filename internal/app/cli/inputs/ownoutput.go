package inputs

import (
	"errors"
	"fmt"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// NotAnObject returns an error for a document that a command has printed about an object, such as
// the refusal of one: in a pipeline of two commands, such documents are between the objects. A custom
// resource of the same group has metadata, which these documents do not have.
func NotAnObject(o manifest.Object) error {
	if o.Value.Get("apiVersion").StringOr("") != results.OwnVersion || o.Kind() == "" || o.Value.Get("metadata").Exists() {
		return nil
	}
	if o.Kind() != results.RefusalKind {
		return fmt.Errorf("%s: this is a %s, which patchlab has printed about an object, and not an object", o.Position(), terminal.OneLine(o.Kind()))
	}
	of := RefusedTarget(o).String()
	if of == "" { // of a kind that does not exist
		of = "a manifest"
	}
	return fmt.Errorf("%s: this is the refusal of %s, and not an object: %s", o.Position(), of, o.Value.Get("message").StringOr(""))
}

// RefusedTarget returns the object that a refusal is about.
func RefusedTarget(refusal manifest.Object) patchlab.Target {
	text := func(name string) string { return refusal.Value.Lookup("target", name).StringOr("") }
	return patchlab.Target{APIVersion: text("apiVersion"), Kind: text("kind"), Namespace: text("namespace"), Name: text("name")}
}

// refuseOwnOutput returns the errors of NotAnObject for all documents.
func refuseOwnOutput(docs Documents) error {
	var all []error
	for _, o := range docs.Objects() {
		all = append(all, NotAnObject(o))
	}
	return errors.Join(all...)
}

// OnlyObjects reports the documents for which NotAnObject returns an error, and returns the others. The
// command processes these and then fails.
func OnlyObjects(a *program.App, docs Documents) Documents {
	if refuseOwnOutput(docs) == nil {
		return docs
	}
	var kept Documents
	for _, o := range docs.Objects() {
		if err := NotAnObject(o); err != nil {
			a.LeaveOut(err)
			continue
		}
		kept = append(kept, AsOneObject(o))
	}
	return kept
}

// AsOneObject returns a document that consists of an object, with the positions of its text.
func AsOneObject(o manifest.Object) *document.Document {
	one := *o.Document
	one.Root, one.Duplicates = o.Value, DuplicatesIn(o)
	return &one
}

// withoutRefused returns the changes to objects other than those whose refusals are among the live objects: what
// these objects are is not known. The refusals have been reported.
func withoutRefused(a *program.App, changes, live Documents) Documents {
	refused := map[patchlab.Target]bool{}
	for _, o := range live.Objects() {
		if NotAnObject(o) != nil {
			refused[results.WithoutVersion(RefusedTarget(o))] = true
		}
	}
	if len(refused) == 0 {
		return changes
	}
	var kept Documents
	for _, o := range changes.Objects() {
		t := results.WithoutVersion(results.TargetOf(o.Value))
		given := t
		if given.Namespace == "" {
			given.Namespace = "default"
		}
		if refused[t] || refused[given] {
			a.Note(o.Position().String() + ": " + t.String() + " is left out, because the object that it changes was refused")
			continue
		}
		kept = append(kept, AsOneObject(o))
	}
	return kept
}

// DuplicatesIn returns the duplicate keys of an object, with their paths in it.
func DuplicatesIn(o manifest.Object) []document.Duplicate {
	var found []document.Duplicate
	for _, d := range o.Document.Duplicates {
		if d.Path.HasPrefix(o.At) {
			d.Path = d.Path[len(o.At):]
			found = append(found, d)
		}
	}
	return found
}
