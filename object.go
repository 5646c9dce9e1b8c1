package patchlab

import (
	"fmt"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// An Object is an object of the API with its kind and the owners of its fields. It
// is immutable and may be used by many goroutines. As an [Input] it is the live
// object of the next change without being decoded again.
type Object struct {
	Kind *schema.Kind
	// Value is the object without its metadata.managedFields, which are in Managed.
	Value   document.Value
	Managed fieldmanager.Managed
	lab     *Lab
}

// Open reads one object, such as one that 'kubectl get -o yaml
// --show-managed-fields' prints. An error is an *Error.
func (l *Lab) Open(in Input) (*Object, error) {
	if o, ok := in.(*Object); ok && o != nil {
		return o, nil
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

func (l *Lab) open(kind *schema.Kind, v document.Value) (*Object, error) {
	object, err := fieldmanager.Split(v)
	if err != nil {
		return nil, err
	}
	return &Object{Kind: kind, Value: object.Value, Managed: object.Managed, lab: l}, nil
}

// Join returns the object with its owners in metadata.managedFields.
func (o *Object) Join() document.Value { return o.split().Join() }

func (o *Object) split() fieldmanager.Object {
	return fieldmanager.Object{Value: o.Value, Managed: o.Managed}
}

// Documents makes an Object an Input.
func (o *Object) Documents() ([]*document.Document, error) {
	if o == nil {
		return nil, nil
	}
	return o.Join().Documents()
}

// Lines returns the lines of the object's YAML, each with its field and its owners.
func (o *Object) Lines() []explain.Line { return explain.Lines(o.Kind.Type(), o.split()) }

// Owners returns the entries of managedFields whose manager owns a field, none where
// nobody does. Items of lists may be given by their index, key or value, and what is
// in an atomic list or object has the owners of the whole. An error says that the
// object does not have the field.
func (o *Object) Owners(field document.Path) ([]fieldmanager.Entry, error) {
	owned, err := o.FieldPath(field)
	if err != nil {
		return nil, err
	}
	return o.Managed.Owners(owned), nil
}

// FieldPath returns the path by which managedFields names a field: items of lists by
// their keys or value in place of their position, and an atomic list or object for what
// is in it. An error says that the object does not have the field.
func (o *Object) FieldPath(field document.Path) (document.Path, error) {
	m, err := o.lab.pipeline.Manager(o.Kind, "")
	if err != nil {
		return nil, err
	}
	return m.FieldPath(o.Value, field)
}

// Extract returns what a manager has applied to the object, as far as the object
// still has it: the configuration to apply again. ok is false where the manager
// has applied nothing. subresource is "" for what was applied to the object
// itself. It is what client-go's Extract functions return.
func (o *Object) Extract(manager, subresource string) (config document.Value, ok bool, err error) {
	m, err := o.lab.pipeline.Manager(o.Kind, subresource)
	if err != nil {
		return document.Value{}, false, err
	}
	return m.Extract(o.split(), manager)
}

// Migrate returns the object after its fields were handed over from managers that
// updated it, such as kubectl's client-side apply, to one that applies from now on:
// see [fieldmanager.Managed.Migrate].
func (o *Object) Migrate(from []string, to string) *Object {
	migrated := *o
	migrated.Managed = o.Managed.Migrate(from, to, "")
	return &migrated
}

func hasNamespace(v document.Value) bool {
	return v.Lookup("metadata", "namespace").StringOr("") != ""
}
