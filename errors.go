package patchlab

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// Conflicts lists the fields that an apply would change although other managers own them.
// It is part of the *[Error] of the apply, where errors.As finds it. Its message has no values.
type Conflicts = fieldmanager.Conflicts

// Conflict is a field that an apply would change although another manager owns it. Its String and
// JSON have the live value and the wanted one; see [Error] for those of Secrets.
type Conflict = fieldmanager.Conflict

// Error reports a change that failed: the API server would refuse it, or it was not sent
// because its document matches no known kind or no live object, or has an invalid option. An
// input that cannot be parsed is a *document.SyntaxError instead, and one with more or fewer
// documents than the call accepts is an error that wraps ErrInput.
//
// The messages about a Secret, which are those of Error, Fields and Notes, have no values of its data
// and stringData. The values themselves are in Fields, in Conflicts and in the Err of the API server,
// and so in the JSON of an Error: a program that prints these has to mask them if Target is a Secret.
// The JSON does not have the message; a program that prints an Error as JSON adds that of its method
// Error.
type Error struct {
	// Target identifies the object as far as it is known.
	Target Target `json:"target"`
	Action Action `json:"action,omitempty"`
	// FieldManager is the manager of the refused change.
	FieldManager string `json:"fieldManager,omitempty"`
	// Position is the position of the first invalid field, or else of the document.
	Position document.Position `json:"position,omitzero"`
	// Code and Reason are those of the API server's Status. They are 0 and "" if the change
	// was not sent; some Statuses have no reason.
	Code   int    `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Fields lists the invalid fields.
	Fields []FieldError `json:"fields,omitempty"`
	// Options lists the invalid options of the change.
	Options []OptionError `json:"options,omitempty"`
	// Conflicts holds the conflicts of an apply with other managers. It is nil if the change
	// was refused for another reason, such as an outdated resourceVersion, which has Code
	// 409 too.
	Conflicts *Conflicts `json:"conflicts,omitempty"`
	// Notes lists findings and assumptions made before the change was refused.
	Notes []Note `json:"notes,omitempty"`
	// Err is the cause: a *cluster.Status from the API server's pipeline, or an error that
	// wraps ErrNoKind, ErrNoMatch or ErrInput.
	Err error `json:"-"`

	message string
	write   *write // the refused write; nil if none was attempted
}

// FieldError describes one invalid field.
type FieldError struct {
	// Path is the path of the field in the object or, for an invalid operation of a JSON
	// patch, in the list of operations.
	Path document.Path `json:"path"`
	// Position is the position of the field in the input or, if the input lacks the field,
	// of the nearest parent.
	Position document.Position `json:"position,omitzero"`
	// Field is the field path in the API server's notation, "" if its message has none.
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
	// Value is the invalid value; absent if unknown.
	Value document.Value `json:"value,omitzero"`
	// Hint is advice on how to correct the field, or what the values of a conflict do not show; it
	// may be empty.
	Hint string `json:"hint,omitempty"`
	// Rule is the name of the rule that refuses the field; see doc/rules.md.
	Rule string `json:"rule,omitempty"`
}

// OptionError describes an invalid option of a change.
type OptionError struct {
	// Name is the API server's name for the option: fieldManager, force, fieldValidation or
	// subresource; or action or type for Change.Action and PatchOptions.Type.
	Name    string `json:"name"`
	Message string `json:"message"`
}

func (o *OptionError) Error() string { return o.Name + ": " + o.Message }

// Unwrap returns ErrInput.
func (o *OptionError) Unwrap() error { return ErrInput }

// Error returns the message, after the position if it is known: "file:line:column:
// message".
func (e *Error) Error() string {
	text := e.message
	switch {
	case text != "":
	case e.Err != nil:
		text = e.Err.Error()
	default: // no Lab returned this error
		text = "the change failed"
	}
	if at := e.Position.String(); at != "" {
		return at + ": " + text
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// about sets the target, and the action unless it is set.
func (e *Error) about(t Target, a Action) *Error {
	e.Target = t
	if e.Action == "" {
		e.Action = a
	}
	return e
}

// A fieldProblem is an error in a document that is found before the request is sent.
type fieldProblem struct {
	field document.Path
	text  string
	err   error
}

func (p *fieldProblem) Error() string { return p.text }
func (p *fieldProblem) Unwrap() error { return p.err }

// located converts err to an *Error with the position in the document.
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

// invalidOption returns the error for an option that is refused before the input is read.
func invalidOption(name, message string) *Error {
	return located(&OptionError{name, message}, manifest.Object{})
}

// explain sets the fields of e from the API server's Status.
func (e *Error) explain(status *cluster.Status, w *write) {
	e.Code, e.Reason = status.Code, status.Reason
	shown := w.withoutValues(status)
	answer := fmt.Sprintf(" (API server response: %d", status.Code)
	if status.Reason != "" {
		answer += " " + status.Reason
	}
	answer += ")"
	if errors.As(status, &e.Conflicts) {
		e.message = status.Message + answer
	}
	if status.Details != nil && strings.HasSuffix(status.Details.Kind, "Options") { // such as PatchOptions
		for _, c := range status.Details.Causes {
			e.Options = append(e.Options, OptionError{c.Field, c.Message})
		}
		return
	}
	e.Fields = e.fieldErrors(status, w, shown)
	if e.Conflicts != nil {
		return
	}
	if len(e.Fields) == 1 {
		e.Position = e.Fields[0].Position
	}
	e.message = shown(refusalText(status, e.Fields)) + answer
	version := document.Keys("metadata", "resourceVersion")
	wanted := w.Value.Follow(version)
	if number := (*strconv.NumError)(nil); errors.As(status, &number) { // of a resourceVersion
		e.Position = w.Object.PositionOf(version)
		e.message += "\nmetadata.resourceVersion must be that of the live object, which is a number, or absent"
	}
	if status.Code == 409 && w.live != nil && wanted.Exists() && !document.Identical(wanted, w.live.Value.Follow(version)) {
		e.Position = w.Object.PositionOf(version)
		e.message += "\nmetadata.resourceVersion is not that of the live object; without it, an apply or a patch is not refused"
	}
	if errors.Is(status, fieldmanager.ErrVersion) {
		e.message += "\na managedFields entry of the live object has this version, which its CustomResourceDefinition no longer has; remove the entry, or set managedFields to [{}] to remove all"
	}
	if what := listedText(status); what != "" && len(e.Fields) > 1 {
		e.Position = document.Position{}
		e.message = what + answer + list(e.Fields)
	}
	if status.Code == 422 && w.live != nil {
		e.message += w.hookHint()
	}
}

// fieldErrors returns the invalid fields of a Status with their positions and hints. A cause that
// kube-apiserver lists several times, because it validates the field several times, is
// returned once. shown returns a message as it is shown.
func (e *Error) fieldErrors(status *cluster.Status, w *write, shown func(string) string) []FieldError {
	type cause struct {
		field, message string
		position       document.Position
	}
	var fields []FieldError
	seen := map[cause]bool{}
	places := newLocator(w.Object, w.kind.Type())
	causes := status.Fields()
	for _, c := range append(causes, alsoUndeclared(status, causes, places, w)...) {
		f := FieldError{Path: c.Path, Position: places.locate(c.Path), Field: c.Field, Message: shown(c.Message), Value: c.Value, Hint: c.Hint, Rule: c.Rule}
		key := cause{f.Field, f.Message, f.Position}
		if seen[key] {
			continue
		}
		seen[key] = true
		switch {
		case f.Hint != "":
		case e.Conflicts == nil:
			f.Hint = cmp.Or(hintFor(w.kind.Type(), w.Value, c.Path), w.manifestHint(f, places))
		case !w.isSecret() && len(fields) < len(e.Conflicts.List): // the causes are the conflicts, in their order
			f.Hint = explain.ConflictNote(w.kind.Type(), e.Conflicts.List[len(fields)])
		}
		fields = append(fields, f)
	}
	return fields
}

// alsoUndeclared returns the further fields of an applied configuration that its kind does not
// declare: the engine stops at the first of each object, as kube-apiserver does.
func alsoUndeclared(status *cluster.Status, listed []cluster.Cause, places *locator, w *write) []cluster.Cause {
	var mistyped *structured.TypeError
	if !errors.As(status.Err, &mistyped) || mistyped.Object != structured.Configuration {
		return nil
	}
	undeclared := slices.IndexFunc(listed, func(c cluster.Cause) bool { return c.Message == structured.Undeclared })
	if undeclared < 0 {
		return nil
	}
	known := make(map[string]bool, len(listed))
	for _, c := range listed {
		known[places.Indexed(c.Path).String()] = true
	}
	var causes []cluster.Cause
	_, unknown := structural.Prune(w.kind.Type(), w.Value)
	for _, path := range unknown {
		if !known[path.String()] {
			c := listed[undeclared]
			c.Path, c.Field = path, path.String()
			causes = append(causes, c)
		}
	}
	return causes
}

// listedText returns the message of a Status whose invalid fields are listed one by one, "" for
// any other.
func listedText(status *cluster.Status) string {
	var strict *cluster.StrictError
	var mistyped *structured.TypeError
	switch {
	case errors.As(status.Err, &strict):
		return "strict decoding error"
	case errors.As(status.Err, &mistyped):
		return mistyped.Object + " does not match the schema of its kind"
	case isInvalid(status):
		return objectText(status)
	}
	return ""
}

// isInvalid reports whether a Status lists causes in the object itself.
func isInvalid(status *cluster.Status) bool {
	return status.Err == nil && status.Details != nil && len(status.Details.Causes) > 0
}

// refusalText returns the message of a Status without the printed objects that some
// messages contain.
func refusalText(status *cluster.Status, fields []FieldError) string {
	if isInvalid(status) && len(fields) == 1 {
		return objectText(status) + ": " + fields[0].String()
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

// objectText returns the invalid object in the form "Deployment.apps "web" is invalid".
func objectText(status *cluster.Status) string {
	what := status.Details.Kind
	if status.Details.Group != "" {
		what += "." + status.Details.Group
	}
	return what + " " + strconv.Quote(status.Details.Name) + " is invalid"
}

// String returns the field with its message and hint, without the text of a large object or list: "spec.replicas: Invalid
// value: -1: must be greater than or equal to 0".
func (f FieldError) String() string {
	text := withoutLargeValue(f.Message)
	if f.Field != "" {
		text = f.Field + ": " + text
	}
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	return text
}

// withoutLargeValue shortens the value in a message such as "Invalid value: {…}: field is immutable",
// if it is a large object or list. It is found by its syntax: its members are in the order of
// kube-apiserver's types and not in that of the object.
func withoutLargeValue(message string) string {
	const long = 200
	before, value, found := strings.Cut(message, " value: ")
	if !found || value == "" || value[0] != '{' && value[0] != '[' {
		return message
	}
	n := manifest.FlowLength(value)
	if i := strings.LastIndex(value, "…"); n == 0 && i >= 0 { // the value is cut
		n = i + len("…")
	}
	if n <= long {
		return message
	}
	closing := "}"
	if value[0] == '[' {
		closing = "]"
	}
	return before + " value: " + value[:1] + "…" + closing + value[n:]
}

func list(fields []FieldError) string {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString("\n  ")
		if at := f.Position.String(); at != "" {
			b.WriteString(at + ": ")
		}
		b.WriteString(f.String())
	}
	return b.String()
}
