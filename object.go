package patchlab

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// Object is an API object with its kind and the owners of its fields, as returned by a Lab. It is
// immutable and safe for concurrent use. When it is the live Input of another change, it is not
// decoded again. As an Input, a nil *Object is no object, and an Object that no Lab returned is
// refused with ErrInput.
//
// Functions of packages explain and fieldmanager take an Object as
// fieldmanager.Object{Value: o.Value, Managed: o.Managed}. [Object.Join] is the object for other
// programs: o.Join().YAML() and o.Join().JSON() are its text.
type Object struct {
	Kind *schema.Kind
	// Value is the object without metadata.managedFields, which Managed holds in decoded
	// form.
	Value   document.Value
	Managed fieldmanager.Managed
	lab     *Lab
}

// Open reads one object, such as the output of 'kubectl get -o yaml --show-managed-fields'.
// An error is an *Error or a *document.SyntaxError, or wraps ErrInput if there is not exactly
// one object.
func (l *Lab) Open(in Input) (*Object, error) {
	if err := l.usable(); err != nil {
		return nil, err
	}
	if o, ok := in.(*Object); ok && o != nil {
		return o, o.usable()
	}
	found, err := objects(in)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%w: expected one object, found %d", ErrInput, len(found))
	}
	o := found[0]
	kind, _, err := l.kindOf(o.Value, hasNamespace(o.Value), false)
	if err != nil {
		return nil, located(err, o)
	}
	return l.open(kind, o.Value)
}

// usable refuses an Object that no Lab returned.
func (o *Object) usable() error {
	if o == nil || o.lab == nil || o.Kind == nil {
		return fmt.Errorf("%w: no Lab returned this Object; read objects with Lab.Open", ErrInput)
	}
	return nil
}

func (l *Lab) open(kind *schema.Kind, v document.Value) (*Object, error) {
	object, err := fieldmanager.Split(v)
	if err != nil {
		return nil, err
	}
	return &Object{Kind: kind, Value: object.Value, Managed: object.Managed, lab: l}, nil
}

// Join returns the object including metadata.managedFields.
func (o *Object) Join() document.Value { return o.split().Join() }

// MarshalJSON returns the JSON of Join.
func (o *Object) MarshalJSON() ([]byte, error) { return o.Join().MarshalJSON() }

// String identifies the object, such as "Deployment.apps web in namespace shop". It has no values.
func (o *Object) String() string {
	text := func(path ...string) string { return o.split().Value.Lookup(path...).StringOr("") }
	return Target{text("apiVersion"), text("kind"), text("metadata", "namespace"), text("metadata", "name")}.String()
}

// split returns the object for packages explain and fieldmanager; it is empty if there is none.
func (o *Object) split() fieldmanager.Object {
	if o == nil {
		return fieldmanager.Object{}
	}
	return fieldmanager.Object{Value: o.Value, Managed: o.Managed}
}

// Documents implements Input.
func (o *Object) Documents() ([]*document.Document, error) {
	if o == nil {
		return nil, nil
	}
	return o.Join().Documents()
}

// Lines returns the lines of the object's YAML, each with its field and the owners of the
// field.
func (o *Object) Lines() []explain.Line { return explain.Lines(o.fieldTypes(), o.split()) }

// fieldTypes returns the type of the object, nil for an Object that no Lab returned.
func (o *Object) fieldTypes() *schema.Type {
	if o == nil || o.Kind == nil {
		return nil
	}
	return o.Kind.Type()
}

// Owners returns the managedFields entries that own a field; the result is empty if nobody
// owns it. List items may be given by index, key or value. A field inside an atomic list or
// map has the owners of the whole. An error means that the object does not have the field.
func (o *Object) Owners(field document.Path) ([]fieldmanager.Entry, error) {
	owned, err := o.FieldPath(field)
	if err != nil {
		return nil, err
	}
	return o.Managed.Owners(owned), nil
}

// FieldPath returns the path that managedFields uses for a field: with keys or values
// instead of list indices, and ending at an atomic list or map that contains the field. An
// error means that the object does not have the field.
func (o *Object) FieldPath(field document.Path) (document.Path, error) {
	m, err := o.manager("")
	if err != nil {
		return nil, err
	}
	return m.FieldPath(o.Value, field)
}

// manager returns the Manager of the object's kind.
func (o *Object) manager(subresource string) (*fieldmanager.Manager, error) {
	if err := o.usable(); err != nil {
		return nil, err
	}
	return o.lab.pipeline.Manager(o.Kind, subresource)
}

// Extract returns the fields that a manager has applied and the object still has, as a
// configuration that can be applied again, like client-go's Extract functions. ok is false
// if the manager has not applied anything. subresource is "" for the object itself.
func (o *Object) Extract(manager, subresource string) (config document.Value, ok bool, err error) {
	m, err := o.manager(subresource)
	if err != nil {
		return document.Value{}, false, err
	}
	return m.Extract(o.split(), manager)
}

// Migrate returns the object with the fields of the managers in from, which used updates,
// transferred to a manager that applies: see [fieldmanager.Managed.Migrate]. The managers
// that 'kubectl apply --server-side' migrates are o.Managed.ClientAppliers(); an empty from
// migrates nothing. The result for a nil Object is nil.
func (o *Object) Migrate(from []string, to string) *Object {
	if o == nil {
		return nil
	}
	migrated := *o
	migrated.Managed = o.Managed.Migrate(from, to, "")
	return &migrated
}

func hasNamespace(v document.Value) bool {
	return v.Lookup("metadata", "namespace").StringOr("") != ""
}
