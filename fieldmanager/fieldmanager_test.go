package fieldmanager_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/schema"
)

// widget returns the type of a kind with lists and maps of every merge behavior.
func widget() *schema.Type {
	text, number := &schema.Type{Scalar: schema.StringScalar}, &schema.Type{Scalar: schema.IntegerScalar}
	texts := &schema.Type{Map: &schema.MapType{Elem: text}}
	field := func(name string, t *schema.Type) schema.Field { return schema.Field{Name: name, Type: t} }
	object := func(fields ...schema.Field) *schema.Type { return &schema.Type{Map: &schema.MapType{Fields: fields}} }
	port := object(field("name", text), field("port", number), field("protocol", text))
	port.Map.Fields[2].Default = `"TCP"`
	box := object(field("height", number), field("width", number))
	atomic := object(field("height", number), field("width", number))
	atomic.Map.Atomic = true
	return object(
		field("apiVersion", text), field("kind", text),
		field("metadata", object(field("annotations", texts), field("labels", texts), field("name", text), field("namespace", text), field("uid", text))),
		field("spec", object(
			field("any", schema.Deduced()),
			field("atomic", atomic),
			field("box", box),
			field("codes", &schema.Type{List: &schema.ListType{Elem: number, Kind: schema.SetList}}),
			field("note", text),
			field("plain", &schema.Type{List: &schema.ListType{Elem: text}}),
			field("ports", &schema.Type{List: &schema.ListType{Elem: port, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "port"}, {Name: "protocol", Default: `"TCP"`}}}}),
			field("replicas", number),
		)),
		field("status", object(field("phase", text))),
	)
}

func newWidgets(t testing.TB, engine fieldmanager.Engine, change func(*fieldmanager.Config)) *fieldmanager.Manager {
	t.Helper()
	c := fieldmanager.Config{APIVersion: "lab/v1", Kind: "Widget", Type: widget(), Custom: true, Engine: engine}
	if change != nil {
		change(&c)
	}
	m, err := fieldmanager.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// object returns an object with the given spec.
func object(spec string) document.Value {
	return parse(`{"apiVersion":"lab/v1","kind":"Widget","metadata":{"name":"w"},"spec":` + spec + `}`)
}

func parse(text string) document.Value {
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		panic(text + ": " + err.Error())
	}
	return d.Root
}

