package schema

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
)

func builtin(t testing.TB, version string) *Catalog {
	t.Helper()
	c, err := Builtin(version)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func kindOf(t testing.TB, c *Catalog, group, version, kind string) *Kind {
	t.Helper()
	k, ok := c.Kind(GroupVersionKind{group, version, kind})
	if !ok {
		t.Fatalf("no %s/%s %s in %s", group, version, kind, c.Version())
	}
	return k
}

// typeAt returns the type at a path such as "spec.containers[].ports", where [] is the
// items of a list and [*] the members of a map.
func typeAt(t testing.TB, typ *Type, path string) *Type {
	t.Helper()
	_, typ = fieldAt(t, typ, path)
	return typ
}

// fieldAt is typeAt that also returns the last field.
func fieldAt(t testing.TB, typ *Type, path string) (*Field, *Type) {
	t.Helper()
	var f *Field
	for _, step := range strings.Split(path, ".") {
		name, rest, _ := strings.Cut(step, "[")
		if f = typ.Map.Field(name); f == nil {
			t.Fatalf("%s: no field %q", path, name)
		}
		typ = f.Type
		for range strings.Count(rest, "]") {
			if strings.HasPrefix(rest, "*") {
				typ = typ.Map.Elem
			} else {
				typ = typ.List.Elem
			}
			_, rest, _ = strings.Cut(rest, "[")
		}
	}
	return f, typ
}

func TestVersions(t *testing.T) {
	want := []string{"1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"}
	if got := Versions(); !slices.Equal(got, want) {
		t.Errorf("versions %v, want %v", got, want)
	}
}

func TestBuiltinByName(t *testing.T) {
	for _, c := range []struct{ name, want, reason string }{
		{"", "1.36", "the default, whose answers are recorded"},
		{"1.37", "1.37", "newer than the default"},
		{"1.30", "1.30", "a minor version"},
		{"v1.33", "1.33", "the form of git tags"},
		{"1.34.99", "1.34", "a patch version has the kinds of its minor version"},
		{"v1.31.2-gke.1", "1.31", "the form that a cluster reports"},
		{"v1.36.3+k3s1", "1.36", "build metadata"},
		{"1.36.banana", "", "the patch version is no number"},
		{"1.36.", "", "an empty patch version"},
		{"1.36.-1", "", "a suffix without a patch version"},
		{"1.36.3.4", "", "four numbers"},
		{"1.36-alpha", "", "a suffix of the minor version"},
		{"1.29", "", "older than the catalog"},
		{"1", "", "no minor version"},
		{"latest", "", "no version"},
	} {
		got, err := Builtin(c.name)
		if c.want == "" {
			if !errors.Is(err, ErrUnknownVersion) || !strings.Contains(err.Error(), "1.36") {
				t.Errorf("%q (%s): error %v, want ErrUnknownVersion with the known ones", c.name, c.reason, err)
			}
		} else if err != nil || got.Version() != c.want {
			t.Errorf("%q (%s): %v, %v", c.name, c.reason, got, err)
		}
	}
}

// TestCatalogSize bounds the size of the catalog, which every program and the page embed.
func TestCatalogSize(t *testing.T) {
	if n := len(catalogData()); n > 400<<10 {
		t.Errorf("the catalog has %d bytes", n)
	}
}

// TestEveryKind decodes every kind of every version and checks the invariants of types.
func TestEveryKind(t *testing.T) {
	for _, v := range Versions() {
		c := builtin(t, v)
		w := typeWalk{t: t, seen: map[*Type]bool{}}
		n := 0
		last := GroupVersionKind{}
		for k := range c.Kinds() {
			n++
			if n > 1 && !last.less(k.GroupVersionKind) {
				t.Errorf("%s: %v follows %v", v, k, last)
			}
			last = k.GroupVersionKind
			if !k.Builtin || k.Type().Map == nil {
				t.Errorf("%s: %v is not built in, or no object", v, k.GroupVersionKind)
			}
			if k.Resource != "" {
				if got, ok := c.Resource(k.Group, k.Version, k.Resource); !ok || got != k {
					t.Errorf("%s: resource %s leads to %v", v, k.Resource, got)
				}
				if k.ListKind != k.Kind+"List" || k.Singular == "" || len(k.Verbs) == 0 {
					t.Errorf("%s: %v has singular %q, list kind %q, verbs %v", v, k.GroupVersionKind, k.Singular, k.ListKind, k.Verbs)
				}
			}
			w.walk(k.Kind, k.Type())
		}
		if n < 80 || len(w.seen) < 700 {
			t.Errorf("%s: only %d kinds and %d types", v, n, len(w.seen))
		}
	}
}

type typeWalk struct {
	t    *testing.T
	seen map[*Type]bool
}

func (w *typeWalk) walk(path string, typ *Type) {
	if typ == nil {
		w.t.Errorf("%s has no type", path)
		return
	}
	if w.seen[typ] {
		return
	}
	w.seen[typ] = true
	if typ.Scalar == NoScalar && typ.List == nil && typ.Map == nil {
		w.t.Errorf("%s allows no value", path)
	}
	if l := typ.List; l != nil {
		if (l.Kind == KeyedList) != (len(l.Keys) > 0) {
			w.t.Errorf("%s is a list of kind %d with keys %v", path, l.Kind, l.Keys)
		}
		for _, k := range l.Keys {
			if l.Elem.Map.Field(k.Name) == nil {
				w.t.Errorf("%s: key %s is not a field of the items", path, k.Name)
			}
		}
		w.walk(path+"[]", l.Elem)
	}
	if m := typ.Map; m != nil {
		for i := range m.Fields {
			f := &m.Fields[i]
			if i > 0 && m.Fields[i-1].Name >= f.Name {
				w.t.Errorf("%s: %s is out of order", path, f.Name)
			}
			if f.MergeKey != "" && (f.Type.List == nil || f.Type.List.Elem.Map.Field(f.MergeKey) == nil) {
				w.t.Errorf("%s.%s: merge key %s is not a field of the items", path, f.Name, f.MergeKey)
			}
			w.walk(path+"."+f.Name, f.Type)
		}
		for _, r := range m.Required {
			if m.Field(r) == nil {
				w.t.Errorf("%s: %s is required and no field", path, r)
			}
		}
		if m.Elem != nil {
			w.walk(path+"[*]", m.Elem)
		}
	}
}

// TestKindDecodesOnlyItsTypes: resolving a kind decodes its own types, not the whole catalog.
func TestKindDecodesOnlyItsTypes(t *testing.T) {
	all := builtin(t, "1.36")
	for _, c := range []struct {
		group, version, kind string
		most                 int
	}{
		{"", "v1", "ConfigMap", 20},
		{"apps", "v1", "Deployment", 180},
	} {
		fresh := &Catalog{archive: all.archive, column: all.column, types: make([]*Type, len(all.types))}
		n, ok := all.archive.named(kindOf(t, all, c.group, c.version, c.kind).Type().Name)
		if !ok {
			t.Fatalf("%s has no name in the catalog", c.kind)
		}
		fresh.closure(n + 3)
		decoded := 0
		for _, typ := range fresh.types {
			if typ != nil {
				decoded++
			}
		}
		if decoded == 0 || decoded > c.most {
			t.Errorf("%s decoded %d types, want at most %d", c.kind, decoded, c.most)
		}
	}
}

// TestConcurrentKinds resolves the same kinds in many goroutines. With -race it checks that
// types are published only when complete.
func TestConcurrentKinds(t *testing.T) {
	all := builtin(t, "1.35")
	c := &Catalog{archive: all.archive, column: all.column, kindNumbers: all.kindNumbers}
	c.ready()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for k := range c.Kinds() {
				if typ := k.Type(); typ.Map == nil || len(typ.Map.Fields) == 0 {
					t.Errorf("%v has no fields", k.GroupVersionKind)
				}
			}
		})
	}
	group.Wait()
}

