package playground

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/engine/structured"
	"github.com/patchlab-dev/patchlab/patch"
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
	if res.Body == nil {
		return nil
	}
	var out []Mark
	add := func(v document.Value, message string) {
		p := res.Body.Position(v)
		out = append(out, Mark{Line: p.Line, Column: p.Column, Message: message})
	}
	if list := conflicting(res.Err); len(list) > 0 {
		for _, c := range list {
			add(follow(res.Config, c.Path), "conflict with "+c.Owner()+": "+c.Path.String())
		}
		return out
	}
	for _, f := range faults(res.Err) {
		add(nearest(res.Config, f.path), f.message)
	}
	return out
}

// follow returns what of a configuration is at a path, or the nearest above it.
func follow(v document.Value, path fieldmanager.Path) document.Value {
	for _, e := range path {
		next := child(v, e)
		if !next.Exists() {
			break
		}
		v = next
	}
	return v
}

// child returns what of a configuration is at an element of a path, absent for
// nothing.
func child(v document.Value, e fieldmanager.Element) document.Value {
	if name, ok := e.Name(); ok {
		return v.Get(name)
	}
	return item(v, e.Value())
}

// item returns the item of a list that has all the key fields given that it has
// at all, or equals key where that is no object.
func item(list, key document.Value) document.Value {
	for _, v := range list.Items() {
		same := true
		if key.Kind() != document.Object {
			same = document.Equal(v, key)
		}
		for name, want := range key.Members() {
			has := v.Get(name)
			same = same && (!has.Exists() || document.Equal(has, want))
		}
		if same {
			return v
		}
	}
	return document.Value{}
}

// fault is something wrong at a field, in the API server's spelling.
type fault struct{ path, message string }

// faults lists what an error says of fields.
func faults(err error) []fault {
	var p *patch.Error
	if errors.As(err, &p) {
		return []fault{{p.Path.String(), err.Error()}}
	}
	var t *structured.TypeError
	if errors.As(err, &t) && t.Path != "" {
		return []fault{{t.Path, t.Reason}}
	}
	var out []fault
	var status *cluster.Status
	if errors.As(err, &status) && status.Details != nil {
		for _, c := range status.Details.Causes {
			if c.Field != "" {
				out = append(out, fault{fieldOf(c), c.Field + ": " + c.Message})
			}
		}
	}
	if len(out) == 0 {
		out = quoted(err.Error())
	}
	return out
}

// fieldOf returns the field that a cause is about. Of a patch whose result is of a
// wrong type the API server only says so in the message, behind the object.
func fieldOf(c cluster.Cause) string {
	if i := strings.LastIndex(c.Message, ": ."); c.Field == "patch" && i >= 0 {
		path, _, _ := strings.Cut(c.Message[i+2:], ":")
		return path
	}
	return c.Field
}

// quoted finds the fields that a strict decoding error quotes:
// unknown field "spec.foo", duplicate field "spec.bar".
func quoted(message string) []fault {
	var out []fault
	_, rest, ok := strings.Cut(message, "strict decoding error: ")
	for ok {
		var what string
		if what, rest, ok = strings.Cut(rest, `field "`); !ok {
			break
		}
		var path string
		if path, rest, ok = strings.Cut(rest, `"`); ok {
			what = strings.TrimLeft(what, ", ")
			out = append(out, fault{path, what + "field " + strconv.Quote(path)})
		}
	}
	return out
}

// nearest returns what of v stands at a path in the spelling of messages, or the
// nearest above it: spec.containers[0].image, .data[a/b], .list[name="x"].f
func nearest(v document.Value, path string) document.Value {
	for path != "" {
		next := document.Value{}
		switch path[0] {
		case '.':
			path = path[1:]
			continue
		case '[':
			end := strings.IndexByte(path, ']')
			if end < 0 {
				return v
			}
			next = bracket(v, path[1:end])
			path = path[end+1:]
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			next = v.Get(path[:end])
			path = path[end:]
		}
		if !next.Exists() {
			return v
		}
		v = next
	}
	return v
}

// bracket returns the part of v that stands for what is between brackets: an
// index, a key of an object, or name="x" pairs.
func bracket(v document.Value, text string) document.Value {
	if v.Kind() == document.Object {
		if plain, err := strconv.Unquote(text); err == nil {
			text = plain
		}
		return v.Get(text)
	}
	if i, err := strconv.Atoi(text); err == nil {
		if i >= 0 && i < v.Len() && v.Kind() == document.List {
			return v.At(i)
		}
		return document.Value{}
	}
	var key document.ObjectBuilder
	for pair := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(pair, "=")
		if d, err := document.Parse([]byte(value), document.Options{}); err == nil && name != "" {
			key.Set(name, d.Root)
		}
	}
	if key.Len() == 0 {
		return document.Value{}
	}
	return item(v, key.Object())
}
