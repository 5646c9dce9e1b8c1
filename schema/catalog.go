package schema

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
)

//go:generate go run ./internal/gencatalog -o catalog.bin -definitions ../server/internal/definitions/definitions.gz

// DefaultVersion is the Kubernetes version of the default catalog: the newest against whose
// kube-apiserver all answers were recorded. The catalog may have a newer one.
const DefaultVersion = "1.36"

// ErrUnknownVersion: the catalog does not contain the Kubernetes version.
var ErrUnknownVersion = errors.New("unknown Kubernetes version")

// Catalog holds the built-in kinds of one Kubernetes version. Types are decoded on first
// use. It is safe for concurrent use. A nil Catalog, that of a [Registry] without built-in
// kinds, has no kinds and counts as DefaultVersion.
type Catalog struct {
	archive *archive
	column  int // of the version in the archive
	version string

	kindNumbers []int
	groups      []string
	served      [][]string // versions of each group
	kinds       []*Kind    // sorted by group, version and kind
	byKind      map[GroupVersionKind]*Kind
	byResource  map[resourceName]*Kind

	mu    sync.Mutex
	types []*Type // by number; nil until decoded
	slab  []Type
}

type resourceName struct{ group, version, resource string }

// catalogs caches the opened catalogs, which are immutable.
var catalogs struct {
	mu   sync.Mutex
	open []*Catalog // by column
}

// load opens the kind lists of all versions; types are decoded later.
func load() []*Catalog {
	catalogs.mu.Lock()
	defer catalogs.mu.Unlock()
	if catalogs.open != nil {
		return catalogs.open
	}
	a, ok := openArchive(catalogData())
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

// Versions returns the Kubernetes minor versions in the catalog, oldest first, from "1.30"
// to "1.37".
func Versions() []string {
	var list []string
	for _, c := range load() {
		list = append(list, c.version)
	}
	return list
}

// Builtin returns the built-in kinds of a Kubernetes version from "1.30" to "1.37". A patch
// version and a leading v are ignored ("v1.36.3", "v1.36.3+k3s1"), and "" is DefaultVersion. For
// any other version the error is ErrUnknownVersion.
func Builtin(version string) (*Catalog, error) {
	all := load()
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: the catalog is empty or of another format", ErrUnknownVersion)
	}
	minor := strings.TrimPrefix(cmp.Or(version, DefaultVersion), "v")
	if parts := strings.SplitN(minor, ".", 3); len(parts) == 3 && isPatchVersion(parts[2]) {
		minor = parts[0] + "." + parts[1]
	}
	for _, c := range all {
		if c.version == minor {
			return c.ready(), nil
		}
	}
	return nil, fmt.Errorf("%w %q: the catalog has %s", ErrUnknownVersion, version, strings.Join(Versions(), ", "))
}

// isPatchVersion reports whether a text is the last number of a semantic version, with the parts that
// may follow it.
func isPatchVersion(text string) bool {
	if end := strings.IndexAny(text, "-+"); end >= 0 {
		text = text[:end]
	}
	_, ok := digits(text)
	return ok
}

// newest returns the newest catalog, which has the most types.
func newest() (*Catalog, error) {
	all := Versions()
	if len(all) == 0 {
		return Builtin("")
	}
	return Builtin(all[len(all)-1])
}

// ready decodes the version's list of kinds on first use.
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

// noCatalog is what a nil Catalog counts as.
var noCatalog = Catalog{archive: &archive{}, version: DefaultVersion}

// orNone returns the catalog, or noCatalog if it is nil.
func (c *Catalog) orNone() *Catalog {
	if c == nil {
		return &noCatalog
	}
	return c
}

// Version returns the minor version, such as "1.36".
func (c *Catalog) Version() string { return c.orNone().version }

// Since reports whether the version is at least the given one, such as "1.36".
func (c *Catalog) Since(version string) bool { return c.Version() >= version }

// Kind returns the kind with the given group, version and kind.
func (c *Catalog) Kind(gvk GroupVersionKind) (*Kind, bool) {
	k, ok := c.orNone().byKind[gvk]
	return k, ok
}

// Resource returns the kind with the given plural resource name ("deployments").
func (c *Catalog) Resource(group, version, resource string) (*Kind, bool) {
	k, ok := c.orNone().byResource[resourceName{group, version, resource}]
	return k, ok
}

// Kinds iterates over all kinds, sorted by group, version and kind.
func (c *Catalog) Kinds() iter.Seq[*Kind] {
	return func(yield func(*Kind) bool) {
		for _, k := range c.orNone().kinds {
			if !yield(k) {
				return
			}
		}
	}
}

// Groups returns the API groups in discovery order, beginning with the core group "".
func (c *Catalog) Groups() []string { return append([]string(nil), c.orNone().groups...) }

// Preferred returns a group's versions in discovery order, beginning with the preferred
// one; nil for an unknown group.
func (c *Catalog) Preferred(group string) []string {
	c = c.orNone()
	for i, g := range c.groups {
		if g == group {
			return append([]string(nil), c.served[i]...)
		}
	}
	return nil
}

// Named returns the type with an OpenAPI name, such as
// "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
func (c *Catalog) Named(name string) (*Type, bool) {
	c = c.orNone()
	n, ok := c.archive.named(name)
	if !ok {
		return nil, false
	}
	return c.closure(n + 3), true
}
