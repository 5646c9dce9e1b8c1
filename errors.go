package patchlab

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// Conflicts are the fields that an apply would change while other managers own
// them; see [fieldmanager.Conflicts]. Conflict is one of them.
type (
	Conflicts = fieldmanager.Conflicts
	Conflict  = fieldmanager.Conflict
)

// An Error is a change that cannot be carried out: one that the API server would
// refuse, or one that is not sent at all, because its document names no kind that
// is known or no object that exists.
type Error struct {
	// Target is the object, as far as it is known.
	Target Target `json:"target"`
	Action Action `json:"action,omitempty"`
	// FieldManager is the manager of a change that was refused.
	FieldManager string `json:"fieldManager,omitempty"`
	// Position is that of the document, or of the first field that is wrong.
	Position document.Position `json:"position,omitzero"`
	// Code and Reason are the API server's, 0 and "" where it is not asked. Some
	// refusals have no reason.
	Code   int    `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Fields are the fields that are wrong.
	Fields []FieldError `json:"fields,omitempty"`
	// Options are the options of the change that are wrong.
	Options []OptionError `json:"options,omitempty"`
	// Conflicts are the conflicts with other managers, with code 409; nil for none.
	Conflicts *Conflicts `json:"conflicts,omitempty"`
	// Notes say what was found out before the change was refused.
	Notes []string `json:"notes,omitempty"`
	// Err is the cause: a *cluster.Status for what the API server would answer, or
	// an error that wraps ErrNoKind, ErrNoMatch or ErrInput.
	Err error `json:"-"`

	message string
	write   *write // that was refused, nil where it was not tried
}

// A FieldError is a field that is wrong.
type FieldError struct {
	// Path leads to the field in the object; through the operations of a JSON
	// patch where one of those is wrong.
	Path document.Path `json:"path"`
	// Position is the position of the field in the input, or of the nearest part of the
	// object that contains it.
	Position document.Position `json:"position,omitzero"`
	// Field is the field as the API server writes it, "" where it does not.
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
	// Value is the value that is wrong, absent where it is not known.
	Value document.Value `json:"value,omitzero"`
	// Hint is advice; may be empty.
	Hint string `json:"hint,omitempty"`
	// Rule is the name of the rule that refuses the field, see doc/rules.md.
	Rule string `json:"rule,omitempty"`
}

// An OptionError is an option of a change that is wrong. Its name is the one that
// the API server has for it: fieldManager, force, fieldValidation, subresource.
type OptionError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
}

func (o *OptionError) Error() string { return o.Name + ": " + o.Message }

// Unwrap returns ErrInput.
func (o *OptionError) Unwrap() error { return ErrInput }

// Error returns "file:line:column: message".
func (e *Error) Error() string {
	text := e.message
	if text == "" {
		text = e.Err.Error()
	}
	if at := e.Position.String(); at != "" {
		return at + ": " + text
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// about adds what is known of the object to an error.
func (e *Error) about(t Target, a Action) *Error {
	e.Target = t
	if e.Action == "" {
		e.Action = a
	}
	return e
}

// A fieldProblem is something wrong with a document before it is sent.
type fieldProblem struct {
	field document.Path
	text  string
	err   error
}

func (p *fieldProblem) Error() string { return p.text }
func (p *fieldProblem) Unwrap() error { return p.err }

// located returns an error with its place in a document.
func located(err error, o manifest.Object) *Error {
	var made *Error
	if errors.As(err, &made) {
		return made
	}
	var problem *fieldProblem
	if errors.As(err, &problem) {
		return &Error{Position: o.PositionOf(problem.field), Err: err}
	}
	var option *OptionError
	if errors.As(err, &option) {
		return &Error{Options: []OptionError{*option}, Err: err}
	}
	return &Error{Position: o.Position(), Err: err}
}

// explain fills in what a refusal of the API server says.
func (e *Error) explain(status *cluster.Status, w *write) {
	e.Code, e.Reason = status.Code, status.Reason
	answer := fmt.Sprintf(" (the API server answers %d", status.Code)
	if status.Reason != "" {
		answer += " " + status.Reason
	}
	answer += ")"
	if errors.As(status, &e.Conflicts) {
		e.message = status.Message + answer
	}
	if status.Details != nil && strings.HasSuffix(status.Details.Kind, "Options") { // PatchOptions and its like
		for _, c := range status.Details.Causes {
			e.Options = append(e.Options, OptionError{c.Field, c.Message})
		}
		return
	}
	places := newLocator(w.Object, w.kind.Type())
	for _, c := range status.Fields() {
		f := FieldError{Path: c.Path, Position: places.locate(c.Path), Field: c.Field, Message: c.Message, Value: c.Value, Hint: c.Hint, Rule: c.Rule}
		if f.Hint == "" && e.Conflicts == nil {
			if near := w.kind.Type().NearestField(c.Path); near != "" {
				f.Hint = "did you mean " + near + "?"
			} else {
				f.Hint = quoteHint(w.kind.Type(), w.Value, c.Path)
			}
		}
		e.Fields = append(e.Fields, f)
	}
	if e.Conflicts != nil {
		return
	}
	if len(e.Fields) == 1 {
		e.Position = e.Fields[0].Position
	}
	e.message = refusalText(status, e.Fields) + answer
	if status.Details != nil && isInvalid(status) && len(e.Fields) > 1 {
		e.Position = document.Position{}
		e.message = objectText(status) + answer + list(e.Fields)
	}
}

// isInvalid reports whether a refusal lists what is wrong with the object itself.
func isInvalid(status *cluster.Status) bool {
	return status.Err == nil && status.Details != nil && len(status.Details.Causes) > 0
}

// refusalText is what a refusal says, without the object that some repeat whole.
func refusalText(status *cluster.Status, fields []FieldError) string {
	if isInvalid(status) && len(fields) == 1 {
		return objectText(status) + ": " + fields[0].text()
	}
	text := status.Message
	if status.Err != nil {
		text = status.Err.Error()
	}
	for _, f := range fields {
		if f.Hint != "" {
			return text + "; " + f.Hint
		}
	}
	return text
}

// objectText names the object that is invalid: Deployment.apps "web" is invalid.
func objectText(status *cluster.Status) string {
	what := status.Details.Kind
	if status.Details.Group != "" {
		what += "." + status.Details.Group
	}
	return what + " " + strconv.Quote(status.Details.Name) + " is invalid"
}

func (f *FieldError) text() string {
	text := f.Message
	if f.Field != "" {
		text = f.Field + ": " + text
	}
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	return text
}

func list(fields []FieldError) string {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString("\n  ")
		if at := f.Position.String(); at != "" {
			b.WriteString(at + ": ")
		}
		b.WriteString(f.text())
	}
	return b.String()
}
