package schema

import (
	"iter"

	"github.com/patchlab-dev/patchlab/document"
)

// Registry joins the kinds of a catalog with those of CRDs and OpenAPI
// documents. CRDs may be added and removed at any time; it is safe for
// concurrent use.
type Registry struct{ builtin *Catalog }

// NewRegistry returns a registry over a catalog, which may be nil.
func NewRegistry(builtin *Catalog) *Registry { return &Registry{builtin: builtin} }

// Catalog returns the catalog of built-in kinds, nil for none.
func (r *Registry) Catalog() *Catalog { return r.builtin }

// AddCRD adds a CRD's kinds, or puts them in the place of those of the CRD of
// the same name.
func (r *Registry) AddCRD(c *CRD) {}

// RemoveCRD takes the CRD of that name out and says whether there was one.
func (r *Registry) RemoveCRD(name string) bool { return false }

// CRDs returns the CRDs, sorted by name.
func (r *Registry) CRDs() []*CRD { return nil }

// Add adds single kinds, such as those of FromOpenAPI. They stand before
// built-in kinds of the same name.
func (r *Registry) Add(kinds ...*Kind) {}

// Kind finds a kind by its name.
func (r *Registry) Kind(gvk GroupVersionKind) (*Kind, bool) { return nil, false }

// Of finds the kind of an object by its apiVersion and kind.
func (r *Registry) Of(object document.Value) (*Kind, bool) { return nil, false }

// Resource finds a kind by the plural of its resource.
func (r *Registry) Resource(group, version, resource string) (*Kind, bool) { return nil, false }

// Served returns the served versions of a kind, the preferred first.
func (r *Registry) Served(group, kind string) []*Kind { return nil }

// Kinds iterates over all kinds, sorted by group, version and kind.
func (r *Registry) Kinds() iter.Seq[*Kind] { return func(func(*Kind) bool) {} }

// Nearest returns the candidate that name most likely was meant to be, "" where
// none is near: upper and lower case do not count, a letter added, missing,
// changed or swapped with its neighbour counts one, and up to a third of the
// letters may differ. Of equally near ones the first is taken.
func Nearest(name string, candidates iter.Seq[string]) string { return "" }
