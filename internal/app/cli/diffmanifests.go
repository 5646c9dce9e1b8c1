package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
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
	before, found := d.folders.versionBefore(object)
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
	d.matched[withoutVersion(t)] = true
	if !found {
		d.notes.add(t, patchlab.NoteText(note))
		return true, d.onlyInTo(t, object)
	}
	changes := innerChanges(nil, nil, before.Value.Without("sops"), object.Value.Without("sops"))
	result := row{target: t, file: d.fileInTo(object), outcome: unchanged, fields: len(changes)}
	if len(changes) > 0 {
		result.outcome = changed
		result.metadataOnly = !slices.ContainsFunc(changes, func(c innerChange) bool { return !isMetadata(c.path) })
		d.notes.add(t, patchlab.NoteText(note))
	}
	return true, d.written(object, before.Value.Without("sops"), result, changes)
}

// written prints the differences of two versions of a manifest, of which before is the first.
func (d *differing) written(object manifest.Object, before document.Value, result row, changes []innerChange) error {
	if isSecret(object.Value) && !d.o.showSecrets {
		for i, c := range changes {
			changes[i].was, changes[i].is = maskPair(c.path, c.was, c.is)
		}
	}
	var lines []fieldLine
	for _, c := range changes {
		lines = append(lines, changedLine(c.path, c.was, c.is))
	}
	switch {
	case d.add(result, func() string { return fieldsDiff(lines) }):
	case d.asDocuments():
		out := alternativesDocument{APIVersion: ownVersion, Kind: "Alternatives", Target: result.target, Changes: []explain.Change{}, Patches: []alternativeDocument{}}
		for _, c := range changes {
			out.Changes = append(out.Changes, explain.Change{Path: c.path, Before: c.was, After: c.is})
		}
		return d.document(out)
	case result.outcome == unchanged:
	case d.o.output == "patch":
		d.app.note(result.name() + ": no object is patched with this manifest")
	case d.o.output == "diff":
		d.unified(result, before, object.Value.Without("sops"))
	default:
		d.text(fmt.Sprintf("%s: %s\n%s", result.name(), count(len(lines), "field differs", "fields differ"), fieldsText(lines)))
	}
	return nil
}

// create creates the object of a manifest that FROM does not have, as kubectl does. The API server may refuse it.
func (d *differing) create(object manifest.Object) (*patchlab.Result, error) {
	o := patchlab.WriteOptions{Namespace: d.o.apply.Namespace}
	if o.Namespace == "" && namespaceOf(object) == "" {
		o.Namespace = d.o.apply.DefaultNamespace
	}
	return d.lab.Create(inputOf(object), o)
}

// inputOf returns an object as an input, with the positions of its text if it is a document.
func inputOf(object manifest.Object) patchlab.Input {
	return documents{asOneObject(object)}
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
	text := oneLine(strings.Join(strings.Fields(d.refusedBefore[0].Error()), " "))
	if short := []rune(text); len(short) > longest {
		text = string(short[:longest]) + "…"
	}
	d.app.note(count(len(d.refusedBefore), "manifest that is the same in both folders would be refused, and is counted as unchanged: ",
		"manifests that are the same in both folders would be refused, and are counted as unchanged, such as: ") + text)
}
