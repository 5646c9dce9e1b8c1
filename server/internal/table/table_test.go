package table

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

func parse(t testing.TB, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), document.Options{MaxBytes: -1})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d.Root
}

// TestBuiltinTablesAreThoseOfTheAPIServer compares every column and cell with the
// tables recorded from kube-apiserver.
func TestBuiltinTablesAreThoseOfTheAPIServer(t *testing.T) {
	rows := 0
	for _, name := range []string{"tables.jsonl", "more.jsonl"} {
		rows += compareTables(t, filepath.Join("testdata", name), "1.36")
	}
	rows += compareTables(t, filepath.Join("testdata", "tables-1.37.jsonl"), "1.37")
	if rows < 200 {
		t.Errorf("only %d rows were compared", rows)
	}
}

// recordedKind returns the kind in a version of Kubernetes of a recorded table.
func recordedKind(t *testing.T, version string, recorded document.Value) *schema.Kind {
	t.Helper()
	builtin, err := schema.Builtin(version)
	if err != nil {
		t.Fatal(err)
	}
	group, apiVersion, resource := recorded.Get("group").StringOr(""), recorded.Get("version").StringOr(""), recorded.Get("resource").StringOr("")
	kind, ok := builtin.Resource(group, apiVersion, resource)
	if !ok {
		t.Fatalf("Kubernetes %s has no %s in %s/%s", version, resource, group, apiVersion)
	}
	return kind
}

// compareTables compares the recorded tables of a file, and returns the number of rows.
func compareTables(t *testing.T, name, version string) (rows int) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		want := parse(t, lines.Text())
		kind := recordedKind(t, version, want)
		now, err := time.Parse(time.RFC3339, want.Get("now").StringOr(""))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(kind.Version+"/"+kind.Resource, func(t *testing.T) {
			columns := Of(kind, "")
			checkColumns(t, columns, want.Get("columns"))
			for _, row := range want.Get("rows").Items() {
				rows++
				checkRow(t, columns, row, now)
				if got, want := Conditions(kind, row.Get("object")), row.Get("conditions"); !document.Equal(got, want) {
					t.Errorf("%s has the conditions %s, want %s", row.Lookup("object", "metadata", "name"), got, want)
				}
			}
		})
	}
	return rows
}

func checkColumns(t *testing.T, got []Column, want document.Value) {
	t.Helper()
	var a, b []string
	for _, c := range got {
		if c.Name == "" {
			continue
		}
		a = append(a, fmt.Sprintf("%s:%s:%s:%d", c.Name, c.Type, c.Format, c.Priority))
	}
	for _, c := range want.Items() {
		priority, _ := c.Get("priority").Int()
		b = append(b, fmt.Sprintf("%s:%s:%s:%d", c.Get("name").StringOr(""), c.Get("type").StringOr(""), c.Get("format").StringOr(""), priority))
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Fatalf("columns:\n got %v\nwant %v", a, b)
	}
}

// TestColumnsOfAllKinds compares the columns of every built-in kind, with their descriptions, with those of
// empty tables recorded from kube-apiserver.
func TestColumnsOfAllKinds(t *testing.T) {
	compareColumns(t, "columns.jsonl.gz", "1.36", 61)
	compareColumns(t, "columns-1.37.jsonl.gz", "1.37", 65)
}

func compareColumns(t *testing.T, name, version string, count int) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	for lines := bufio.NewScanner(unzipped); lines.Scan(); kinds++ {
		want := parse(t, lines.Text())
		kind := recordedKind(t, version, want)
		t.Run(kind.APIVersion()+"/"+kind.Resource, func(t *testing.T) {
			columns := Of(kind, "")
			checkColumns(t, columns, want.Get("columns"))
			checkDescriptions(t, columns, want.Get("columns"))
		})
	}
	if kinds != count {
		t.Errorf("%s: %d kinds were compared, want %d", name, kinds, count)
	}
}

// checkDescriptions compares the descriptions of columns, whose names have been compared.
func checkDescriptions(t *testing.T, columns []Column, want document.Value) {
	t.Helper()
	columns = slices.DeleteFunc(columns, func(c Column) bool { return c.Name == "" })
	for i, c := range columns {
		if want := want.At(i).Get("description").StringOr(""); c.Description != want {
			t.Errorf("column %s is described as %q, want %q", c.Name, c.Description, want)
		}
	}
}

