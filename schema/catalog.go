package schema

import (
	"fmt"
	"iter"
)

// Versions returns the Kubernetes minor versions in the catalog, oldest first:
// "1.30" to "1.36".
func Versions() []string { return nil }

// Catalog holds the built-in kinds of one Kubernetes version. It is safe for
// concurrent use; kinds are decoded when they are asked for.
type Catalog struct {
	version string
}

// ErrUnknownVersion says that the catalog does not hold a Kubernetes version.
var ErrUnknownVersion = fmt.Errorf("unknown Kubernetes version")

// Builtin returns the built-in kinds of a Kubernetes version, "1.30" to
// "1.36"; a patch number and a leading v are ignored ("v1.36.3"). "" is the
// newest. For any other version the error is ErrUnknownVersion.
func Builtin(version string) (*Catalog, error) {
	return &Catalog{version: version}, nil
}

// Version returns the minor version: "1.36".
func (c *Catalog) Version() string { return c.version }

// Kind finds a kind by its name.
func (c *Catalog) Kind(gvk GroupVersionKind) (*Kind, bool) { return nil, false }

// Resource finds a kind by the plural of its resource ("deployments").
func (c *Catalog) Resource(group, version, resource string) (*Kind, bool) { return nil, false }

// Kinds iterates over all kinds, sorted by group, version and kind.
func (c *Catalog) Kinds() iter.Seq[*Kind] { return func(func(*Kind) bool) {} }

// Preferred returns a group's versions in the order of discovery, the
// preferred first; nil for an unknown group.
func (c *Catalog) Preferred(group string) []string { return nil }

// Groups returns the API groups in the order of discovery, core ("") first.
func (c *Catalog) Groups() []string { return nil }

// Named finds a type by its name in OpenAPI, such as
// "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
func (c *Catalog) Named(name string) (*Type, bool) { return nil, false }
