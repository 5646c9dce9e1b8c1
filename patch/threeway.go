package patch

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// ThreeWayOptions configures a three-way merge patch. The zero value has the behavior of
// 'kubectl apply'.
type ThreeWayOptions struct {
	Options
	// RefuseConflicts makes it an error (ErrConflict) if a strategic merge patch changes
	// fields of the live object that have been changed since the last apply, like 'kubectl
	// apply --overwrite=false'.
	RefuseConflicts bool
	// AllowIdentityChange disables kubectl's precondition that a merge patch does not
	// change apiVersion, kind or metadata.name.
	AllowIdentityChange bool
}

// ThreeWay computes the patch that 'kubectl apply' sends. The patch changes current, the
// live object, to the values in modified, the wanted configuration, and removes what
// original, the last applied configuration, had and modified lacks. Fields in neither
// configuration are kept. The patch is a strategic merge patch for a built-in kind and a
// JSON merge patch for any other (kubectl 1.36, pkg/cmd/apply/patcher.go), or a strategic
// one with ListTypes; its type is returned. original may be absent.
func ThreeWay(original, modified, current document.Value, kind *schema.Kind, o ThreeWayOptions) (document.Value, Type, error) {
	if kind != nil && (kind.Builtin || o.ListTypes) {
		o.ListTypes = !kind.Builtin
		p, err := ThreeWayStrategic(original, modified, current, kind.Type(), o)
		return p, TypeStrategic, err
	}
	p, err := ThreeWayMerge(original, modified, current, o)
	return p, TypeMerge, err
}

// ThreeWayText is ThreeWay for texts: JSON or YAML with one document of at most 3 MiB, the
// API server's limit. The patch is JSON. original may be empty. If a text cannot be parsed,
// the error is a *document.SyntaxError with the name original, modified or current.
func ThreeWayText(original, modified, current []byte, kind *schema.Kind, o ThreeWayOptions) ([]byte, Type, error) {
	var values [3]document.Value
	names := [...]string{"original", "modified", "current"}
	for i, text := range [...][]byte{original, modified, current} {
		if i == 0 && len(text) == 0 {
			continue
		}
		d, err := readOne(text, document.Options{Name: names[i]})
		if err != nil {
			return nil, TypeAuto, err
		}
		values[i] = d.Root
	}
	p, t, err := ThreeWay(values[0], values[1], values[2], kind, o)
	if err != nil {
		if e := (*Error)(nil); errors.As(err, &e) {
			e.own()
		}
		return nil, t, err
	}
	return p.JSON(), t, nil
}

// ThreeWayMerge computes kubectl's three-way JSON merge patch (apimachinery's
// CreateThreeWayJSONMergePatch): additions and changes from current to modified, deletions
// from original to modified. Numbers keep their exact value, whereas kubectl converts them
// to float64. Errors are *Error: ErrPrecondition if the patch would change apiVersion, kind
// or the name.
func ThreeWayMerge(original, modified, current document.Value, o ThreeWayOptions) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.ThreeWayMerge(original, modified, current, o)
	}
	if err := bothObjects(TypeMerge, original, modified, current); err != nil {
		return document.Value{}, err
	}
	changes := withoutDeletions(mergeDiff(orEmpty(current), orEmpty(modified)))
	deletions := onlyDeletions(mergeDiff(orEmpty(original), orEmpty(modified)))
	if mergeConflict(changes, deletions) {
		return document.Value{}, refuse(TypeMerge, ErrConflict, nil, "the changes and deletions of the wanted object conflict")
	}
	var w merger
	p := w.object(deletions, changes)
	if !o.AllowIdentityChange {
		for _, path := range [...]document.Path{document.Keys("apiVersion"), document.Keys("kind"), document.Keys("metadata", "name")} {
			if p.Follow(path).Exists() {
				err := refuse(TypeMerge, ErrPrecondition, path, "at least one of apiVersion, kind and name was changed")
				return document.Value{}, err
			}
		}
	}
	return p, nil
}

