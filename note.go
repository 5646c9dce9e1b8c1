package patchlab

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Note is a finding or an assumption about a change: what the API server or kubectl do beside it, and what patchlab could
// not take into account. String returns its text for people, which is also its JSON. A [NoSchema] and a [RulesNotRun]
// have facts for programs; a [NoteText] has only the text. Notes can be compared with ==.
type Note interface{ String() string }

// NoteText is a note that has only a text.
type NoteText string

func (n NoteText) String() string { return string(n) }

// NoSchema is the note about an object of a custom kind without a schema, because its CustomResourceDefinition was not
// given.
type NoSchema struct {
	APIVersion, Kind string
	// Consequence describes what is therefore not done with the object.
	Consequence string
}

func (n NoSchema) String() string {
	return "no schema for " + printable(n.Kind) + " in " + printable(n.APIVersion) + ", whose CustomResourceDefinition was not given (--crd): " + n.Consequence
}

// MarshalText returns the text of the note.
func (n NoSchema) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// RulesNotRun is the note about the CEL rules of a custom kind that were not evaluated. Rules is their number.
type RulesNotRun struct {
	Kind  string
	Rules int
}

func (n RulesNotRun) String() string {
	if n.Rules == 1 {
		return "1 CEL rule of " + n.Kind + " was not evaluated; the program patchlab-admission evaluates it"
	}
	return strconv.Itoa(n.Rules) + " CEL rules of " + n.Kind + " were not evaluated; the program patchlab-admission evaluates them"
}

// MarshalText returns the text of the note.
func (n RulesNotRun) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// withoutSlash returns notes for the paths of a JSON patch that do not begin with a slash, as
// RFC 6901 requires. Those without any slash are refused.
func withoutSlash(operations document.Value) []Note {
	var notes []Note
	for i, op := range operations.Items() {
		for _, field := range [...]string{"path", "from"} {
			if path := op.Get(field).StringOr(""); strings.Index(path, "/") > 0 {
				notes = append(notes, NoteText(fmt.Sprintf("operation %d: the API server ignores what precedes the first slash of %s %q; begin it with a slash: %q", i, field, path, "/"+path)))
			}
		}
	}
	return notes
}

// omittedFields returns the note for fields of a live object that its kind does not have, as when the
// object comes from a cluster of another version.
func omittedFields(unknown []document.Path) NoteText {
	const most = 5
	var fields []string
	for i, path := range unknown {
		if i == most {
			fields = append(fields, fmt.Sprintf("and %d more", len(unknown)-most))
			break
		}
		fields = append(fields, path.String())
	}
	return NoteText("the live object has fields that this version of its kind does not have; they are left out: " + strings.Join(fields, ", "))
}

// dropped returns a note for each unknown field that the API server drops with a warning, with its
// position and the name that may have been meant.
func (w *write) dropped(problems []cluster.Problem) []Note {
	if len(problems) == 0 {
		return nil
	}
	var notes []Note
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
		notes = append(notes, NoteText(note))
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
func keptByClientApply(from, to string) NoteText {
	return NoteText(fmt.Sprintf("%s keeps its fields; 'kubectl apply --server-side' would transfer them to %s and remove those that the manifest omits, "+
		"which 'patchlab apply --server-side' shows", from, to))
}
