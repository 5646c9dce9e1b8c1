package patch

import "github.com/patchlab-dev/patchlab/document"

// JSON applies a JSON Patch (RFC 6902).
func JSON(object, patch document.Value, o Options) (document.Value, error) {
	if o.Engine != nil {
		return o.Engine.JSON(object, patch, o)
	}
	return document.Value{}, refuse(TypeJSON, ErrInternal, nil, "not there yet")
}
