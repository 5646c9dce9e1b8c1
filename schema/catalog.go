package schema

import (
	_ "embed" // the catalog
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
)

//go:generate go run ./internal/gencatalog -o catalog.bin

//go:embed catalog.bin
var catalogData string

// ErrUnknownVersion says that the catalog does not hold a Kubernetes version.
var ErrUnknownVersion = errors.New("unknown Kubernetes version")

// Catalog holds the built-in kinds of one Kubernetes version. It is safe for
// concurrent use; types are decoded when they are asked for.
type Catalog struct {
	archive *archive
	column  int // of the version in the archive
	version string

	kindNumbers []int
	groups      []string
	served      [][]string // versions of each group
	kinds       []*Kind    // sorted
	byKind      map[GroupVersionKind]*Kind
	byResource  map[resourceName]*Kind

	mu    sync.Mutex
	types []*Type // by number, as far as decoded
	slab  []Type
}

type resourceName struct{ group, version, resource string }

// catalogs are the versions opened so far. They never change once opened.
var catalogs struct {
	mu   sync.Mutex
	open []*Catalog // by column
}

// load opens all versions' lists of kinds; types stay undecoded.
func load() []*Catalog {
	catalogs.mu.Lock()
	defer catalogs.mu.Unlock()
	if catalogs.open != nil {
		return catalogs.open
	}
	a, ok := openArchive(catalogData)
	if !ok {
		return nil
	}
	r := reader{a: a, data: a.releases}
	r.num()
	for i := range a.versions {
		c := &Catalog{archive: a, column: i}
		c.release(&r)
		catalogs.open = append(catalogs.open, c)
	}
	return catalogs.open
}

// Versions returns the Kubernetes minor versions in the catalog, oldest first:
// "1.30" to "1.36".
func Versions() []string {
	var list []string
	for _, c := range load() {
		list = append(list, c.version)
	}
	return list
}

// Builtin returns the built-in kinds of a Kubernetes version, "1.30" to
// "1.36"; a patch number and a leading v are ignored ("v1.36.3"). "" is the
// newest. For any other version the error is ErrUnknownVersion.
func Builtin(version string) (*Catalog, error) {
	all := load()
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: the catalog is empty or of another format", ErrUnknownVersion)
	}
	if version == "" {
		return all[len(all)-1].ready(), nil
	}
	minor := strings.TrimPrefix(version, "v")
	if parts := strings.SplitN(minor, ".", 3); len(parts) == 3 {
		minor = parts[0] + "." + parts[1]
	}
	for _, c := range all {
		if c.version == minor {
			return c.ready(), nil
		}
	}
	return nil, fmt.Errorf("%w %q: the catalog has %s", ErrUnknownVersion, version, strings.Join(Versions(), ", "))
}

// ready reads the version's list of kinds when it is first used.
func (c *Catalog) ready() *Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kinds != nil {
		return c
	}
	c.types = make([]*Type, len(c.archive.types)/2)
	c.byKind = make(map[GroupVersionKind]*Kind, len(c.kindNumbers))
	c.byResource = make(map[resourceName]*Kind, len(c.kindNumbers))
	kinds := make([]*Kind, len(c.kindNumbers))
	for i, n := range c.kindNumbers {
		k := c.kind(n)
		kinds[i] = k
		c.byKind[k.GroupVersionKind] = k
		if k.Resource != "" {
			c.byResource[resourceName{k.Group, k.Version, k.Resource}] = k
		}
	}
	c.kinds = kinds
	return c
}

// Version returns the minor version: "1.36".
func (c *Catalog) Version() string { return c.version }

// Kind finds a kind by its name.
func (c *Catalog) Kind(gvk GroupVersionKind) (*Kind, bool) {
	k, ok := c.byKind[gvk]
	return k, ok
}

// Resource finds a kind by the plural of its resource ("deployments").
func (c *Catalog) Resource(group, version, resource string) (*Kind, bool) {
	k, ok := c.byResource[resourceName{group, version, resource}]
	return k, ok
}

// Kinds iterates over all kinds, sorted by group, version and kind.
func (c *Catalog) Kinds() iter.Seq[*Kind] {
	return func(yield func(*Kind) bool) {
		for _, k := range c.kinds {
			if !yield(k) {
				return
			}
		}
	}
}

// Groups returns the API groups in the order of discovery, core ("") first.
func (c *Catalog) Groups() []string { return append([]string(nil), c.groups...) }

// Preferred returns a group's versions in the order of discovery, the
// preferred first; nil for an unknown group.
func (c *Catalog) Preferred(group string) []string {
	for i, g := range c.groups {
		if g == group {
			return append([]string(nil), c.served[i]...)
		}
	}
	return nil
}

// Named finds a type by its name in OpenAPI, such as
// "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
func (c *Catalog) Named(name string) (*Type, bool) {
	n, ok := c.archive.named(name)
	if !ok {
		return nil, false
	}
	return c.closure(n + 3), true
}
