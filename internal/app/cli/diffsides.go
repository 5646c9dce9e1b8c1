package cli

import (
	"cmp"
	"errors"
	"slices"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// added reports whether an error means that FROM does not have an object of TO.
func (d *differing) added(object manifest.Object, e *patchlab.Error) bool {
	if !errors.Is(e, patchlab.ErrNoMatch) || !object.Typed() || e.Target.Name == "" {
		return false
	}
	// Without a namespace, several objects of FROM may be meant.
	return e.Target.Namespace != "" || len(d.from.byName[nameOfObject(object)]) == 0
}

// targetOf returns the target of a manifest, in the namespace that it has without stating one.
func (d *differing) targetOf(object manifest.Object) patchlab.Target {
	t := targetOf(object.Value)
	if kind, _, err := d.lab.Kind(object.Value); t.Namespace == "" && err == nil && kind.Namespaced {
		t.Namespace = cmp.Or(d.o.apply.Namespace, d.o.apply.DefaultNamespace, "default")
	}
	return t
}

// fileInTo returns the file of an object of TO if several objects have its name.
func (d *differing) fileInTo(object manifest.Object) string {
	if d.folders == nil {
		return ""
	}
	return d.folders.fileOf(d.folders.to, object)
}

// onlyInTo reports an object that FROM does not have.
func (d *differing) onlyInTo(t patchlab.Target, object manifest.Object) error {
	result := row{target: t, file: d.fileInTo(object), outcome: onlyInTo}
	if d.folders != nil {
		result.outcome = added
	}
	if d.add(result, nil) {
		return nil
	}
	switch d.o.output {
	case "json", "yaml":
		return d.document(onlyIn("TO", t))
	case "patch":
		d.app.note(result.name() + " is only in TO: there is no object to patch")
	default:
		d.text(result.name() + ": " + result.outcome.String() + "\n")
	}
	return nil
}

// onlyInFrom reports the objects of FROM that TO does not have, with --namespace those in it. Unless both are
// folders, they are no difference, because FROM may be a dump of a cluster.
func (d *differing) onlyInFrom() error {
	const most = 20 // in text
	n, namespace := 0, d.o.apply.Namespace
	for _, object := range d.from.all.objects() {
		t, file := targetOf(object.Value), ""
		gone, several := d.folders.removed(object)
		if several {
			file = d.folders.fileOf(d.folders.from, object)
		}
		result := row{target: t, file: file, outcome: onlyInFrom}
		if d.folders != nil { // objects of a cluster state their namespace
			result.target, result.outcome = d.targetOf(object), removed
		}
		switch {
		case namespace != "" && t.Namespace != "" && t.Namespace != namespace: // TO cannot have it
		case t.Name == "" || several && !gone || !several && d.hasMatched(t):
		case d.add(result, nil):
		case d.asDocuments():
			if err := d.document(onlyIn("FROM", t)); err != nil {
				return err
			}
		case n >= most:
			n++
		case d.o.output == "patch":
			d.app.note(result.name() + " is only in FROM: no patch deletes it")
			n++
		default:
			d.text(result.name() + ": " + result.outcome.String() + "\n")
			n++
		}
	}
	if n > most {
		d.app.note(count(n-most, "other object is", "other objects are") + " only in FROM; -o json lists them")
	}
	return nil
}

// hasMatched reports whether an object of FROM has been compared with one of TO. The namespace that it
// states may be missing, or superfluous.
func (d *differing) hasMatched(t patchlab.Target) bool {
	t = withoutVersion(t)
	namespaces := []string{t.Namespace, ""}
	if t.Namespace == "" {
		namespaces = append(namespaces, cmp.Or(d.o.apply.Namespace, d.o.apply.DefaultNamespace, "default"))
	}
	return slices.ContainsFunc(namespaces, func(namespace string) bool {
		t.Namespace = namespace
		return d.matched[t]
	})
}

// withoutVersion returns a target with its group in place of the apiVersion.
func withoutVersion(t patchlab.Target) patchlab.Target {
	t.APIVersion = t.Group()
	return t
}

// onlyIn returns the document for an object that only one side has.
func onlyIn(side string, t patchlab.Target) alternativesDocument {
	return alternativesDocument{APIVersion: ownVersion, Kind: "Alternatives", Target: t, OnlyIn: side, Changes: []explain.Change{}, Patches: []alternativeDocument{}}
}
