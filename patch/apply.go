package patch

import (
	"bytes"
	"cmp"
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Request holds the options and the kind for Apply.
type Request struct {
	Options
	// Type is the type of the patch; TypeAuto detects it.
	Type Type
	// Kind is the kind of the object, for strategic merge patches and TypeAuto. nil is an
	// unknown kind, which is treated as a custom resource.
	Kind *schema.Kind
	// ObjectName and PatchName are the names of the inputs in error messages, usually file
	// names. The defaults are "object" and "patch".
	ObjectName, PatchName string
	// MaxBytes is the maximum size of each input. 0 means the API server's 3 MiB, a
	// negative value no limit.
	MaxBytes int
}

// Apply applies a patch to an object, each given as one JSON or YAML document, and returns
// the patched object in the format of the original and the type of the patch. An error is a
// *document.SyntaxError if an input cannot be parsed, and an *Error if the patch cannot be
// applied; both have a position.
func Apply(object, patch []byte, r Request) ([]byte, Type, error) {
	if out, done := r.splice(object, patch); done {
		return out, TypeJSON, nil
	}
	read := readOne
	if r.Observer != nil {
		read = readWhole // the observer may keep values
	}
	live, err := read(object, document.Options{Name: cmp.Or(r.ObjectName, "object"), MaxBytes: r.MaxBytes})
	if err != nil {
		return nil, r.Type, err
	}
	change, err := read(patch, document.Options{Name: cmp.Or(r.PatchName, "patch"), MaxBytes: r.MaxBytes})
	if err != nil {
		return nil, r.Type, err
	}
	out, chosen, err := r.Apply(live.Root, change.Root)
	if err != nil {
		if e := (*Error)(nil); errors.As(err, &e) {
			e.Position = change.PositionOf(e.Path)
			e.own()
		}
		return nil, chosen, err
	}
	if isJSON(object) {
		return out.JSON(), chosen, nil
	}
	return out.YAML(), chosen, nil
}

// Apply is the function Apply for parsed values.
func (r Request) Apply(object, patch document.Value) (document.Value, Type, error) {
	var out document.Value
	var err error
	t := r.choose(patch)
	switch t {
	case TypeJSON:
		out, err = JSON(object, patch, r.Options)
	case TypeMerge:
		out, err = Merge(object, patch, r.Options)
	case TypeStrategic:
		out, err = r.strategic(object, patch)
	default:
		err = refuse(t, ErrUnsupported, nil, "there is no such type of patch")
	}
	return out, t, err
}

func (r Request) choose(patch document.Value) Type {
	switch {
	case r.Type != TypeAuto:
		return r.Type
	case patch.Kind() == document.List:
		return TypeJSON
	case r.builtin():
		return TypeStrategic
	}
	return TypeMerge
}

func (r Request) builtin() bool { return r.Kind != nil && r.Kind.Builtin }

// strategic applies a strategic merge patch. Like kube-apiserver it refuses custom
// resources, unless ListTypes is set.
func (r Request) strategic(object, patch document.Value) (document.Value, error) {
	if !r.builtin() && !r.ListTypes {
		err := refuse(TypeStrategic, ErrUnsupported, nil, "the body of the request was in an unknown format - accepted media types include: "+
			TypeJSON.MediaType()+", "+TypeMerge.MediaType()+", application/apply-patch+yaml")
		err.Hint = "the API server supports strategic merge patches for built-in kinds only; use a merge patch, or merge by the list types of the custom resource"
		return document.Value{}, err
	}
	o := r.Options
	o.ListTypes = !r.builtin()
	t := schema.Deduced()
	if r.Kind != nil {
		t = r.Kind.Type()
	}
	return Strategic(object, patch, t, o)
}

// readOne parses an input that must be a single document. Its values must not be used after
// data has changed.
func readOne(data []byte, o document.Options) (*document.Document, error) {
	if isJSON(data) {
		if d, err := document.ParseLazy(data, o); err == nil {
			return d, nil
		}
	}
	return readWhole(data, o)
}

// readWhole is readOne for values that may outlive data.
func readWhole(data []byte, o document.Options) (*document.Document, error) {
	docs, err := document.Read(data, o)
	switch {
	case err != nil:
		return nil, err
	case len(docs) == 1:
		return docs[0], nil
	}
	reason := "the input contains no document"
	if len(docs) > 1 {
		reason = "the input contains more than one document"
	}
	return nil, &document.SyntaxError{Position: document.Position{Name: o.Name}, Reason: reason, Err: document.ErrSyntax}
}

func isJSON(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '{' || data[0] == '[')
}
