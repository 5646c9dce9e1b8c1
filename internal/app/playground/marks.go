package playground

import (
	"errors"
	"strconv"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
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
			add(follow(res.Config, c.Path), "conflict with "+c.Owner.String()+": "+c.Path.String())
		}
		return out
	}
	for _, f := range faults(res.Err) {
		path, _ := document.ParsePath(f.path)
		add(follow(res.Config, path), f.message)
	}
	return out
}

// follow returns what of a configuration is at a path, or the nearest above it.
func follow(v document.Value, path document.Path) document.Value {
	for _, s := range path {
		next := s.In(v)
		if !next.Exists() {
			break
		}
		v = next
	}
	return v
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
	if errors.As(err, &t) && len(t.Path) > 0 {
		return []fault{{t.Path.String(), t.Reason}}
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
