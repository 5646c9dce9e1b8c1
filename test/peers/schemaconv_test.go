package peers

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// releases are the Kubernetes releases in the catalog (schema/internal/gencatalog).
var releases = []string{"1.30.14", "1.31.14", "1.32.13", "1.33.13", "1.34.4", "1.35.4", "1.36.3", "1.37.2"}

// kubernetesDir returns the folder of the module k8s.io/kubernetes at a release. The
// module (30 MB) is downloaded only if PATCHLAB_DOWNLOAD is set.
func kubernetesDir(t *testing.T, release string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes@v"+release)
	cmd.Dir = t.TempDir()
	cmd.Env = os.Environ()
	if os.Getenv("PATCHLAB_DOWNLOAD") == "" {
		cmd.Env = append(cmd.Env, "GOPROXY=off", "GOFLAGS=-mod=mod")
	}
	out, _ := cmd.Output()
	var m struct{ Dir string }
	if json.Unmarshal(out, &m) != nil || m.Dir == "" {
		t.Skipf("k8s.io/kubernetes v%s is not in the module cache; set PATCHLAB_DOWNLOAD=1 to get it", release)
	}
	return m.Dir
}

func models(t *testing.T, dir string) map[string]*spec.Schema {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "api/openapi-spec/v3/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in %s: %v", dir, err)
	}
	all := map[string]*spec.Schema{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Components struct {
				Schemas map[string]*spec.Schema `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for name, s := range doc.Components.Schemas {
			all[name] = s
		}
	}
	return all
}

// TestCatalogAgreesWithSchemaconv compares the type of every kind of every release with the one
// that kube-apiserver's field manager derives from that release's OpenAPI documents. It
// compares only the properties that structured-merge-diff uses.
func TestCatalogAgreesWithSchemaconv(t *testing.T) {
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			want, err := schemaconv.ToSchemaFromOpenAPI(models(t, kubernetesDir(t, release)), false)
			if err != nil {
				t.Fatal(err)
			}
			catalog, err := schema.Builtin(release)
			if err != nil {
				t.Fatal(err)
			}
			c := newTypeComparison(t, want)
			kinds := 0
			for k := range catalog.Kinds() {
				kinds++
				name := k.Type().Name
				c.compare(k.GroupVersionKind.String(), k.Type(), smd.TypeRef{NamedType: &name})
			}
			t.Logf("%d kinds, %d types compared", kinds, len(c.seen))
			if kinds < 80 || len(c.seen) < 500 {
				t.Errorf("only %d kinds and %d types were compared", kinds, len(c.seen))
			}
		})
	}
}

// typeComparison walks patchlab's and structured-merge-diff's types in parallel.
type typeComparison struct {
	t      *testing.T
	schema *smd.Schema
	seen   map[string]bool
	errors int
}

func newTypeComparison(t *testing.T, s *smd.Schema) *typeComparison {
	return &typeComparison{t: t, schema: s, seen: map[string]bool{}}
}

func (c *typeComparison) differ(path, format string, args ...any) {
	if c.errors++; c.errors <= 20 {
		c.t.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
	}
}

func (c *typeComparison) compare(path string, ours *schema.Type, ref smd.TypeRef) {
	if ours == nil {
		c.differ(path, "patchlab has no type, structured-merge-diff has one")
		return
	}
	key := fmt.Sprintf("%p", ours)
	if ref.NamedType != nil {
		key += *ref.NamedType
		if ref.ElementRelationship != nil {
			key += string(*ref.ElementRelationship)
		}
		if c.seen[key] {
			return
		}
	}
	c.seen[key] = true
	atom, ok := c.schema.Resolve(ref)
	if !ok {
		c.differ(path, "structured merge does not resolve %+v", ref)
		return
	}
	if got, want := scalarOf(ours), scalarName(atom.Scalar); got != want {
		c.differ(path, "scalar %q, want %q", got, want)
	}
	if (ours.List != nil) != (atom.List != nil) || (ours.Map != nil) != (atom.Map != nil) {
		c.differ(path, "list %v, map %v; want %v, %v", ours.List != nil, ours.Map != nil, atom.List != nil, atom.Map != nil)
		return
	}
	if atom.List != nil {
		c.list(path, ours.List, atom.List)
	}
	if atom.Map != nil {
		c.object(path, ours.Map, atom.Map)
	}
}

func scalarName(s *smd.Scalar) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// scalarOf returns structured-merge-diff's name for the scalars that a type accepts.
func scalarOf(t *schema.Type) string {
	s, n, b := t.TakesScalar(document.String), t.TakesScalar(document.Number), t.TakesScalar(document.Bool)
	switch {
	case s && n && b:
		return "untyped"
	case s && !n && !b:
		return "string"
	case n && !s && !b:
		return "numeric"
	case b && !s && !n:
		return "boolean"
	case !s && !n && !b:
		return ""
	}
	return "some, not all"
}

func (c *typeComparison) list(path string, ours *schema.ListType, want *smd.List) {
	kind := "atomic"
	if want.ElementRelationship == smd.Associative {
		kind = "set"
		if len(want.Keys) > 0 {
			kind = "map"
		}
	}
	if got := [...]string{"atomic", "set", "map"}[ours.Kind]; got != kind {
		c.differ(path, "list is %s, want %s", got, kind)
	}
	keys := append([]string(nil), want.Keys...)
	sort.Strings(keys)
	var got []string
	for _, k := range ours.Keys {
		got = append(got, k.Name)
		if d := c.keyDefault(want, k.Name); d != k.Default {
			c.differ(path, "default of key %s is %q, want %q", k.Name, k.Default, d)
		}
	}
	if strings.Join(got, ",") != strings.Join(keys, ",") {
		c.differ(path, "keys %v, want %v", got, keys)
	}
	c.compare(path+"[]", ours.Elem, want.ElementType)
}

func (c *typeComparison) keyDefault(list *smd.List, key string) string {
	atom, ok := c.schema.Resolve(list.ElementType)
	if !ok || atom.Map == nil {
		return ""
	}
	f, ok := atom.Map.FindField(key)
	if !ok || f.Default == nil {
		return ""
	}
	text, err := json.Marshal(f.Default)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

func (c *typeComparison) object(path string, ours *schema.MapType, want *smd.Map) {
	if got := want.ElementRelationship == smd.Atomic; got != ours.Atomic {
		c.differ(path, "atomic %v, want %v", ours.Atomic, got)
	}
	for i := range ours.Fields {
		f := &ours.Fields[i]
		if i > 0 && ours.Fields[i-1].Name >= f.Name {
			c.differ(path, "fields out of order: %s", f.Name)
		}
		wanted, ok := want.FindField(f.Name)
		if !ok {
			c.differ(path, "field %s is ours alone", f.Name)
			continue
		}
		c.compare(path+"."+f.Name, f.Type, wanted.Type)
	}
	for _, f := range want.Fields {
		if ours.Field(f.Name) == nil {
			c.differ(path, "field %s is missing", f.Name)
		}
	}
	none := smd.TypeRef{}
	switch {
	case want.ElementType.NamedType == nil && want.ElementType.Inlined == none.Inlined:
		if ours.Elem != nil {
			c.differ(path, "takes other members, want none")
		}
	case ours.Elem == nil:
		c.differ(path, "takes no other members, want some")
	default:
		c.compare(path+"[*]", ours.Elem, want.ElementType)
	}
}
