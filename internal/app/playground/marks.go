package playground

import (
	"errors"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/scenario"
	"github.com/patchlab-dev/patchlab/schema"
)

// place returns the line and column of an error, 0 if unknown.
func place(err error) (line, column int) {
	var syntax *document.SyntaxError
	var text *scenario.Error
	switch {
	case errors.As(err, &syntax):
		return syntax.Position.Line, syntax.Position.Column
	case errors.As(err, &text):
		return text.Position.Line, text.Position.Column
	}
	return 0, 0
}

// reason returns an error's message without its position.
func reason(err error) string {
	text := err.Error()
	if line, column := place(err); line > 0 {
		return strings.TrimPrefix(text, document.Position{Line: line, Column: column}.String()+": ")
	}
	return text
}

// marks returns the positions in a step's body that its failure concerns, with advice, none if they are
// unknown.
func marks(body string, res *scenario.Result) []Mark {
	if res.Err == nil {
		return nil
	}
	if line, column := place(res.Err); line > 0 {
		return []Mark{{Line: line, Column: column, Message: withHint(reason(res.Err), syntaxHint(body, res.Err))}}
	}
	var status *cluster.Status
	if res.Body == nil || !errors.As(res.Err, &status) {
		return nil
	}
	object := manifest.Object{Value: res.Body.Root, Document: res.Body}
	var out []Mark
	for _, f := range status.Fields() {
		at := object.Locate(f.Path)
		out = append(out, Mark{Line: at.Line, Column: at.Column, Message: withHint(fieldText(f), fieldHint(res.Kind, f.Path))})
	}
	return out
}

func withHint(message, hint string) string {
	if hint == "" {
		return message
	}
	return message + "; " + hint
}

// syntaxHint returns advice on a body that is not YAML, "" if there is none.
func syntaxHint(body string, err error) string {
	var syntax *document.SyntaxError
	if errors.As(err, &syntax) {
		return manifest.Hint([]byte(body), syntax)
	}
	return ""
}

// fieldHint returns advice on a field that was refused: the name of a similar one if the kind does not
// have it, and that the manifest is a live object if it has managedFields.
func fieldHint(kind *schema.Kind, field document.Path) string {
	if slices.Equal(field, document.Keys("metadata", "managedFields")) {
		return "this is a live object; remove managedFields, and the other fields that the API server sets, from the manifest"
	}
	if kind == nil {
		return ""
	}
	if near := kind.Type().NearestField(field); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// fieldText describes what is wrong with which field.
func fieldText(f cluster.Cause) string {
	switch {
	case f.Field == "":
		return f.Message
	case f.Type == cluster.CauseConflict:
		return f.Message + ": " + f.Field
	}
	return f.Field + ": " + f.Message
}

// unknownKind returns a mark, with a suggestion, for the kind in a step's body if it is
// unknown. Otherwise the message is "".
func unknownKind(s *Scenario, res *scenario.Result) Mark {
	if res.Kind != nil || res.Err == nil || res.Body == nil || res.Target.Kind == "" {
		return Mark{}
	}
	known, err := knownKinds(s.Kubernetes, s.Definitions)
	if err != nil {
		return Mark{}
	}
	hint := known.hint(res.Target.APIVersion, res.Target.Kind)
	field := document.Keys("kind")
	if len(known.versions(res.Target.Kind)) > 0 {
		field = document.Keys("apiVersion")
	} else if hint != "" {
		hint = "unknown kind \"" + res.Target.Kind + "\": " + hint
	}
	at := res.Body.PositionOf(field)
	return Mark{Line: at.Line, Column: at.Column, Message: hint}
}

// missingName returns the hint for a manifest without a name. Its request has the path of all objects of
// the kind, which does not support the method (405).
func missingName(res *scenario.Result) Mark {
	if res.Code != 405 || res.Body == nil || res.Target.Name != "" {
		return Mark{}
	}
	at := res.Body.PositionOf(document.Keys("metadata")) // that of the manifest if it has no metadata
	return Mark{Line: at.Line, Column: at.Column, Message: "metadata.name is required"}
}
