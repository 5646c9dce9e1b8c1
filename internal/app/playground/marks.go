package playground

import (
	"errors"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/scenario"
)

// place returns the line and column that an error names, 0 for none.
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

// reason is an error's message without the place that it begins with.
func reason(err error) string {
	text := err.Error()
	if line, column := place(err); line > 0 {
		return strings.TrimPrefix(text, document.Position{Line: line, Column: column}.String()+": ")
	}
	return text
}

// marks finds the places in a step's body that its failure is about, none where
// they are not known.
func marks(res *scenario.Result) []Mark {
	if res.Err == nil {
		return nil
	}
	if line, column := place(res.Err); line > 0 {
		return []Mark{{Line: line, Column: column, Message: reason(res.Err)}}
	}
	var status *cluster.Status
	if res.Body == nil || !errors.As(res.Err, &status) {
		return nil
	}
	body := manifest.Object{Value: res.Body.Root, Document: res.Body}
	var out []Mark
	for _, f := range status.Fields() {
		at := body.Locate(f.Path)
		out = append(out, Mark{Line: at.Line, Column: at.Column, Message: fieldText(f)})
	}
	return out
}

// fieldText says what is wrong with a field, and with which one.
func fieldText(f cluster.Cause) string {
	switch {
	case f.Field == "":
		return f.Message
	case f.Type == cluster.CauseConflict:
		return f.Message + ": " + f.Field
	}
	return f.Field + ": " + f.Message
}

// unknownKind marks the kind that a step's body names and that is not known, with what
// may have been meant. Its message is "" where there is no such thing to say.
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
	}
	at := res.Body.PositionOf(field)
	return Mark{Line: at.Line, Column: at.Column, Message: hint}
}
