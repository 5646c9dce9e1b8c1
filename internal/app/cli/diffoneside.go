package cli

import (
	"cmp"
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// added reports whether an error means that FROM does not have an object of TO.
func (d *differing) added(object manifest.Object, e *patchlab.Error) bool {
	if !errors.Is(e, patchlab.ErrNoMatch) || !object.Typed() || e.Target.Name == "" {
		return false
	}
	// Without a namespace, several objects of FROM may be meant.
	return e.Target.Namespace != "" || !slices.ContainsFunc(d.from.ByName[inputs.NameOfObject(object)], func(other *document.Document) bool {
		return results.TargetOf(other.Root).Group() == e.Target.Group()
	})
}

// targetOf returns the target of a manifest, in the namespace that it has without stating one.
func (d *differing) targetOf(object manifest.Object) patchlab.Target {
	return results.TargetIn(d.lab, object.Value, cmp.Or(d.o.apply.Namespace, d.o.apply.DefaultNamespace, "default"))
}

// fileInTo returns the file of an object of TO if several objects have its name.
func (d *differing) fileInTo(object manifest.Object) string {
	if d.folders == nil {
		return ""
	}
	return d.folders.FileOf(d.folders.To, object)
}

// addedTo reports an object that FROM does not have. Of two folders, it is what a pull request adds, which the API
// server may refuse.
func (d *differing) addedTo(object manifest.Object, t patchlab.Target) error {
	if d.folders != nil {
		created, err := d.create(object)
		if err != nil {
			return d.refuseOr(err, object)
		}
		d.notes.Add(t, created.Notes...)
		d.warn(created.Warnings, t, object)
	}
	return d.onlyInTo(t, object)
}

// onlyInTo reports an object that FROM does not have.
func (d *differing) onlyInTo(t patchlab.Target, object manifest.Object) error {
	result := results.Row{Target: t, File: d.fileInTo(object), Outcome: results.OnlyInTo}
	if d.folders != nil {
		result.Outcome = results.Added
	}
	if d.add(result, nil) {
		return nil
	}
	switch d.o.output {
	case "json", "yaml":
		return d.document(onlyIn("TO", t))
	case "patch":
		d.app.Note(result.Name() + " is only in TO: there is no object to patch")
	case "diff":
		d.unified(result, document.Value{}, object.Value)
	default:
		d.text(result.Name() + ": " + result.Outcome.String() + "\n")
	}
	return nil
}

// onlyInFrom reports the objects of FROM that TO does not have, with --namespace those in it. Unless both are
// folders, they are no difference, because FROM may be a dump of a cluster.
func (d *differing) onlyInFrom() error {
	n := 0
	var with dependents // objects whose manifests are removed
	var still kept
	for _, object := range d.from.All.Objects() {
		if !d.isOnlyInFrom(object) {
			continue
		}
		result := results.Row{Target: results.TargetOf(object.Value), Outcome: results.OnlyInFrom}
		if d.folders != nil { // objects of a cluster state their namespace
			result = results.Row{Target: d.targetOf(object), File: d.folders.FileOf(d.folders.From, object), Outcome: results.Removed}
			with.add(object)
			still.add(result.Name(), object.Value)
		}
		switch {
		case d.add(result, nil):
		case d.asDocuments():
			if err := d.document(onlyIn("FROM", result.Target)); err != nil {
				return err
			}
		case d.o.output == "diff" && d.folders != nil:
			d.unified(result, object.Value, document.Value{})
		case d.o.output == "diff": // no difference; the summary counts it
		case n >= results.MostOnlyInFrom:
			n++
		case d.o.output == "patch":
			d.app.Note(result.Name() + " is only in FROM: no patch deletes it")
			n++
		default:
			d.text(result.Name() + ": " + result.Outcome.String() + "\n")
			n++
		}
	}
	with.warn(d.app, " from a cluster")
	still.note(d.app)
	if n > results.MostOnlyInFrom {
		d.app.Note(terminal.Count(n-results.MostOnlyInFrom, "other object is", "other objects are") + " only in FROM; -o json lists them")
	}
	return nil
}

// isOnlyInFrom reports whether TO does not have an object of FROM. It cannot have those of other namespaces with
// --namespace.
func (d *differing) isOnlyInFrom(object manifest.Object) bool {
	t := results.TargetOf(object.Value)
	if namespace := d.o.apply.Namespace; namespace != "" && t.Namespace != "" && t.Namespace != namespace {
		return false
	}
	if gone, several := d.folders.Removed(object); several {
		return gone
	}
	return t.Name != "" && !d.hasMatched(t)
}

// hasMatched reports whether an object of FROM has been compared with one of TO. The namespace that it
// states may be missing, or superfluous.
func (d *differing) hasMatched(t patchlab.Target) bool {
	t = results.WithoutVersion(t)
	namespaces := []string{t.Namespace, ""}
	if t.Namespace == "" {
		namespaces = append(namespaces, cmp.Or(d.o.apply.Namespace, d.o.apply.DefaultNamespace, "default"))
	}
	return slices.ContainsFunc(namespaces, func(namespace string) bool {
		t.Namespace = namespace
		return d.matched[t]
	})
}

// onlyIn returns the document for an object that only one side has.
func onlyIn(side string, t patchlab.Target) alternativesDocument {
	return alternativesDocument{APIVersion: results.OwnVersion, Kind: "Alternatives", Target: t, OnlyIn: side, Changes: []explain.Change{}, Patches: []alternativeDocument{}}
}
