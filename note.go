package patchlab

import (
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// The notes of a Result: what the API server or kubectl do beside the change, and what patchlab could
// not take into account.

// withoutSlash returns notes for the paths of a JSON patch that do not begin with a slash, as
// RFC 6901 requires. Those without any slash are refused.
func withoutSlash(operations document.Value) []string {
	var notes []string
	for i, op := range operations.Items() {
		for _, field := range [...]string{"path", "from"} {
			if path := op.Get(field).StringOr(""); strings.Index(path, "/") > 0 {
				notes = append(notes, fmt.Sprintf("operation %d: the API server ignores what precedes the first slash of %s %q; begin it with a slash: %q", i, field, path, "/"+path))
			}
		}
	}
	return notes
}

// omittedFields returns the note for fields of a live object that its kind does not have, as when the
// object comes from a cluster of another version.
func omittedFields(unknown []document.Path) string {
	const most = 5
	var fields []string
	for i, path := range unknown {
		if i == most {
			fields = append(fields, fmt.Sprintf("and %d more", len(unknown)-most))
			break
		}
		fields = append(fields, path.String())
	}
	return "the live object has fields that this version of its kind does not have; they are left out: " + strings.Join(fields, ", ")
}

// dropped returns a note for each unknown field that the API server drops with a warning, with its
// position and the name that may have been meant.
func (w *write) dropped(problems []cluster.Problem) []string {
	if len(problems) == 0 {
		return nil
	}
	var notes []string
	places := newLocator(w.Object, w.kind.Type())
	for _, p := range problems {
		if _, ofOperation := p.Path[0].Index(); p.Duplicate || ofOperation {
			continue // the warning is enough
		}
		note := "the API server drops " + schema.FieldText(p.Path)
		if at := places.locate(p.Path).String(); at != "" {
			note = at + ": " + note
		}
		if near := w.kind.Type().NearestField(p.Path); near != "" {
			note += "; did you mean " + near + "?"
		}
		notes = append(notes, note)
	}
	return notes
}

// helmRelease is the annotation with the name of the Helm release that an object belongs to.
const helmRelease = "meta.helm.sh/release-name"

func ofRelease(object document.Value) bool {
	return object.Lookup("metadata", "annotations", helmRelease).Exists()
}

// keptByClientApply returns the note for an object that client-side apply has written: kubectl
// transfers its fields after the apply, and applies again if it has transferred any.
func keptByClientApply(from, to string) string {
	return fmt.Sprintf("%s keeps its fields; 'kubectl apply --server-side' would transfer them to %s and remove those that the manifest omits, "+
		"which 'patchlab apply --server-side' shows", from, to)
}