func checkRow(t *testing.T, columns []Column, row document.Value, now time.Time) {
	t.Helper()
	object := Object{Value: row.Get("object"), Now: now}
	for i, c := range columns {
		if c.Name == "Age" || c.Name == "" {
			continue // an age, relative to a time that was not recorded exactly
		}
		if got, want := c.Cell(object), row.Get("cells").At(i); !document.Equal(got, want) {
			t.Errorf("%s, column %s: got %s, want %s", object.text("metadata", "name"), c.Name, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	day := 24 * time.Hour
	for want, d := range map[string]time.Duration{
		"<invalid>": -2 * time.Second, "0s": -time.Second, "119s": 119 * time.Second, "2m": 2 * time.Minute, "9m59s": 10*time.Minute - 1,
		"10m": 10 * time.Minute, "179m": 3*time.Hour - 1, "3h": 3 * time.Hour, "3h5m": 3*time.Hour + 5*time.Minute, "8h": 8*time.Hour + 40*time.Minute,
		"47h": 2*day - 1, "2d": 2 * day, "7d23h": 8*day - 1, "8d": 8 * day, "729d": 730*day - 1, "2y": 730 * day, "3y5d": 3*365*day + 5*day, "8y": 8 * 365 * day,
	} {
		if got := durationText(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestCustomColumns(t *testing.T) {
	object := Object{Now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Value: parse(t, `{
		"metadata":{"name":"w","creationTimestamp":"2026-05-01T11:00:00Z","annotations":{"a.b/c":"d"}},
		"spec":{"n":3,"f":2.5,"b":true,"s":"x","z":null,"o":{"k":1},"l":["p","q"]},
		"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"Up","status":"True"}]}}`)}
	for _, c := range []struct{ kind, path, want, why string }{
		{"string", ".spec.s", `"x"`, "a member"},
		{"string", "$.spec.s", `"x"`, "with the root"},
		{"string", ".spec.n", `"3"`, "a number in a column of strings is printed"},
		{"string", ".spec.o", `"{\"k\":1}"`, "an object in a column of strings is printed as JSON"},
		{"integer", ".spec.n", `3`, ""},
		{"integer", ".spec.f", `2`, "a fraction is truncated"},
		{"integer", ".spec.s", `null`, "a string in a column of integers"},
		{"number", ".spec.f", `2.5`, ""},
		{"boolean", ".spec.b", `true`, ""},
		{"boolean", ".spec.s", `null`, ""},
		{"date", ".metadata.creationTimestamp", `"60m"`, "a time is shown as an age"},
		{"date", ".spec.s", `"\u003cinvalid\u003e"`, "a text that is not a time"},
		{"date", ".spec.n", `null`, ""},
		{"string", `.metadata.annotations.a\.b/c`, `"d"`, "a key with dots"},
		{"string", `.metadata.annotations['a\.b/c']`, `"d"`, ""},
		{"string", ".metadata.annotations['a.b/c']", `null`, "a dot in a quoted key separates fields"},
		{"string", ".['spec'].s", `null`, "a dot before a bracket is a field without a name"},
		{"string", ".spec..k", `"1"`, "a field at any depth"},
		{"string", ".spec.l[0,1]", `"p"`, "a union"},
		{"string", ".spec.l[1:]", `"q"`, "a slice"},
		{"string", ".spec.l[0:7]", `null`, "a slice out of range"},
		{"string", ".spec.l[0]", `"p"`, ""},
		{"string", ".spec.l[-1]", `"q"`, "counted from the end"},
		{"string", ".spec.l[*]", `"p"`, "the first of several"},
		{"string", ".spec.l[7]", `null`, "out of range"},
		{"string", `.status.conditions[?(@.type=="Up")].status`, `"True"`, "an item chosen by a member"},
		{"string", `.status.conditions[?(@.type=='Ready')].status`, `"False"`, ""},
		{"string", `.status.conditions[?(@.type!="Ready")].status`, `"True"`, ""},
		{"string", `.status.conditions[?(@.type=="No")].status`, `null`, ""},
		{"string", ".spec.missing.deeper", `null`, ""},
		{"string", ".spec.z", `"\u003cno value\u003e"`, "null in a column of strings"},
		{"integer", ".spec.z", `null`, ""},
	} {
		kind := schema.NewKind(schema.GroupVersionKind{}, nil)
		kind.Columns = []schema.Column{{Name: "X", Type: c.kind, JSONPath: c.path}}
		if got := Of(kind, "")[1].Cell(object).String(); got != c.want {
			t.Errorf("%s as %s (%s): got %s, want %s", c.path, c.kind, c.why, got, c.want)
		}
	}
	broken := schema.NewKind(schema.GroupVersionKind{}, nil)
	broken.Columns = []schema.Column{{Name: "X", Type: "string", JSONPath: ".spec.s"}, {Name: "Y", Type: "string", JSONPath: ".spec.l["}, {Name: "Z", Type: "string", JSONPath: ".spec.s"}}
	if got := Of(broken, ""); len(got) != 2 {
		t.Errorf("columns from the first invalid path on are left out: got %d columns, want 2", len(got))
	}
	plain := Of(schema.NewKind(schema.GroupVersionKind{}, nil), "")
	if len(plain) != 2 || plain[1].Name != "Age" || plain[1].Cell(object).String() != `"60m"` {
		t.Errorf("a resource without columns shows %v", plain)
	}
}

// TestTimeOfBookmark: the bookmark that ends the initial events of a watch has no time. The cells are those of
// kube-apiserver 1.36.3.
func TestTimeOfBookmark(t *testing.T) {
	bookmark := Object{Value: parse(t, `{"metadata":{"name":""}}`)}
	for _, c := range []struct {
		group, resource, want string
		builtin               bool
	}{
		{"example.com", "things", `null`, false},
		{"rbac.authorization.k8s.io", "clusterroles", `"0001-01-01T00:00:00Z"`, true},
		{"coordination.k8s.io", "leases", `"\u003cunknown\u003e"`, true},
	} {
		kind := schema.NewKind(schema.GroupVersionKind{Group: c.group, Version: "v1"}, nil)
		kind.Resource, kind.Builtin = c.resource, c.builtin
		columns := Of(kind, "")
		if got := columns[len(columns)-1].Cell(bookmark).String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.resource, got, c.want)
		}
	}
}

// TestLongPath checks that a JSONPath of 1 MB of nested filters is rejected quickly.
func TestLongPath(t *testing.T) {
	if _, err := parsePath(strings.Repeat("[?(@", 1<<18)); err == nil || !strings.Contains(err.Error(), "too long") || len(err.Error()) > 100 {
		t.Errorf("got %.200v", err)
	}
}

// TestFilterOfNull: a null byte at the beginning of a filter does not end a quoted text that has not
// begun.
func TestFilterOfNull(t *testing.T) {
	if _, err := parsePath("[?(\x00"); err == nil {
		t.Error("a filter that is not closed is accepted")
	}
}

// FuzzPath checks that no JSONPath, which comes from users' CRDs, panics or runs for
// long.
func FuzzPath(f *testing.F) {
	for _, s := range []string{".a.b[0]", `.c[?(@.t=="x")].y`, "['a.b']", "{.x}", ".[*].", "[?(@", ".a[?(@.b[?(@.c==1)]==2)]"} {
		f.Add(s)
	}
	value := parse(f, `{"a":{"b":[1,{"c":2}]},"c":[{"t":"x","y":1}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		p, err := parsePath(s)
		if err == nil {
			p.first(value)
		}
	})
}

func TestScaleColumns(t *testing.T) {
	kind := schema.NewKind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, nil)
	for _, c := range []struct {
		builtin            bool
		format, ageType    string
		desired, available string // their descriptions
	}{
		{true, "", "string", "replicas is the desired number of instances for the scaled object.", "replicas is the actual number of observed instances of the scaled object."},
		{false, "name", "date", "Number of desired replicas", "Number of actual replicas"},
	} {
		kind.Builtin = c.builtin
		columns := Of(kind, "scale")
		checkColumns(t, columns, parse(t, `[{"name":"Name","type":"string","format":"`+c.format+`","priority":0},{"name":"Desired","type":"integer","format":"","priority":0},
			{"name":"Available","type":"integer","format":"","priority":0},{"name":"Age","type":"`+c.ageType+`","format":"","priority":0}]`))
		checkRow(t, columns, parse(t, `{"object":{"metadata":{"name":"d"},"spec":{"replicas":4},"status":{"replicas":2}},"cells":["d",4,2,"0s"]}`), time.Time{})
		if desired, available := columns[1].Description, columns[2].Description; desired != c.desired || available != c.available {
			t.Errorf("built-in %t: the descriptions are %q and %q", c.builtin, desired, available)
		}
	}
}
