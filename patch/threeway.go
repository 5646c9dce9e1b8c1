package patch

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// ThreeWayOptions say how a three-way merge patch is made. The zero value is
// what kubectl apply does.
type ThreeWayOptions struct {
	Options
	// RefuseConflicts makes it an error (ErrConflict) that a strategic patch
	// changes what was changed otherwise in the live object since the
	// configuration was last applied: kubectl apply --overwrite=false.
	RefuseConflicts bool
	// AllowIdentityChange leaves out kubectl's precondition that a merge patch
	// changes neither apiVersion nor kind nor metadata.name.
	AllowIdentityChange bool
}

// ThreeWay makes the patch that kubectl apply sends: it changes current, the
// live object, to what modified, the wanted configuration, says, and removes
// what original, the configuration applied last, had and modified has no more.
// What neither names stays. The patch is a strategic merge patch for a built-in
// kind and a JSON merge patch for any other (kubectl 1.36,
// pkg/cmd/apply/patcher.go); the answer says which. original may be absent.
func ThreeWay(original, modified, current document.Value, kind *schema.Kind, o ThreeWayOptions) (document.Value, Type, error) {
	if kind != nil && kind.Builtin {
		p, err := ThreeWayStrategic(original, modified, current, kind.Type(), o)
		return p, TypeStrategic, err
	}
	p, err := ThreeWayMerge(original, modified, current, o)
	return p, TypeMerge, err
}

// ThreeWayMerge makes kubectl's three-way JSON merge patch.
func ThreeWayMerge(original, modified, current document.Value, o ThreeWayOptions) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.ThreeWayMerge(original, modified, current, o)
	}
	return document.Value{}, refuse(TypeMerge, ErrInternal, nil, "not there yet")
}

// ThreeWayStrategic makes kubectl's three-way strategic merge patch by what t
// knows of the object's fields.
func ThreeWayStrategic(original, modified, current document.Value, t *schema.Type, o ThreeWayOptions) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.ThreeWayStrategic(original, modified, current, t, o)
	}
	return document.Value{}, refuse(TypeStrategic, ErrInternal, nil, "not there yet")
}