func TestKindsHaveTheirDiscoveryProperties(t *testing.T) {
	c := builtin(t, "1.36")
	deployment := kindOf(t, c, "apps", "v1", "Deployment")
	if deployment.Resource != "deployments" || deployment.Singular != "deployment" || !deployment.Namespaced ||
		!slices.Equal(deployment.ShortNames, []string{"deploy"}) || !slices.Equal(deployment.Categories, []string{"all"}) {
		t.Errorf("Deployment's names are %+v", deployment)
	}
	if !deployment.Status || deployment.Scale == nil || deployment.Scale.SpecReplicasPath != ".spec.replicas" {
		t.Errorf("Deployment has status %v and scale %v", deployment.Status, deployment.Scale)
	}
	if s, ok := deployment.Subresource("scale"); !ok || s.Kind != (GroupVersionKind{"autoscaling", "v1", "Scale"}) {
		t.Errorf("Deployment's scale carries %v", s)
	}
	pod := kindOf(t, c, "", "v1", "Pod")
	if s, ok := pod.Subresource("eviction"); !ok || s.Kind != (GroupVersionKind{"policy", "v1", "Eviction"}) || !slices.Equal(s.Verbs, []string{"create"}) {
		t.Errorf("Pod's eviction is %v", s)
	}
	if pod.Scale != nil {
		t.Error("Pod has a scale")
	}
	if kindOf(t, c, "", "v1", "Node").Namespaced {
		t.Error("Node is namespaced")
	}
	if e := kindOf(t, c, "policy", "v1", "Eviction"); e.Resource != "" {
		t.Errorf("Eviction, which only a subresource takes, is the resource %q", e.Resource)
	}
	if configMap := kindOf(t, c, "", "v1", "ConfigMap"); configMap.Status || len(configMap.Subresources) > 0 {
		t.Errorf("ConfigMap has the subresources %v", configMap.Subresources)
	}
	if !kindOf(t, c, "storagemigration.k8s.io", "v1beta1", "StorageVersionMigration").OffByDefault || deployment.OffByDefault {
		t.Error("a beta version is served by default, or a stable one is not")
	}
	if g := c.Groups(); g[0] != "" || g[1] != "apiregistration.k8s.io" || !slices.Contains(g, "apps") {
		t.Errorf("groups are %v", g)
	}
	if v := c.Preferred("autoscaling"); !slices.Equal(v, []string{"v2", "v1"}) {
		t.Errorf("autoscaling's versions are %v", v)
	}
	if v := c.Preferred("nowhere"); v != nil {
		t.Errorf("an unknown group has versions %v", v)
	}
}

