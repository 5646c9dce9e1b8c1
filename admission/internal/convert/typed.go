package convert

import (
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/patchlab-dev/patchlab/document"
)

// Typed decodes a document into a Go type of the Kubernetes API. Integers remain integers
// in fields of type any.
func Typed(v document.Value, into any) error { return json.Unmarshal(v.JSON(), into) }
