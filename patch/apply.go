package patch

import "github.com/patchlab-dev/patchlab/schema"

// Request is what Apply does with a live object and a patch.
type Request struct {
	Options
	// Type of the patch; TypeAuto chooses.
	Type Type
	// Kind of the object, for strategic merge patches and TypeAuto; nil where it
	// is not known, which counts as a custom resource.
	Kind *schema.Kind
	// ObjectName and PatchName are the names of the inputs for messages, such as
	// names of files.
	ObjectName, PatchName string
}

// Apply applies a patch, both as JSON or YAML, and returns the object after it
// in the form that the object came in, with the type of patch chosen.
func Apply(object, patch []byte, r Request) ([]byte, Type, error) {
	return nil, r.Type, refuse(r.Type, ErrInternal, nil, "not there yet")
}
