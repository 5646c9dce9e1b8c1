package schema

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestRegistryFindsKinds(t *testing.T) {
	r := NewRegistry(builtin(t, ""))
	r.AddCRD(readCRD(t, "widgets"))
	r.AddCRD(readCRD(t, "plains"))

	for _, c := range []struct{ object, want, reason string }{
		{"{apiVersion: v1, kind: ConfigMap}", "v1, Kind=ConfigMap", "core, built in"},
		{"{apiVersion: lab.example.com/v1beta1, kind: Widget}", "lab.example.com/v1beta1, Kind=Widget", "a CRD's kind"},
		{"{apiVersion: lab.example.com/v2, kind: Widget}", "", "a version that is not served"},
		{"{apiVersion: a/b/c, kind: Widget}", "", "no apiVersion"},
		{"{kind: ConfigMap}", "", "without a version"},
		{"{apiVersion: v1}", "", "without a kind"},
		{"[]", "", "not an object"},
	} {
		k, ok := r.Of(parse(t, c.object))
		if ok != (c.want != "") || ok && k.String() != c.want {
			t.Errorf("%s (%s): %v", c.object, c.reason, k)
		}
	}
	if k, ok := r.Resource("lab.example.com", "v1", "widgets"); !ok || k.Kind != "Widget" {
		t.Errorf("widgets lead to %v", k)
	}
	if k, ok := r.Resource("apps", "v1", "deployments"); !ok || k.Kind != "Deployment" {
		t.Errorf("deployments lead to %v", k)
	}
	var served []string
	for _, group := range [][2]string{{"lab.example.com", "Widget"}, {"autoscaling", "HorizontalPodAutoscaler"}, {"x", "Y"}} {
		for _, k := range r.Served(group[0], group[1]) {
			served = append(served, k.Version)
		}
	}
	if !slices.Equal(served, []string{"v1", "v1beta1", "v2", "v1"}) {
		t.Errorf("served versions are %v", served)
	}
	if !r.RemoveCRD("widgets.lab.example.com") || r.RemoveCRD("widgets.lab.example.com") {
		t.Error("a CRD is taken out once")
	}
	if _, ok := r.Kind(GroupVersionKind{"lab.example.com", "v1", "Widget"}); ok {
		t.Error("a kind outlives its CRD")
	}
	if crd, ok := r.CRD("plains.lab.example.com"); !ok || crd.Plural != "plains" {
		t.Errorf("another CRD is %v, %v", crd, ok)
	}
}

// TestRegistryOrder: a kind from a cluster's OpenAPI takes precedence over the built-in
// one, and that of a CRD over both.
func TestRegistryOrder(t *testing.T) {
	r := NewRegistry(builtin(t, ""))
	gvk := GroupVersionKind{"apps", "v1", "Deployment"}
	n := 0
	for range r.Kinds() {
		n++
	}
	own := NewKind(gvk, Deduced())
	r.Add(own)
	if k, _ := r.Kind(gvk); k != own {
		t.Error("the built-in kind hides an added one")
	}
	var all []*Kind
	for k := range r.Kinds() {
		all = append(all, k)
	}
	if len(all) != n || !slices.Contains(all, own) || !slices.IsSortedFunc(all, func(a, b *Kind) int {
		if a.less(b.GroupVersionKind) {
			return -1
		}
		return 1
	}) {
		t.Errorf("%d kinds of %d, or out of order", len(all), n)
	}
	empty := NewRegistry(nil)
	if _, ok := empty.Kind(gvk); ok || empty.Catalog() != nil {
		t.Error("a registry without a catalog returned a kind")
	}
}

// TestRegistryWithoutCatalog: the zero Registry and that over a nil Catalog are empty registries to
// which kinds can be added, and what is nil adds nothing.
func TestRegistryWithoutCatalog(t *testing.T) {
	crd := readCRD(t, "widgets")
	gvk := GroupVersionKind{"lab.example.com", "v1", "Gadget"}
	for name, r := range map[string]*Registry{"zero": {}, "nil catalog": NewRegistry(nil)} {
		r.AddCRD(nil)
		r.Add(nil)
		r.LeaveOff()
		for k := range r.Kinds() {
			t.Errorf("%s: an empty registry has %v", name, k.GroupVersionKind)
		}
		r.AddCRD(crd)
		r.Add(NewKind(gvk, Deduced()))
		if _, ok := r.Kind(gvk); !ok || len(r.Served("lab.example.com", "Widget")) == 0 {
			t.Errorf("%s: added kinds are missing", name)
		}
		if !r.RemoveCRD(crd.Name) {
			t.Errorf("%s: the CRD is missing", name)
		}
	}
}

// TestNilCatalog: a nil Catalog has no kinds and counts as the default version.
func TestNilCatalog(t *testing.T) {
	var c *Catalog
	if c.Version() != DefaultVersion || !c.Since(DefaultVersion) || c.Since("1.99") {
		t.Errorf("a nil Catalog counts as %s", c.Version())
	}
	_, kind := c.Kind(GroupVersionKind{"", "v1", "Pod"})
	_, resource := c.Resource("", "v1", "pods")
	_, named := c.Named(objectMetaName)
	if kind || resource || named || len(c.Groups()) > 0 || c.Preferred("apps") != nil {
		t.Error("a nil Catalog has kinds")
	}
	for k := range c.Kinds() {
		t.Errorf("a nil Catalog has %v", k.GroupVersionKind)
	}
}

