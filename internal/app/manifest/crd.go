package manifest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/schema/structural"
)

// CRD decodes a CustomResourceDefinition and returns all errors in its schemas, including
// their defaults, that the API server would report, with positions.
func CRD(o Object) (*schema.CRD, error) {
	crd, err := schema.FromCRD(o.Value)
	var invalid *schema.InvalidCRD
	switch {
	case errors.As(err, &invalid):
	case err != nil:
		return nil, fmt.Errorf("%s: %w", o.Position(), err)
	default:
		errs := structural.ValidateDefaults(crd, nil)
		if len(errs) == 0 {
			return crd, nil
		}
		invalid = &schema.InvalidCRD{Name: crd.Name, Errors: errs}
	}
	if len(invalid.Errors) == 1 {
		return nil, fmt.Errorf("%s: %w", o.PositionOf(invalid.Errors[0].Path), invalid)
	}
	var b strings.Builder
	for _, e := range invalid.Errors {
		fmt.Fprintf(&b, "\n  %s: %s", o.PositionOf(e.Path), e.Error())
	}
	return nil, fmt.Errorf("%w %q%s", schema.ErrInvalidCRD, invalid.Name, b.String())
}
