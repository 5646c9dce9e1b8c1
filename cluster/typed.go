package cluster

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/defaults"
)

// typeError returns the status for an apply for which an object does not fit its schema:
// the configuration, or the live object in the version of a manager's entry. Clients
// compare the message, so it is the API server's (structured-merge-diff, typed).
func (t *task) typeError(config document.Value, err error) *Status {
	var e *structured.TypeError
	if !errors.As(err, &e) || !e.Root.Exists() {
		return applyStatus(err)
	}
	step := e.Step
	if e.Object == structured.Configuration {
		kind := t.ep.body.GroupVersionKind.String()
		if t.ep.body.Group == "" {
			kind = "/" + kind
		}
		step = "failed to create typed patch object (" + meta(config, "namespace") + "/" + meta(config, "name") + "; " + kind + "): "
	}
	at, why := e.Path, typedReason(e)
	if len(at) > 0 {
		last := at[len(at)-1]
		switch e.Mismatch {
		case structured.DuplicateItem:
			at, why = at[:len(at)-1], "duplicate entries for key "+last.String()
		case structured.ItemNotObject:
			i, _ := last.Index()
			at, why = at[:len(at)-1], "element "+strconv.Itoa(i)+": associative list with keys may not have non-map elements"
		}
	}
	where := ""
	if len(at) > 0 {
		where = at.String() + ": "
	}
	return &Status{Code: 500, Err: err, Message: step + where + why}
}

// typedReason returns why a value does not fit, in the words of the API server for an
// undeclared field and for a value of another type.
func typedReason(e *structured.TypeError) string {
	value := e.Root.Follow(e.Path)
	text, isText := value.Text()
	if !isText {
		text = goText(value)
	}
	switch e.Mismatch {
	case structured.UndeclaredField:
		return "field not declared in schema"
	case structured.NotObject:
		return "expected map, got &{" + text + "}"
	case structured.NotList:
		return "expected list, got &{" + text + "}"
	case structured.NotString:
		return "expected string, got &value.valueUnstructured{Value:" + goSyntax(value) + "}"
	case structured.NotBoolean:
		return "expected boolean, got &{" + text + "}"
	case structured.NotNumber:
		return "expected numeric (int or float), got " + goKind(value)
	}
	return e.Reason
}

// goKind returns the name of the Go type that the API server decodes a value into.
func goKind(v document.Value) string {
	switch v.Kind() {
	case document.Bool:
		return "bool"
	case document.String:
		return "string"
	case document.List:
		return "slice"
	case document.Object:
		return "map"
	case document.Number:
		if v.IsInt() {
			return "int64"
		}
		return "float64"
	}
	return "invalid"
}

// goText formats a value like Go's %+v, which is how the API server quotes a strategic merge
// patch.
func goText(v document.Value) string {
	var b strings.Builder
	appendGoText(&b, v)
	return b.String()
}

func appendGoText(b *strings.Builder, v document.Value) {
	switch v.Kind() {
	case document.String:
		text, _ := v.Text()
		b.WriteString(text)
	case document.Null, document.Absent:
		b.WriteString("<nil>")
	case document.List:
		b.WriteByte('[')
		for i, item := range v.Items() {
			if i > 0 {
				b.WriteByte(' ')
			}
			appendGoText(b, item)
		}
		b.WriteByte(']')
	case document.Object:
		b.WriteString("map[")
		first := true
		for key, member := range v.Members() {
			if !first {
				b.WriteByte(' ')
			}
			first = false
			b.WriteString(key + ":")
			appendGoText(b, member)
		}
		b.WriteByte(']')
	default:
		b.Write(v.JSON())
	}
}

// goSyntax formats a value like Go's %#v.
func goSyntax(v document.Value) string {
	switch v.Kind() {
	case document.String:
		text, _ := v.Text()
		return strconv.Quote(text)
	case document.Null, document.Absent:
		return "interface {}(nil)"
	case document.List:
		items := make([]string, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, goSyntax(item))
		}
		return "[]interface {}{" + strings.Join(items, ", ") + "}"
	case document.Object:
		members := make([]string, 0, v.Len())
		for key, member := range v.Members() {
			members = append(members, strconv.Quote(key)+":"+goSyntax(member))
		}
		return "map[string]interface {}{" + strings.Join(members, ", ") + "}"
	}
	return string(v.JSON())
}

// restoreMessage returns the message for a result of a strategic merge patch that cannot be
// decoded. The API server's message has the two Go types, and neither the field nor the value
// (apimachinery, DefaultUnstructuredConverter). For scalars of a wrong type it returns this
// module's own message.
func restoreMessage(k *schema.Kind, object document.Value, err error) string {
	var e *defaults.DecodeError
	if !errors.As(err, &e) {
		return err.Error()
	}
	t := k.Type().At(e.Path)
	found := goKind(object.Follow(e.Path))
	switch {
	case t == nil:
		return err.Error()
	case t.List != nil:
		return "cannot restore slice from " + found
	case t.Map != nil && len(t.Map.Fields) > 0:
		return "cannot restore struct from: " + found
	case t.Map != nil:
		return "cannot restore map from " + found
	}
	return err.Error()
}