func TestRegistryConcurrently(t *testing.T) {
	r := NewRegistry(builtin(t, ""))
	crd := readCRD(t, "widgets")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 50 {
				r.AddCRD(crd)
				r.RemoveCRD(crd.Name)
			}
		})
		group.Go(func() {
			for range 50 {
				if k, ok := r.Kind(GroupVersionKind{"lab.example.com", "v1", "Widget"}); ok && k.Type().Map == nil {
					t.Error("half a kind")
				}
				r.Served("apps", "Deployment")
			}
		})
	}
	group.Wait()
}

func TestVersionBefore(t *testing.T) {
	// The version order documented for CustomResourceDefinitions.
	want := []string{"v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v01beta1", "v1beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"}
	for i := range want {
		for j := range want {
			if got := VersionBefore(want[i], want[j]); got != (i < j) {
				t.Errorf("%s before %s: %v", want[i], want[j], got)
			}
		}
	}
	for _, odd := range []string{"", "v", "vv1", "v1beta", "v1gamma1", "v-1", "1", "v1beta1alpha1"} {
		if VersionBefore(odd, "v1alpha1") {
			t.Errorf("%q counts as a version", odd)
		}
	}
}

func TestIsPrerelease(t *testing.T) {
	for version, want := range map[string]bool{
		"v1alpha1": true, "v2beta10": true,
		"v1": false, "v1beta": false, "v1alphabeta2": false, "1beta1": false, "beta1": false, "": false,
	} {
		if got := IsPrerelease(version); got != want {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"replicas", "selector", "template", "strategy", "paused", "image", "imagePullPolicy"}
	for _, c := range []struct{ name, want, reason string }{
		{"replica", "replicas", "a letter missing"},
		{"replicass", "replicas", "a letter too many"},
		{"repilcas", "replicas", "two swapped"},
		{"Replicas", "replicas", "case alone"},
		{"imagepullpolicy", "imagePullPolicy", "a capital letter in the middle"},
		{"templates", "template", "a plural"},
		{"xyz", "", "no similar name"},
		{"", "", "an empty name"},
		{"st", "", "two letters do not match a word"},
	} {
		if got := Nearest(c.name, slices.Values(names)); got != c.want {
			t.Errorf("%q (%s): %q, want %q", c.name, c.reason, got, c.want)
		}
	}
}

func TestSplitAPIVersion(t *testing.T) {
	for _, c := range []struct {
		text, group, version string
		ok                   bool
	}{
		{"v1", "", "v1", true}, {"apps/v1", "apps", "v1", true}, {"", "", "", true}, {"a/b/c", "a", "b/c", false},
	} {
		g, v, ok := SplitAPIVersion(c.text)
		if ok != c.ok || ok && (g != c.group || v != c.version || APIVersion(g, v) != c.text) {
			t.Errorf("%q is %q, %q, %v", c.text, g, v, ok)
		}
	}
}

func TestCanonicalAPIVersion(t *testing.T) {
	for text, want := range map[string]string{
		"/v1": "v1", "v1": "v1", "/": "", "": "", "apps/v1": "apps/v1", "apps/": "apps/", "//v1": "//v1",
	} {
		if got := CanonicalAPIVersion(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestBuiltinGroupsHaveNoCustomResources adds CRDs in groups with and without built-in kinds.
func TestBuiltinGroupsHaveNoCustomResources(t *testing.T) {
	catalog, err := Builtin("1.36")
	if err != nil {
		t.Fatal(err)
	}
	r := NewRegistry(catalog)
	r.LeaveOff()
	for _, c := range []struct {
		group, kind string
		custom      bool
	}{
		{"rbac.authorization.k8s.io", "ClusterRole", false},
		{"rbac.authorization.k8s.io", "Thing", false},
		{"gateway.networking.k8s.io", "Gateway", true},
		{"internal.apiserver.k8s.io", "StorageVersion", true}, // all kinds of this group are off
	} {
		resource := strings.ToLower(c.kind) + "s"
		custom := &Kind{GroupVersionKind: GroupVersionKind{c.group, "v1", c.kind}, Resource: resource}
		r.AddCRD(&CRD{Name: resource + "." + c.group, Kinds: []*Kind{custom}})
		k, ok := r.Kind(custom.GroupVersionKind)
		if (k == custom) != c.custom || !c.custom && ok && !k.Builtin {
			t.Errorf("%s in %s: custom %v, want %v", c.kind, c.group, k == custom, c.custom)
		}
		if k, ok = r.Resource(c.group, "v1", resource); (k == custom) != c.custom || !c.custom && ok && !k.Builtin {
			t.Errorf("%s in %s: custom %v, want %v", resource, c.group, k == custom, c.custom)
		}
	}
}