func orEmpty(v document.Value) document.Value {
	if v.Kind() == document.Object {
		return v
	}
	return document.NewObject()
}

// withoutDeletions removes nulls from a merge patch, and maps that contain only nulls. An
// empty map is a value and is kept.
func withoutDeletions(patch document.Value) document.Value {
	var b document.ObjectBuilder
	for i := range patch.Len() {
		switch val := patch.At(i); {
		case val.IsNull():
		case val.Kind() == document.Object && val.Len() > 0:
			if kept := withoutDeletions(val); kept.Len() > 0 {
				b.Set(patch.Key(i), kept)
			}
		default:
			b.Keep(patch, i)
		}
	}
	return b.Object()
}

// onlyDeletions removes everything but nulls from a merge patch.
func onlyDeletions(patch document.Value) document.Value {
	var b document.ObjectBuilder
	for i := range patch.Len() {
		switch val := patch.At(i); val.Kind() {
		case document.Null:
			b.Keep(patch, i)
		case document.Object:
			if kept := onlyDeletions(val); kept.Len() > 0 {
				b.Set(patch.Key(i), kept)
			}
		}
	}
	return b.Object()
}

// mergeConflict reports whether two merge patches have different values for a key.
func mergeConflict(a, b document.Value) bool {
	switch a.Kind() {
	case document.Object:
		if b.Kind() != document.Object {
			return true
		}
		for key, val := range a.Members() {
			if other := b.Get(key); other.Exists() && mergeConflict(val, other) {
				return true
			}
		}
		return false
	case document.List:
		if b.Kind() != document.List || a.Len() != b.Len() {
			return true
		}
		for i, item := range a.Items() {
			if mergeConflict(item, b.At(i)) {
				return true
			}
		}
		return false
	}
	return !document.Identical(a, b)
}

// typesInUse is the approximate number of types in a large item, such as a container.
const typesInUse = 48

// ThreeWayStrategic computes kubectl's three-way strategic merge patch for objects of type
// t (apimachinery's CreateThreeWayMergePatch): the changes from current to modified, merged
// into the deletions from original to modified. Errors are those of [CreateStrategic], and
// ErrConflict with RefuseConflicts.
func ThreeWayStrategic(original, modified, current document.Value, t *schema.Type, o ThreeWayOptions) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.ThreeWayStrategic(original, modified, current, t, o)
	}
	if err := bothObjects(TypeStrategic, original, modified, current); err != nil {
		return document.Value{}, err
	}
	original, modified, current = orEmpty(original), orEmpty(modified), orEmpty(current)
	s := strategist{typing: typing{o.ListTypes}}
	// The views of modified's lists and the quiet types are shared by both differs.
	views, quiet := make(map[document.Value]*view), make(map[*schema.Type]bool, typesInUse)
	changes := differ{strategist: s, changes: true, order: true, views: views, quietTypes: quiet}
	add, err := changes.object(current, modified, t, false)
	if err != nil {
		return document.Value{}, err
	}
	deletions := differ{strategist: s, deletions: true, order: true, views: views, quietTypes: quiet}
	remove, err := deletions.object(original, modified, t, false)
	if err != nil {
		return document.Value{}, err
	}
	p, err := s.object(remove, add, t)
	if err != nil || !o.RefuseConflicts {
		return p, err
	}
	since := differ{strategist: s, changes: true, deletions: true, views: views, quietTypes: quiet}
	changed, err := since.object(original, current, t, false)
	if err != nil {
		return document.Value{}, err
	}
	c := conflicts{typing: s.typing}
	conflict, err := c.objects(p, changed, t)
	if err != nil {
		return document.Value{}, err
	}
	if conflict {
		err := refuse(TypeStrategic, ErrConflict, c.here(), "the live object has been changed since the last apply")
		err.Hint = "adopt the live value in the configuration, or overwrite it"
		return document.Value{}, err
	}
	return p, nil
}
