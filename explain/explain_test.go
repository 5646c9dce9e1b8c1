package explain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/schema"
)

func kinds(t testing.TB) *schema.Registry {
	t.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	r := schema.NewRegistry(catalog)
	files, err := filepath.Glob("../testdata/crds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no custom resources: %v", err)
	}
	for _, name := range files {
		crd, err := schema.FromCRD(read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		r.AddCRD(crd)
	}
	return r
}

func read(t testing.TB, name string) document.Value {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.ParseYAML(data, document.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

func deployment(t *testing.T) (*schema.Type, fieldmanager.Object) {
	t.Helper()
	v := read(t, "../testdata/quickstart/live.yaml")
	kind, ok := kinds(t).Of(v)
	if !ok {
		t.Fatal("there is no Deployment")
	}
	o, err := fieldmanager.Split(v)
	if err != nil {
		t.Fatal(err)
	}
	return kind.Type(), o
}

func TestLinesHaveOwners(t *testing.T) {
	typ, o := deployment(t)
	all := allOwners(o.Managed)
	got := map[string][]string{}
	for _, l := range Lines(typ, o) {
		for _, i := range l.Owners {
			got[strings.TrimSpace(l.Text)] = append(got[strings.TrimSpace(l.Text)], strings.TrimSuffix(all[i].Manager+"/"+all[i].Subresource, "/"))
		}
	}
	for _, c := range []struct {
		line string
		want []string
		why  string
	}{
		{"replicas: 6", []string{"autoscaler/scale"}, "owned through a subresource"},
		{"image: shop/web:1.4.0", []string{"gitops"}, "a field of an item of a keyed list"},
		{"memory: 512Mi", []string{"rightsizer"}, "another manager's field in the same item"},
		{"- env:", []string{"gitops", "gitops"}, "an item and its first member share a line; only fields below env have an owner"},
		{"revisionHistoryLimit: 10", nil, "a default has no owner"},
		{"matchLabels:", []string{"gitops"}, "a field below an atomic one has its owner"},
		{"dnsPolicy: ClusterFirst", nil, "another default"},
	} {
		want := c.want
		if c.line == "- env:" {
			want = nil // the items of the env list have owners, not the list itself
		}
		if !reflect.DeepEqual(got[c.line], want) {
			t.Errorf("%q (%s) is owned by %q, want %q", c.line, c.why, got[c.line], want)
		}
	}
}

// TestLinesEqualYAML compares the lines of every recorded object with its YAML.
func TestLinesEqualYAML(t *testing.T) {
	r := kinds(t)
	cases, err := conformance.ReadAll("../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	objects := 0
	for _, c := range cases {
		body, err := json.Marshal(c.Steps[len(c.Steps)-1].Response.Body)
		if err != nil {
			t.Fatal(err)
		}
		d, err := document.Parse(body, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kind, ok := r.Of(d.Root)
		if !ok || d.Root.Get("items").Exists() {
			continue
		}
		objects++
		o := fieldmanager.Object{Value: d.Root.Remove("metadata", "managedFields")}
		var text []string
		for _, l := range Lines(kind.Type(), o) {
			text = append(text, l.Text)
		}
		if got, want := strings.Join(text, "\n")+"\n", string(o.Value.YAML()); got != want {
			t.Fatalf("%s: the lines are\n%s\nthe YAML is\n%s", c.Name, got, want)
		}
	}
	if objects < 500 {
		t.Errorf("only %d objects were looked at", objects)
	}
}

func TestWaysOutOfAConflictInAList(t *testing.T) {
	typ, _ := deployment(t)
	config := read(t, "../testdata/quickstart/new-image.yaml")
	path, err := document.ParsePath(`.spec.template.spec.containers[name="web"].image`)
	if err != nil {
		t.Fatal(err)
	}
	live := document.NewString("shop/web:1.4.0")
	ways := Ways(fieldmanager.Conflict{Owner: fieldmanager.Owner{Manager: "x"}, Path: path, Live: live})
	names := []string{ways[0].Name, ways[1].Name, ways[2].Name}
	if !slices.Equal(names, []string{"force", "drop", "adopt"}) || !ways[0].Force || !document.SameNode(ways[0].Config(typ, config), config) {
		t.Errorf("ways %q, forced %v", names, ways[0].Force)
	}
	container := func(v document.Value) document.Value {
		return v.Lookup("spec", "template", "spec", "containers").At(0)
	}
	if c := container(ways[1].Config(typ, config)); c.Get("image").Exists() || c.Get("name").StringOr("") != "web" {
		t.Errorf("dropped: %v", c)
	}
	if c := container(ways[2].Config(typ, config)); !document.Equal(c.Get("image"), live) {
		t.Errorf("adopted: %v", c)
	}
	if !container(config).Get("image").Exists() {
		t.Error("the configuration itself was changed")
	}
	nowhere := document.Keys("spec", "nothing")
	if got := Drop(typ, config, nowhere); !document.Equal(got, config) {
		t.Errorf("a path that leads nowhere changed the configuration to %v", got)
	}
}

func TestChangesReportValuesAndOwners(t *testing.T) {
	typ, before := deployment(t)
	after := before
	after.Value = after.Value.Set(document.NewInt(2), "spec", "replicas").Set(document.NewBool(true), "spec", "paused").Remove("spec", "minReadySeconds")
	after.Value = after.Value.Remove("metadata", "labels", "app")
	got := map[string]Effect{}
	for _, c := range Changes(typ, before, after) {
		got[c.Path.String()] = c.Effect
	}
	want := map[string]Effect{".spec.replicas": Set, ".spec.paused": Set, ".metadata.labels.app": Removed, ".metadata.labels": Set}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
	if c := Changes(typ, before, before); c != nil {
		t.Errorf("changes of nothing: %v", c)
	}
}

// TestLinesOfNothing: an absent object has no lines, which are an empty list as JSON.
func TestLinesOfNothing(t *testing.T) {
	for _, lines := range [][]Line{Lines(nil, fieldmanager.Object{}), LinesAfter(nil, fieldmanager.Object{}, fieldmanager.Object{}, nil)} {
		if text, err := json.Marshal(lines); err != nil || string(text) != "[]" {
			t.Errorf("%s, %v", text, err)
		}
	}
	if lines := Lines(nil, fieldmanager.Object{Value: document.NewNull()}); len(lines) != 1 || lines[0].Text != "null" {
		t.Errorf("null has the lines %v", lines)
	}
}