func TestVersionsHaveTheirOwnKindsAndFields(t *testing.T) {
	old, now := builtin(t, "1.30"), builtin(t, "1.36")
	if _, ok := old.Kind(GroupVersionKind{"resource.k8s.io", "v1", "ResourceClaim"}); ok {
		t.Error("1.30 has resource.k8s.io/v1, which came with 1.34")
	}
	kindOf(t, now, "resource.k8s.io", "v1", "ResourceClaim")
	pod := func(c *Catalog) *Type { return typeAt(t, kindOf(t, c, "", "v1", "Pod").Type(), "spec") }
	if pod(old).Map.Field("resources") != nil {
		t.Error("1.30's Pod has resources, which came with 1.32")
	}
	if pod(now).Map.Field("resources") == nil {
		t.Error("1.36's Pod has no resources")
	}
}

func TestNamedFindsTypesByOpenAPIName(t *testing.T) {
	c := builtin(t, "")
	meta, ok := c.Named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	if !ok || meta != typeAt(t, kindOf(t, c, "", "v1", "Pod").Type(), "metadata") {
		t.Error("ObjectMeta is not the type of a Pod's metadata")
	}
	for _, name := range []string{"", "ObjectMeta", "io.k8s.api.core.v1.Nothing"} {
		if typ, ok := c.Named(name); ok {
			t.Errorf("%q names %v", name, typ)
		}
	}
}
