package patchlab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
)

// annotationManager is the manager for which 'kubectl apply --server-side' keeps the last-applied
// annotation, so that its own apply does not remove it.
const annotationManager = "kubectl-last-applied"

// transfer does what 'kubectl apply --server-side' does after an apply (kubectl 1.26 and newer): with its
// default manager, it applies the last-applied annotation under a manager of its own. It then
// transfers the fields of the managers that used client-side apply to the manager of the apply and,
// if there are any, applies again, which removes what the configuration omits. A failure of these
// requests does not undo the apply.
func (w *write) transfer(applied *Result) *Result {
	out := *applied
	then := func(live *Object, manager string, config *document.Document, failed string) bool {
		again := *w
		again.live, again.notes, again.change.FieldManager = live, nil, manager
		if w.noted != nil {
			again.noted = &explain.Notes{}
		}
		r, err := again.send(cluster.Patch, cluster.ApplyPatch, config)
		if err != nil {
			out.Notes = append(out.Notes, NoteText(failed+", which kubectl only warns about: "+err.Error()))
			return false
		}
		out.After = r.After
		if w.noted != nil {
			w.noted.Append(again.noted)
		}
		for _, warning := range r.Warnings {
			if !slices.Contains(out.Warnings, warning) {
				out.Warnings = append(out.Warnings, warning)
			}
		}
		return true
	}
	if w.change.FieldManager == ActionApply.manager() && w.keepsAnnotation(out.After) &&
		!then(out.After, annotationManager, w.annotationOf(out.After), "the transfer of fields from client-side apply failed") {
		return &out
	}
	from := out.After.Managed.ClientAppliers()
	if len(from) == 0 {
		return &out
	}
	moved := *out.After
	moved.Managed = moved.Managed.Migrate(from, w.change.FieldManager, "")
	out.After = &moved
	if w.noted != nil {
		w.noted.Migrated(from)
	}
	next := &moved
	if w.Value.Lookup("metadata", "resourceVersion").StringOr("") != "" { // in an exported object; the transfer has changed it
		stale := moved
		stale.Value = moved.Value.Remove("metadata", "resourceVersion")
		next = &stale
	}
	transferred := fmt.Sprintf("the fields of %s are transferred to %s", strings.Join(from, ", "), w.change.FieldManager)
	if then(next, w.change.FieldManager, w.document(), transferred+", but the manifest is refused when it is applied again") {
		out.Notes = append(out.Notes, NoteText(transferred+" and applied again, as by kubectl"))
	}
	return &out
}

// keepsAnnotation reports whether kubectl keeps the last-applied annotation of an object: it has one,
// and no manager has applied it.
func (w *write) keepsAnnotation(o *Object) bool {
	annotation := document.Keys("metadata", "annotations", patch.LastApplied)
	return o.Value.Follow(annotation).Exists() && !slices.ContainsFunc(o.Managed.Owners(annotation), func(e fieldmanager.Entry) bool {
		return e.Operation == fieldmanager.OperationApply
	})
}

// annotationOf returns the configuration with nothing but the last-applied annotation of an object.
func (w *write) annotationOf(o *Object) *document.Document {
	config := document.NewObject().With("apiVersion", w.Value.Get("apiVersion")).With("kind", w.Value.Get("kind"))
	for _, key := range [...]string{"name", "namespace"} {
		if v := o.Value.Lookup("metadata", key); v.Exists() {
			config = config.Set(v, "metadata", key)
		}
	}
	return &document.Document{Root: config.Set(o.Value.Lookup("metadata", "annotations", patch.LastApplied), "metadata", "annotations", patch.LastApplied)}
}
