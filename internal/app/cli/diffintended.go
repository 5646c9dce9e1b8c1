package cli

import (
	"errors"
	"net/http"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/cli/inputs"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/patch"
)

// alternatives returns the patches for an object. A manifest lacks fields that the API server has set
// and that no update may remove, such as the labels in the template of a Job. If an update with it
// is refused, the intended object is what 'kubectl diff' compares with: the result of an apply, which
// keeps the fields that the manifest omits.
func (d *differing) alternatives(object manifest.Object) (*patchlab.Alternatives, error) {
	from, several := d.folders.Counterpart(object)
	if !several {
		from = d.from.Candidates(object)
	}
	to := inputOf(object)
	options := d.o.apply
	options.KeepLastApplied = true // no user wants to remove it, and it would be the only difference of most objects
	found, err := d.compare(from, to, options)
	var refused *patchlab.Error
	if !errors.As(err, &refused) || refused.Code != http.StatusUnprocessableEntity || object.Value.Lookup("metadata", "uid").Exists() {
		return found, err
	}
	o := d.o.apply
	o.FieldManager = "" // that of kubectl
	created, isManifest := d.created(from, o)
	if isManifest {
		from = inputs.Documents{{Root: created}}
	}
	applied, applyErr := d.lab.ClientApply(from, to, o)
	var invalid *patchlab.Error
	switch {
	case errors.As(applyErr, &invalid) && invalid.Code == refused.Code && len(invalid.Fields) < len(refused.Fields):
		return nil, applyErr // without what the manifest omits
	case applyErr != nil:
		return nil, err
	}
	before := applied.Before.Value
	if isManifest { // the manifest has neither owners nor an annotation
		before = withLastApplied(before.Remove("metadata", "managedFields"), document.Value{})
		from = inputs.Documents{{Root: before}}
	}
	kept, keptErr := d.compare(from, withLastApplied(applied.After.Value, before), d.o.apply)
	if keptErr != nil {
		return nil, err
	}
	if isManifest { // what is generated for the comparison differs in each run
		for _, o := range []*patchlab.Object{kept.Before, kept.Wanted} {
			o.Value = o.Value.Remove("metadata", "uid").Remove("metadata", "creationTimestamp")
		}
	}
	kept.Notes = append(kept.Notes, patchlab.NoteText("fields that the manifest omits keep their values, as in 'kubectl diff', because an update without them would be refused"))
	return kept, nil
}

// compare compares an object of FROM with one of TO, with the patches if they are printed.
func (d *differing) compare(from, to patchlab.Input, o patchlab.ApplyOptions) (*patchlab.Alternatives, error) {
	if d.o.summary.ReplacesOutput() {
		return d.lab.Compare(from, to, o)
	}
	return d.lab.Alternatives(from, to, o)
}

// created returns the object that 'kubectl apply' creates from a manifest in FROM, with the fields that the API server
// sets. A PersistentVolumeClaim is bound, as one in use is, because only the size of a bound claim can be increased. ok
// is false if FROM has an object of a cluster instead of a manifest.
func (d *differing) created(from inputs.Documents, o patchlab.ApplyOptions) (object document.Value, ok bool) {
	if len(from) != 1 || from[0].Root.Lookup("metadata", "uid").Exists() {
		return object, false
	}
	result, err := d.lab.ClientApply(nil, from, o)
	if err != nil {
		return object, false
	}
	object = result.Object()
	if k := result.After.Kind; k.Group == "" && k.Kind == "PersistentVolumeClaim" {
		object = object.Set(document.NewString("Bound"), "status", "phase").
			Set(object.Lookup("spec", "resources", "requests"), "status", "capacity")
	}
	return object, true
}

// withLastApplied returns an object with the last-applied annotation of another.
func withLastApplied(object, other document.Value) document.Value {
	if annotation := other.Follow(results.LastApplied()); annotation.Exists() {
		return object.Set(annotation, "metadata", "annotations", patch.LastApplied)
	}
	object = object.Remove("metadata", "annotations", patch.LastApplied)
	if object.Lookup("metadata", "annotations").Len() == 0 && !other.Lookup("metadata", "annotations").Exists() {
		object = object.Remove("metadata", "annotations")
	}
	return object
}