// owners formats managedFields: manager/operation and paths.
func owners(m fieldmanager.Managed) string {
	var lines []string
	for _, e := range m.Entries() {
		line := e.Manager + "/" + string(e.Operation)
		if e.Subresource != "" {
			line += "/" + e.Subresource
		}
		for _, p := range e.Fields.Paths() {
			line += " " + p.String()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

type step struct {
	manager string
	spec    string
	update  bool // otherwise an apply
	force   bool
	want    string // the spec afterwards, "" for that of the step; "!" followed by part of the error
	owners  string // afterwards; "" is not checked
}

// TestRules demonstrates each rule of Apply and Update by a sequence of requests, with both
// engines.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		rule, why string
		steps     []step
	}{
		{"own", "an apply owns the leaves, items and entries of its configuration, but not the objects that contain them", []step{
			{manager: "a", spec: `{"box":{"width":1},"codes":[2,1],"ports":[{"port":80}]}`,
				owners: `a/Apply .spec.box.width .spec.codes[=1] .spec.codes[=2] .spec.ports[port=80,protocol="TCP"] .spec.ports[port=80,protocol="TCP"].port`},
		}},
		{"own", "an empty set owns nothing, an empty object and null own the field", []step{
			{manager: "a", spec: `{"codes":[],"box":{},"note":null}`, owners: `a/Apply .spec.box .spec.note`},
		}},
		{"merge", "an empty object does not change an existing one", []step{
			{manager: "a", spec: `{"box":{"width":1}}`},
			{manager: "b", spec: `{"box":{}}`, want: `{"box":{"width":1}}`},
		}},
		{"merge", "a list with one owner is replaced", []step{
			{manager: "a", spec: `{"plain":["x"]}`},
			{manager: "a", spec: `{"plain":["y","z"]}`, owners: `a/Apply .spec.plain`},
		}},
		{"order", "items of the configuration have its order; other items stay before the next common item", []step{
			{manager: "a", spec: `{"codes":[1,2,3]}`},
			{manager: "b", spec: `{"codes":[3,9,1,8]}`, want: `{"codes":[2,3,9,1,8]}`},
		}},
		{"prune", "a field that is no longer applied is removed", []step{
			{manager: "a", spec: `{"note":"x","replicas":1}`},
			{manager: "a", spec: `{"replicas":1}`, owners: `a/Apply .spec.replicas`},
		}},
		{"prune", "a field that another manager owns too is kept", []step{
			{manager: "a", spec: `{"note":"x","replicas":1}`},
			{manager: "b", spec: `{"note":"x"}`, want: `{"note":"x","replicas":1}`},
			{manager: "a", spec: `{"replicas":1}`, want: `{"note":"x","replicas":1}`, owners: "b/Apply .spec.note\na/Apply .spec.replicas"},
		}},
		{"prune", "an item is removed with its unowned fields", []step{
			{manager: "a", spec: `{"ports":[{"port":1},{"port":2}]}`},
			{manager: "a", spec: `{"ports":[{"port":2}]}`},
		}},
		{"prune", "an item is removed with fields of an updating manager", []step{
			{manager: "a", spec: `{"ports":[{"port":1},{"port":2}]}`},
			{manager: "u", update: true, spec: `{"ports":[{"port":1,"name":"n"},{"port":2}]}`},
			{manager: "a", spec: `{"ports":[{"port":2}]}`, want: `{"ports":[{"port":2}]}`, owners: `a/Apply .spec.ports[port=2,protocol="TCP"] .spec.ports[port=2,protocol="TCP"].port`},
		}},
		{"prune", "a map that is still applied but has become empty is null", []step{
			{manager: "a", spec: `{"any":{"x":1}}`},
			{manager: "a", spec: `{"any":{}}`, want: `{"any":null}`},
		}},
		{"prune", "parents without any owned field are removed too", []step{
			{manager: "a", spec: `{"box":{"width":1},"replicas":1}`},
			{manager: "a", spec: `{"replicas":1}`, want: `{"replicas":1}`},
		}},
		{"prune", "an item is the same whether its default key is given or not", []step{
			{manager: "a", spec: `{"ports":[{"port":1}]}`},
			{manager: "a", spec: `{"ports":[{"port":1,"protocol":"TCP"}]}`},
			{manager: "a", spec: `{"ports":[{"port":1}]}`, want: `{"ports":[{"port":1}]}`},
		}},
		{"conflict", "changing a field of another applier is a conflict", []step{
			{manager: "a", spec: `{"replicas":1}`},
			{manager: "b", spec: `{"replicas":2}`, want: `!Apply failed with 1 conflict: conflict with "a": .spec.replicas`},
		}},
		{"conflict", "a conflict with an updating manager includes its version", []step{
			{manager: "u", update: true, spec: `{"replicas":1,"note":"x"}`},
			{manager: "b", spec: `{"replicas":2,"note":"y"}`, want: "!Apply failed with 2 conflicts: conflicts with \"u\" using lab/v1:\n- .spec.note\n- .spec.replicas"},
		}},
		{"conflict", "an atomic object conflicts as a whole", []step{
			{manager: "a", spec: `{"atomic":{"width":1}}`},
			{manager: "b", spec: `{"atomic":{"width":1,"height":2}}`, want: `!conflict with "a": .spec.atomic`},
		}},
		{"share", "the same value has two owners", []step{
			{manager: "a", spec: `{"replicas":1}`},
			{manager: "b", spec: `{"replicas":1}`, owners: "b/Apply .spec.replicas\na/Apply .spec.replicas"},
		}},
		{"transfer", "force transfers the field", []step{
			{manager: "a", spec: `{"replicas":1,"note":"x"}`},
			{manager: "b", force: true, spec: `{"replicas":2}`, want: `{"replicas":2,"note":"x"}`, owners: "a/Apply .spec.note\nb/Apply .spec.replicas"},
		}},
		{"drop", "the owner of a field that a third manager removes loses it", []step{
			{manager: "a", spec: `{"ports":[{"port":1}],"note":"x"}`},
			{manager: "u", update: true, spec: `{"note":"x"}`, owners: "a/Apply .spec.note"},
		}},
		{"track", "an update owns the fields that it changed, and new values with everything in them", []step{
			{manager: "a", spec: `{"note":"x"}`},
			{manager: "u", update: true, spec: `{"note":"x","box":{"width":1}}`, owners: "a/Apply .spec.note\nu/Update .spec.box .spec.box.width"},
		}},
		{"track", "an apply and an update of one manager have separate entries", []step{
			{manager: "a", spec: `{"note":"x"}`},
			{manager: "a", update: true, spec: `{"note":"x","replicas":1}`, owners: "a/Apply .spec.note\na/Update .spec.replicas"},
			{manager: "a", spec: `{"note":"y"}`, want: `{"note":"y","replicas":1}`, owners: "a/Apply .spec.note\na/Update .spec.replicas"},
		}},
		{"type", "an unknown field is refused", []step{
			{manager: "a", spec: `{"nott":"x"}`, want: "!.spec.nott: field not declared in schema"},
		}},
		{"type", "a duplicate item is refused", []step{
			{manager: "a", spec: `{"ports":[{"port":1},{"port":1,"protocol":"TCP"}]}`, want: `!.spec.ports[port=1,protocol="TCP"]: duplicate item in the list`},
		}},
		{"type", "a list item without any key is refused", []step{
			{manager: "a", spec: `{"any":1,"ports":[{"name":"n"}]}`, owners: `a/Apply .spec.any .spec.ports[protocol="TCP"] .spec.ports[protocol="TCP"].name`},
			{manager: "a", spec: `{"codes":[null]}`, want: `!.spec.codes[0]: an item of a set may not be null`},
		}},
		{"merge", "a field without a schema may change its type", []step{
			{manager: "a", spec: `{"any":1}`},
			{manager: "a", spec: `{"any":{"x":[1]}}`, owners: `a/Apply .spec.any.x`},
			{manager: "a", spec: `{"any":[2]}`, owners: `a/Apply .spec.any`},
		}},
	} {
		for name, engine := range map[string]fieldmanager.Engine{"ours": nil, "reference": reference.Merger()} {
			t.Run(c.rule+"/"+c.why+"/"+name, func(t *testing.T) { runSteps(t, newWidgets(t, engine, nil), name == "ours", c.steps) })
		}
	}
}

func runSteps(t *testing.T, m *fieldmanager.Manager, ours bool, steps []step) {
	t.Helper()
	var live fieldmanager.Object
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, s := range steps {
		now = now.Add(time.Second)
		body := object(s.spec)
		var after fieldmanager.Object
		var err error
		if s.update {
			after, err = m.Update(live, body, fieldmanager.UpdateOptions{FieldManager: s.manager, Time: now})
		} else {
			after, err = m.Apply(live, body, fieldmanager.ApplyOptions{FieldManager: s.manager, Force: s.force, Time: now})
		}
		if want, refused := strings.CutPrefix(s.want, "!"); refused {
			if err == nil || ours && !strings.Contains(err.Error(), want) {
				t.Fatalf("step %d: error %v, want %s", i, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		want := s.want
		if want == "" {
			want = s.spec
		}
		if got := after.Value.Get("spec"); !document.Identical(got, parse(want)) {
			t.Fatalf("step %d: spec %s, want %s", i, got, want)
		}
		if got := owners(after.Managed); s.owners != "" && got != s.owners {
			t.Fatalf("step %d: owners\n%s\nwant\n%s", i, got, s.owners)
		}
		live = after
	}
}

func TestConflictHasOwnerAndValues(t *testing.T) {
	m := newWidgets(t, nil, nil)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	live, err := m.Apply(fieldmanager.Object{}, object(`{"ports":[{"port":80,"name":"web"}],"replicas":1}`), fieldmanager.ApplyOptions{FieldManager: "alice", Time: at})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Apply(live, object(`{"ports":[{"port":80,"name":"api"}],"replicas":2}`), fieldmanager.ApplyOptions{FieldManager: "bob", Time: at.Add(time.Hour)})
	var conflicts *fieldmanager.Conflicts
	if !errors.As(err, &conflicts) || !errors.Is(err, fieldmanager.ErrConflict) || len(conflicts.List) != 2 {
		t.Fatalf("got %v", err)
	}
	i := slices.IndexFunc(conflicts.List, func(c fieldmanager.Conflict) bool { return len(c.Path) > 2 })
	c := conflicts.List[i]
	if c.Path.String() != `.spec.ports[port=80,protocol="TCP"].name` || c.Manager != "alice" || c.Operation != fieldmanager.OperationApply ||
		!c.Time.Equal(at) || c.Live.String() != `"web"` || c.Wanted.String() != `"api"` {
		t.Errorf("conflict %+v", c)
	}
}

// TestLargeIntegersBesideFloat: integers beyond 2^53 are encoded exactly when they are
// first owned, even beside a float64 of that size unless it is equal.
func TestLargeIntegersBesideFloat(t *testing.T) {
	for name, engine := range map[string]fieldmanager.Engine{"ours": nil, "reference": reference.Merger()} {
		m := newWidgets(t, engine, nil)
		after, err := m.Apply(fieldmanager.Object{}, object(`{"codes":[-9007199254740993,9007199254740993,1e16]}`), fieldmanager.ApplyOptions{FieldManager: "a", Time: time.Unix(0, 0)})
		if err != nil {
			t.Fatal(name, err)
		}
		want := `{"f:spec":{"f:codes":{"v:-9007199254740993":{},"v:10000000000000000":{},"v:9007199254740993":{}}}}`
		if got := after.Managed.Value().At(0).Get("fieldsV1").String(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		both := object(`{"codes":[9007199254740993,9.007199254740992e15,-9007199254740993]}`)
		if _, err := m.Apply(fieldmanager.Object{}, both, fieldmanager.ApplyOptions{FieldManager: "a", Time: time.Unix(0, 0)}); !errors.Is(err, fieldmanager.ErrType) {
			t.Errorf("%s: an integer and an equal float64 are treated as two items: %v", name, err)
		}
	}
}

func TestEntryHasTheTimeOfItsLastChange(t *testing.T) {
	m := newWidgets(t, nil, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	must := func(o fieldmanager.Object, err error) fieldmanager.Object {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	live := must(m.Apply(fieldmanager.Object{}, object(`{"replicas":1}`), fieldmanager.ApplyOptions{FieldManager: "a", Time: now}))
	live = must(m.Apply(live, object(`{"replicas":1}`), fieldmanager.ApplyOptions{FieldManager: "b", Time: now.Add(time.Hour)}))
	if got := live.Managed.Of("b")[0].Time; !got.IsZero() {
		t.Errorf("an apply that changed only owners has the time %v", got)
	}
	again := must(m.Apply(live, object(`{"replicas":1}`), fieldmanager.ApplyOptions{FieldManager: "a", Time: now.Add(2 * time.Hour)}))
	if !document.SameNode(again.Managed.Value(), live.Managed.Value()) || !document.SameNode(again.Value, live.Value) {
		t.Errorf("an apply that changes nothing makes a new object: %s", again.Join())
	}
	live = must(m.Update(live, object(`{"replicas":1,"note":"x"}`), fieldmanager.UpdateOptions{FieldManager: "u", Time: now.Add(3 * time.Hour)}))
	if got := live.Managed.Of("u")[0].Time; !got.Equal(now.Add(3 * time.Hour)) {
		t.Errorf("the update's time is %v", got)
	}
}

func TestFirstApplyOwnsExistingFieldsAndResetRemovesManagers(t *testing.T) {
	m := newWidgets(t, nil, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	live := fieldmanager.Object{Value: object(`{"replicas":1}`)}
	quiet, err := m.Update(live, object(`{"replicas":2}`), fieldmanager.UpdateOptions{FieldManager: "u", Time: now})
	if err != nil || quiet.Managed.Len() != 0 {
		t.Errorf("an object without managers is tracked: %s, %v", owners(quiet.Managed), err)
	}
	after, err := m.Apply(quiet, object(`{"note":"x"}`), fieldmanager.ApplyOptions{FieldManager: "a", Time: now})
	if want := "a/Apply .spec.note\nbefore-first-apply/Update .spec .spec.replicas"; err != nil || owners(after.Managed) != want {
		t.Errorf("owners\n%s\nwant\n%s (%v)", owners(after.Managed), want, err)
	}
	for _, c := range []struct {
		list   string
		custom bool
		reset  bool
		why    string
	}{
		{`[]`, false, true, "the empty list of a built-in kind"},
		{`[]`, true, false, "lost when a custom resource's metadata is decoded"},
		{`[{}]`, true, true, "one entry without content"},
		{`[{"manager":"x"}]`, true, false, "an incomplete entry is ignored"},
		{`null`, false, false, "null is ignored"},
	} {
		m := newWidgets(t, nil, func(c2 *fieldmanager.Config) { c2.Custom = c.custom })
		next := after.Value.Set(parse(c.list), "metadata", "managedFields")
		got, err := m.Update(after, next, fieldmanager.UpdateOptions{FieldManager: "u", Time: now})
		if err != nil || (got.Managed.Len() == 0) != c.reset {
			t.Errorf("%s (%s): %d entries, %v", c.list, c.why, got.Managed.Len(), err)
		}
	}
}

func TestOldestUpdatesAreMergedIntoOneEntry(t *testing.T) {
	m := newWidgets(t, nil, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var live fieldmanager.Object
	for i := range 12 {
		var err error
		next := object(`{"any":{` + strings.Join(entriesUpTo(i), ",") + `}}`)
		if live, err = m.Update(live, next, fieldmanager.UpdateOptions{FieldManager: "m" + string(rune('a'+i)), Time: now.Add(time.Duration(i) * time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	if live.Managed.Len() != 10 || len(live.Managed.Of("ancient-changes")) != 1 {
		t.Fatalf("owners\n%s", owners(live.Managed))
	}
	if got, want := live.Managed.Of("ancient-changes")[0].Fields.Len(), 5; got != want {
		t.Errorf("ancient-changes has %d fields, want %d:\n%s", got, want, owners(live.Managed))
	}
}

// TestManyManagersTakeLinearTime compares the memory that an update allocates whose body has n and 8n
// managers. A client may send thousands of them.
func TestManyManagersTakeLinearTime(t *testing.T) {
	m := newWidgets(t, nil, nil)
	const n = 150
	cost := func(n int) uint64 {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, `,{"manager":"m%d","operation":"Update","apiVersion":"lab/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:any":{"f:k%d":{}}}}}`, i, i)
		}
		next := object(`{"any":{"k1":1}}`).Set(parse("["+list.String()[1:]+"]"), "metadata", "managedFields")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o, err := m.Update(fieldmanager.Object{Value: object(`{}`)}, next, fieldmanager.UpdateOptions{FieldManager: "u"})
		runtime.ReadMemStats(&after)
		if err != nil || o.Managed.Len() != fieldmanager.MaxUpdates {
			t.Fatalf("%d entries, %v", o.Managed.Len(), err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(n), cost(8*n); many > 2*8*few {
		t.Errorf("%d KB for %d managers, %d KB for %d", few>>10, n, many>>10, 8*n)
	}
}

// TestConflictsOfDeepFieldsAreBounded applies 30 KB that conflict with 2,000 fields at a depth of 2,000.
// The paths of all would have 4 million steps; List has a part of them, and the message counts the others.
func TestConflictsOfDeepFieldsAreBounded(t *testing.T) {
	m := newWidgets(t, nil, nil)
	const depth, fields, most = 2000, 2000, 2_000_000
	nested := func(value int) document.Value {
		var b strings.Builder
		for i := range fields {
			fmt.Fprintf(&b, `,"k%d":%d`, i, value)
		}
		return object(`{"any":` + strings.Repeat(`{"a":`, depth) + "{" + b.String()[1:] + "}" + strings.Repeat("}", depth) + "}")
	}
	live, err := m.Apply(fieldmanager.Object{}, nested(1), fieldmanager.ApplyOptions{FieldManager: "a"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Apply(live, nested(2), fieldmanager.ApplyOptions{FieldManager: "b"})
	var conflicts *fieldmanager.Conflicts
	if !errors.As(err, &conflicts) {
		t.Fatal(err)
	}
	text, steps := conflicts.Error(), 0
	for _, c := range conflicts.List {
		steps += len(c.Path)
	}
	if len(conflicts.List) == 0 || steps > most {
		t.Errorf("%d conflicts with %d steps are listed", len(conflicts.List), steps)
	}
	if begin, end := fmt.Sprintf("Apply failed with %d conflicts", fields), fmt.Sprintf("\n- and %d more", fields-strings.Count(text, "\n- .")); !strings.HasPrefix(text, begin) || !strings.HasSuffix(text, end) {
		t.Errorf("the message does not begin with %q and end with %q", begin, end)
	}
}

// TestLastEntryOfAnOwnerCounts decodes managedFields in which the first and the last entry have the same
// owner. A few entries are compared with each other, many are looked up.
func TestLastEntryOfAnOwnerCounts(t *testing.T) {
	entry := func(manager, operation, version, field string) string {
		return fmt.Sprintf(`{"manager":%q,"operation":%q,"apiVersion":%q,"fieldsType":"FieldsV1","fieldsV1":{"f:%s":{}}}`, manager, operation, version, field)
	}
	for _, others := range []int{1, 40} {
		for _, c := range []struct {
			why, first, last string
			same             bool
		}{
			{"an apply", entry("a", "Apply", "v1", "x"), entry("a", "Apply", "v1", "y"), true},
			{"an apply in another version", entry("a", "Apply", "v1", "x"), entry("a", "Apply", "v2", "y"), true},
			{"an update", entry("a", "Update", "v1", "x"), entry("a", "Update", "v1", "y"), true},
			{"an update in another version", entry("a", "Update", "v1", "x"), entry("a", "Update", "v2", "y"), false},
		} {
			list := []string{c.first}
			for i := range others {
				list = append(list, entry("m"+strconv.Itoa(i), "Update", "v1", "z"))
			}
			m, err := fieldmanager.DecodeManaged(parse("[" + strings.Join(append(list, c.last), ",") + "]"))
			if err != nil {
				t.Fatal(err)
			}
			of := m.Of("a")
			if (len(of) == 1) != c.same || !of[len(of)-1].Fields.Has(document.Keys("y")) || m.Len() != others+len(of) {
				t.Errorf("%s, among %d others: %v", c.why, others, of)
			}
		}
	}
}

func entriesUpTo(n int) []string {
	var out []string
	for i := range n + 1 {
		out = append(out, `"k`+string(rune('a'+i))+`":1`)
	}
	return out
}

func TestKubectlOverridesClientSideApplyConflicts(t *testing.T) {
	m := newWidgets(t, nil, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	config := object(`{"replicas":1}`)
	annotated := config.Set(document.NewString(string(config.JSON())), "metadata", "annotations", fieldmanager.LastApplied)
	live, err := m.Update(fieldmanager.Object{}, annotated, fieldmanager.UpdateOptions{FieldManager: "kubectl-client-side-apply", Time: now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Apply(live, object(`{"replicas":2}`), fieldmanager.ApplyOptions{FieldManager: "argo", Time: now}); !errors.Is(err, fieldmanager.ErrConflict) {
		t.Errorf("another manager got past the conflict: %v", err)
	}
	after, err := m.Apply(live, object(`{"replicas":2}`), fieldmanager.ApplyOptions{FieldManager: "kubectl", Time: now})
	if err != nil {
		t.Fatal(err)
	}
	want := string(object(`{"replicas":2}`).JSON()) + "\n"
	if got, _ := after.Value.Lookup("metadata", "annotations", fieldmanager.LastApplied).Text(); got != want {
		t.Errorf("the annotation is %q, want %q", got, want)
	}
	changed, err := m.Update(live, annotated.Set(document.NewInt(5), "spec", "replicas"), fieldmanager.UpdateOptions{FieldManager: "hpa", Time: now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Apply(changed, object(`{"replicas":2}`), fieldmanager.ApplyOptions{FieldManager: "kubectl", Time: now}); !errors.Is(err, fieldmanager.ErrConflict) {
		t.Errorf("kubectl got past a conflict on a field that changed since: %v", err)
	}
}

func TestMigrate(t *testing.T) {
	m := newWidgets(t, nil, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	live, err := m.Update(fieldmanager.Object{}, object(`{"replicas":1,"note":"x"}`), fieldmanager.UpdateOptions{FieldManager: "kubectl-client-side-apply", Time: now})
	if err != nil {
		t.Fatal(err)
	}
	live.Managed = live.Managed.Migrate([]string{"kubectl-client-side-apply"}, "kubectl", "")
	if got, want := owners(live.Managed), "kubectl/Apply .spec .spec.note .spec.replicas"; got != want {
		t.Fatalf("owners %s, want %s", got, want)
	}
	after, err := m.Apply(live, object(`{"replicas":1}`), fieldmanager.ApplyOptions{FieldManager: "kubectl", Time: now})
	if want := `{"replicas":1}`; err != nil || after.Value.Get("spec").String() != want {
		t.Errorf("after the migration a field that is left out stays: %s, %v", after.Value, err)
	}
}

func TestOwnersPathsAndConfigurationsAreFound(t *testing.T) {
	m := newWidgets(t, nil, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	live, err := m.Apply(fieldmanager.Object{}, object(`{"plain":["x"],"ports":[{"port":80,"name":"web"}]}`), fieldmanager.ApplyOptions{FieldManager: "a", Time: now})
	if err != nil {
		t.Fatal(err)
	}
	if live, err = m.Update(live, object(`{"note":"n","plain":["x"],"ports":[{"port":80,"name":"web"}]}`), fieldmanager.UpdateOptions{FieldManager: "u", Time: now}); err != nil {
		t.Fatal(err)
	}
	var lines []string
	m.Parts(live, func(p fieldmanager.Part) {
		names := ""
		for i, e := range live.Managed.Entries() {
			if slices.Contains(p.Owners, i) {
				names += " " + e.Manager
			}
		}
		lines = append(lines, p.At.String()+names)
	})
	want := []string{".apiVersion", ".kind", ".metadata", ".metadata.name", ".spec", ".spec.note u", ".spec.plain a", ".spec.plain[0] a",
		".spec.ports", ".spec.ports[0] a", ".spec.ports[0].name a", ".spec.ports[0].port a"}
	if !slices.Equal(lines, want) {
		t.Errorf("parts\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	path, err := document.ParsePath(`.spec.ports[port=80,protocol=TCP].name`)
	if err != nil {
		t.Fatal(err)
	}
	if got := live.Managed.Owners(path); len(got) != 1 || got[0].Manager != "a" {
		t.Errorf("owners of %s: %v", path, got)
	}
	config, ok, err := m.Extract(live, "a")
	if want := object(`{"plain":["x"],"ports":[{"port":80,"name":"web"}]}`); err != nil || !ok || !document.Identical(config, want) {
		t.Errorf("extracted %s, %v, %v", config, ok, err)
	}
	if _, ok, _ := m.Extract(live, "u"); ok {
		t.Error("something was extracted for a manager that applied nothing")
	}
}

func TestResetFieldsAreNotOwned(t *testing.T) {
	reset := func(except ...string) map[string][]string {
		return map[string][]string{"lab/v1": except}
	}
	main := newWidgets(t, nil, func(c *fieldmanager.Config) { c.Reset = reset("status") })
	status := newWidgets(t, nil, func(c *fieldmanager.Config) { c.Reset, c.Subresource = reset("metadata", "spec"), "status" })
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	both := parse(`{"apiVersion":"lab/v1","kind":"Widget","metadata":{"name":"w","labels":{"a":"b"}},"spec":{"replicas":1},"status":{"phase":"x"}}`)
	live, err := main.Apply(fieldmanager.Object{}, both, fieldmanager.ApplyOptions{FieldManager: "a", Time: now})
	if err != nil {
		t.Fatal(err)
	}
	live, err = status.Apply(live, both, fieldmanager.ApplyOptions{FieldManager: "a", Time: now})
	if want := "a/Apply/status .status.phase\na/Apply .metadata.labels.a .spec.replicas"; err != nil || owners(live.Managed) != want {
		t.Errorf("owners\n%s\nwant\n%s (%v)", owners(live.Managed), want, err)
	}
	edited := live.Value.Set(parse(`[{}]`), "metadata", "managedFields")
	if got, err := status.Update(live, edited, fieldmanager.UpdateOptions{FieldManager: "u", Time: now}); err != nil || got.Managed.Len() != 2 {
		t.Errorf("managedFields were changed through a subresource: %s, %v", owners(got.Managed), err)
	}
}

func TestFieldThatBecameAtomic(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	live, err := newWidgets(t, nil, nil).Apply(fieldmanager.Object{}, object(`{"box":{"width":1,"height":2}}`), fieldmanager.ApplyOptions{FieldManager: "a", Time: now})
	if err != nil {
		t.Fatal(err)
	}
	for name, engine := range map[string]fieldmanager.Engine{"ours": nil, "reference": reference.Merger()} {
		m := newWidgets(t, engine, func(c *fieldmanager.Config) {
			c.Type.Map.Field("spec").Type.Map.Field("box").Type.Map.Atomic = true
		})
		after, err := m.Apply(live, object(`{"replicas":1}`), fieldmanager.ApplyOptions{FieldManager: "b", Time: now})
		if want := "a/Apply .spec.box\nb/Apply .spec.replicas"; err != nil || owners(after.Managed) != want {
			t.Errorf("%s: owners\n%s\nwant\n%s (%v)", name, owners(after.Managed), want, err)
		}
	}
}
