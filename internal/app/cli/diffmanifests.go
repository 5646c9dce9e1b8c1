package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/cli/terminal"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// createdAnew reports whether a manifest is that of a new object each time it is used: the API server generates the
// name, or it is a hook of Helm or Argo CD.
func createdAnew(v document.Value) bool {
	metadata := v.Get("metadata")
	if metadata.Get("name").StringOr("") == "" && metadata.Get("generateName").StringOr("") != "" {
		return true
	}
	annotations := metadata.Get("annotations")
	return annotations.Get("helm.sh/hook").Exists() || annotations.Get("argocd.argoproj.io/hook").Exists()
}

// asWritten compares two versions of a manifest with which no object is changed, because it is encrypted, or its
// object is created anew. done is false for any other manifest.
func (d *differing) asWritten(object manifest.Object) (done bool, err error) {
	if d.folders == nil {
		return false, nil
	}
	before, found := d.folders.VersionBefore(object)
	note := ""
	switch {
	case object.IsEncrypted() || found && before.IsEncrypted():
		note = "SOPS has encrypted the manifest: its versions are compared as they are encrypted, and it is not validated"
	case createdAnew(object.Value):
		note = "the object is created anew each time, because it is a hook or its name is generated: the versions of its manifest are compared as they are written"
		if _, err := d.create(object); err != nil {
			return true, d.refuseOr(err, object)
		}
	default:
		return false, nil
	}
	t := d.targetOf(object)
	d.matched[results.WithoutVersion(t)] = true
	if !found {
		d.notes.Add(t, patchlab.NoteText(note))
		return true, d.onlyInTo(t, object)
	}
	changes := innerChanges(nil, nil, before.Value.Without("sops"), object.Value.Without("sops"))
	result := results.Row{Target: t, File: d.fileInTo(object), Outcome: results.Unchanged, Fields: len(changes)}
	if len(changes) > 0 {
		result.Outcome = results.Changed
		result.MetadataOnly = !slices.ContainsFunc(changes, func(c innerChange) bool { return !isMetadata(c.path) })
		d.notes.Add(t, patchlab.NoteText(note))
	}
	return true, d.written(object, before.Value.Without("sops"), result, changes)
}

// written prints the differences of two versions of a manifest, of which before is the first.
func (d *differing) written(object manifest.Object, before document.Value, result results.Row, changes []innerChange) error {
	if results.IsSecret(object.Value) && !d.o.showSecrets {
		for i, c := range changes {
			changes[i].was, changes[i].is = results.MaskPair(c.path, c.was, c.is)
		}
	}
	var lines []results.FieldLine
	for _, c := range changes {
		lines = append(lines, results.ChangedLine(c.path, c.was, c.is))
	}
	switch {
	case d.add(result, func() string { return results.FieldsDiff(lines) }):
	case d.asDocuments():
		out := alternativesDocument{APIVersion: results.OwnVersion, Kind: "Alternatives", Target: result.Target, Changes: []explain.Change{}, Patches: []alternativeDocument{}}
		for _, c := range changes {
			out.Changes = append(out.Changes, explain.Change{Path: c.path, Before: c.was, After: c.is})
		}
		return d.document(out)
	case result.Outcome == results.Unchanged:
	case d.o.output == "patch":
		d.app.Note(result.Name() + ": no object is patched with this manifest")
	case d.o.output == "diff":
		d.unified(result, before, object.Value.Without("sops"))
	default:
		d.text(fmt.Sprintf("%s: %s\n%s", result.Name(), terminal.Count(len(lines), "field differs", "fields differ"), results.FieldsText(lines)))
	}
	return nil
}

// create creates the object of a manifest that FROM does not have, as kubectl does. The API server may refuse it.
func (d *differing) create(object manifest.Object) (*patchlab.Result, error) {
	o := patchlab.WriteOptions{Namespace: d.o.apply.Namespace}
	if o.Namespace == "" && inputs.NamespaceOf(object) == "" {
		o.Namespace = d.o.apply.DefaultNamespace
	}
	return d.lab.Create(inputOf(object), o)
}

// inputOf returns an object as an input, with the positions of its text if it is a document.
func inputOf(object manifest.Object) patchlab.Input {
	return inputs.Documents{inputs.AsOneObject(object)}
}

// refuseOr reports an object of TO that the API server would refuse, and returns any other error.
func (d *differing) refuseOr(err error, object manifest.Object) error {
	var e *patchlab.Error
	switch {
	case !errors.As(err, &e):
		return err
	case len(e.Options) > 0:
		return changeError(e)
	}
	return d.refuse(e, object)
}

// noteRefusedBefore reports the manifests that the API server would refuse although they are the same in both folders.
// They are none of what changes between the versions, and may be sent to it in another form.
func (d *differing) noteRefusedBefore() {
	const longest = 300
	if len(d.refusedBefore) == 0 {
		return
	}
	text := terminal.OneLine(strings.Join(strings.Fields(d.refusedBefore[0].Error()), " "))
	if short := []rune(text); len(short) > longest {
		text = string(short[:longest]) + "…"
	}
	d.app.Note(terminal.Count(len(d.refusedBefore), "manifest that is the same in both folders would be refused, and is counted as unchanged: ",
		"manifests that are the same in both folders would be refused, and are counted as unchanged, such as: ") + text)
}
