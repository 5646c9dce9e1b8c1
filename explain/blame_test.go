package explain_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// TestEveryRecordedOwnedFieldHasALine looks up the line of every field in recorded
// managedFields. The object must lack a field without a line, and the owners of the line
// must equal those in the entries.
func TestEveryRecordedOwnedFieldHasALine(t *testing.T) {
	cases, err := conformance.ReadAll("../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	registry := recordedPipeline(t).Kinds()
	objects, located, absent := 0, 0, 0
	for _, c := range cases {
		for i, step := range c.Steps {
			body, err := json.Marshal(step.Response.Body)
			if err != nil {
				t.Fatal(err)
			}
			d, err := document.Parse(body, document.Options{})
			if err != nil {
				t.Fatal(err)
			}
			kind, ok := registry.Of(d.Root)
			if !ok || !d.Root.Lookup("metadata", "managedFields").Exists() {
				continue
			}
			o := fieldmanager.Object{Value: d.Root.Remove("metadata", "managedFields")}
			var entries document.ListBuilder
			for _, e := range d.Root.Lookup("metadata", "managedFields").Items() {
				entries.Append(e.Without("time")) // recordings have placeholders for times
			}
			if o.Managed, err = fieldmanager.DecodeManaged(entries.List()); err != nil {
				t.Fatalf("%s step %d: %v", c.Name, i, err)
			}
			m, err := fieldmanager.For(registry, kind, "")
			if err != nil {
				t.Fatal(err)
			}
			objects++
			lines := explain.Lines(kind.Type(), o)
			for _, f := range explain.OwnedFields(o, lines) {
				if f.Line < 0 {
					absent++
					if _, err := m.FieldPath(o.Value, f.Path); err == nil {
						t.Errorf("%s step %d: %s is in the object and has no line", c.Name, i, f.Path)
					}
					continue
				}
				located++
				l := lines[f.Line]
				rounded := strings.Contains(c.Name, "integer") // beyond 2^53, where the entries have another number
				if len(l.Path) == len(f.Path) && !slices.Equal(l.Owners, f.Owners) || !l.Path.HasPrefix(f.Path) && !rounded {
					t.Errorf("%s step %d: the line %q of %s shows the owners %v of %s, want %v", c.Name, i, l.Text, l.Path, l.Owners, f.Path, f.Owners)
				}
			}
		}
	}
	t.Logf("%d objects: %d owned fields have a line, %d are not in the object", objects, located, absent)
	if objects < 5000 || located < 50000 || absent > located/50 {
		t.Error("that is too few objects or fields with a line")
	}
}
