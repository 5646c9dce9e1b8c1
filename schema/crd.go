package schema

import (
	"errors"

	"github.com/patchlab-dev/patchlab/document"
)

// CRD is a CustomResourceDefinition (apiextensions.k8s.io/v1).
type CRD struct {
	// Name is metadata.name: "widgets.lab.example.com".
	Name string
	// Group and the names of the resource.
	Group, Kind, ListKind, Plural, Singular string
	ShortNames, Categories                  []string
	Namespaced                              bool
	// Kinds are the served versions in the order of discovery: by Kubernetes'
	// version priority, v2 before v1 before v1beta1.
	Kinds []*Kind
	// Stored is the name of the version in which objects are stored.
	Stored string
	// Conversion is "None" or "Webhook".
	Conversion string
}

// ErrInvalidCRD is the cause of errors of FromCRD.
var ErrInvalidCRD = errors.New("invalid CustomResourceDefinition")

// FromCRD reads a CustomResourceDefinition of apiextensions.k8s.io/v1. Names
// that may be left out (singular, listKind) are filled in. The schema of every
// version has to be structural. An error is an ErrInvalidCRD that names the
// path.
func FromCRD(v document.Value) (*CRD, error) { return nil, ErrInvalidCRD }
