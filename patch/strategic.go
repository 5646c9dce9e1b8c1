package patch

import (
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// Strategic applies a strategic merge patch by what t knows of the object's fields.
func Strategic(object, patch document.Value, t *schema.Type, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.Strategic(object, patch, t, o)
	}
	return document.Value{}, refuse(TypeStrategic, ErrInternal, nil, "not there yet")
}
