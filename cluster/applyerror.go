package cluster

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/internal/engine/gotext"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// typeError returns the status for an apply for which an object does not fit its schema:
// the configuration, or the live object in the version of a manager's entry; or the result, a
// value of which cannot be decoded. Clients compare the message, so it is the API server's
// (structured-merge-diff, typed).
func (t *task) typeError(config document.Value, err error) *Status {
	var e *structured.TypeError
	var undecoded *defaults.DecodeError
	switch {
	case errors.As(err, &undecoded):
		return &Status{Code: 500, Err: err, Message: "failed to convert new object" + t.about(config) +
			" to proper version: unable to convert unstructured object to " + t.kindText() + ": " + err.Error()}
	case !errors.As(err, &e) || !e.Root.Exists():
		return applyStatus(err)
	}
	text := mismatchText(e)
	if len(e.Others) > 0 {
		lines := []string{"errors:", text}
		for _, other := range e.Others {
			lines = append(lines, mismatchText(other))
		}
		text = strings.Join(lines, "\n  ")
	}
	return &Status{Code: 500, Err: err, Message: t.mistyped(config, e) + text}
}

// mistyped returns the beginning of the message, which names the object and the step of the
// apply in which it is converted (apimachinery, structuredMergeManager and
// skipNonAppliedManager).
func (t *task) mistyped(config document.Value, e *structured.TypeError) string {
	switch e.Object {
	case structured.Configuration:
		return "failed to create typed patch object" + t.about(config) + ": "
	case structured.LiveObject:
		return "failed to create typed live object" + t.about(e.Root) + ": "
	case structured.NewObject:
		return "failed to create manager for existing fields: failed to convert new object" + t.about(e.Root) + " to smd typed: "
	}
	return e.Step
}

// about returns an object's name and its kind for a message.
func (t *task) about(object document.Value) string {
	return " (" + meta(object, "namespace") + "/" + meta(object, "name") + "; " + t.kindText() + ")"
}

// kindText returns the kind of the endpoint like apimachinery's GroupVersionKind, whose core group is empty.
func (t *task) kindText() string {
	k := t.ep.body
	return k.Group + "/" + k.Version + ", Kind=" + k.Kind
}

// mismatchText returns the text of a mismatch after its path, in which field names are neither
// quoted nor escaped.
func mismatchText(e *structured.TypeError) string {
	at, why := e.Path, mismatchReason(e)
	if len(at) > 0 {
		last := at[len(at)-1]
		switch e.Mismatch {
		case structured.DuplicateItem:
			at, why = at[:len(at)-1], "duplicate entries for key "+fieldset.ObjectMessage(at[len(at)-1:])
		case structured.KeyedNull, structured.KeyedNotObject, structured.KeyedNoKeys,
			structured.SetNull, structured.SetObject, structured.SetList:
			i, _ := last.Index()
			at, why = at[:len(at)-1], "element "+strconv.Itoa(i)+": "+why
		}
	}
	if len(at) > 0 {
		why = fieldset.ObjectMessage(at) + ": " + why
	}
	return why
}

// mismatchReason returns why a value does not fit, in the words of the API server.
func mismatchReason(e *structured.TypeError) string {
	switch e.Mismatch {
	case structured.UndeclaredField:
		return structured.Undeclared
	case structured.NotObject:
		return "expected map, got &{" + gotext.Of(e.Value) + "}"
	case structured.NotList:
		return "expected list, got &{" + gotext.Of(e.Value) + "}"
	case structured.NotString:
		return "expected string, got &value.valueUnstructured{Value:" + gotext.Syntax(e.Value) + "}"
	case structured.NotBoolean:
		return "expected boolean, got &{" + gotext.Of(e.Value) + "}"
	case structured.NotNumber:
		return "expected numeric (int or float), got " + gotext.Type(e.Value)
	case structured.NotScalar:
		return "expected any scalar, got &{" + gotext.Of(e.Value) + "}"
	case structured.KeyedNull:
		return "associative list with keys may not have a null element"
	case structured.KeyedNotObject:
		return "associative list with keys may not have non-map elements"
	case structured.KeyedNoKeys:
		return fmt.Sprintf("associative list with keys has an element that omits all key fields %q (and doesn't have default values for any key fields)", e.Keys)
	case structured.SetNull:
		return "associative list without keys has an element that's an explicit null"
	case structured.SetObject:
		return "associative list without keys has an element that's a map type"
	case structured.SetList:
		return "not supported: associative list with lists as elements"
	}
	return e.Reason
}
