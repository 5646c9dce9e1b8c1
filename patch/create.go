package patch

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// CreateJSON makes the JSON patch that turns from into to.
func CreateJSON(from, to document.Value) document.Value { return document.NewList() }

// CreateMerge makes the JSON merge patch that turns from into to.
func CreateMerge(from, to document.Value, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.CreateMerge(from, to, o)
	}
	return document.Value{}, refuse(TypeMerge, ErrInternal, nil, "not there yet")
}

// CreateStrategic makes the strategic merge patch that turns from into to.
func CreateStrategic(from, to document.Value, t *schema.Type, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.CreateStrategic(from, to, t, o)
	}
	return document.Value{}, refuse(TypeStrategic, ErrInternal, nil, "not there yet")
}
