package fieldmanager_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/reference"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestRecordedOwners checks every recorded write by itself: for an apply, the resulting
// owners or conflicts are the recorded ones; for any other write, the owners derived from
// the recorded objects before and after it. Package cluster replays complete requests.
func TestRecordedOwners(t *testing.T) {
	cases, err := conformance.ReadAll("../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	least := 9000
	if testing.Short() {
		cases, least = conformance.Sample(cases, 10), 900
	}
	kinds := recordedKinds(t)
	for name, engine := range map[string]fieldmanager.Engine{"ours": nil, "reference": reference.Merger()} {
		t.Run(name, func(t *testing.T) {
			h := &ownersHarness{kinds: kinds, engine: engine, managers: map[string]*fieldmanager.Manager{}}
			compared, skipped := 0, map[string]int{}
			for _, c := range cases {
				for _, change := range c.Changes() {
					why, differs := h.check(t, change)
					switch {
					case why != "":
						skipped[why]++
					case differs != "":
						t.Errorf("%s, step %d: %s %s\n%s", change.Case, change.Step, change.Request.Method, change.Request.Path, differs)
					default:
						compared++
					}
				}
			}
			t.Logf("%d writes agree; not asked: %v", compared, skipped)
			if compared < least {
				t.Errorf("only %d writes were compared", compared)
			}
		})
	}
}

// filledLater lists the resources whose objects the server changes between tracking and
// storing, so that the recording does not show the tracked object.
var filledLater = map[string]bool{
	"services": true, "customresourcedefinitions": true, "namespaces": true, "daemonsets": true, "endpointslices": true,
	"persistentvolumeclaims": true, "certificatesigningrequests": true, "roles": true, "serviceaccounts": true,
}

// skipped lists the cases that cannot be split into single writes, with the reason.
var skipped = map[string]string{
	"builtin-defaults/hpa-two-versions":                "converts between versions that differ",
	"bad-input/wrong-kind-in-update-crd":               "what was tracked did not fit and is not shown",
	"fuzz-crd/widgets-2024":                            "what was tracked did not fit and is not shown",
	"fuzz-crd/widgets-2237":                            "what was tracked did not fit and is not shown",
	"fuzz-mixed/widgets-61":                            "what was tracked did not fit and is not shown",
	"merge-patch/invalid-status-through-main-resource": "what was tracked did not fit and is not shown",
	"ssa-basics/owner-references-atomic-items":         "a uid of the recording is a key",
	"ssa-basics/owner-references-duplicates-by-update": "a uid of the recording is a key",
}

func recordedKinds(t *testing.T) *schema.Registry {
	t.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	kinds := schema.NewRegistry(catalog)
	files, err := filepath.Glob("../testdata/crds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded CRDs: %v", err)
	}
	for _, f := range files {
		for _, d := range readYAML(t, f) {
			crd, err := schema.FromCRD(d)
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			kinds.AddCRD(crd)
		}
	}
	return kinds
}

type ownersHarness struct {
	kinds    *schema.Registry
	engine   fieldmanager.Engine
	managers map[string]*fieldmanager.Manager
}

// check compares one write with its recording. why is the reason if it is skipped, differs
// the difference.
func (h *ownersHarness) check(t *testing.T, c conformance.Change) (why, differs string) {
	kind, sub := h.resource(c.Request.Path)
	switch {
	case kind == nil:
		return "no such resource", ""
	case sub != "" && sub != "status":
		return "another kind's subresource", ""
	case sub != "" && !hasSubresource(kind, sub):
		return "no such subresource", ""
	case skipped[c.Case] != "":
		return skipped[c.Case], ""
	}
	var live fieldmanager.Object
	if c.Before != nil {
		live = split(t, c.Before)
		if live.Value.Get("apiVersion").StringOr("") != kind.APIVersion() {
			live.Value = live.Value.With("apiVersion", document.NewString(kind.APIVersion()))
		}
	}
	query, _ := url.ParseQuery(c.Request.Query)
	manager := query.Get("fieldManager")
	now := time.Date(2026, 5, 5, 5, 5, 5, 0, time.UTC)
	m := h.manager(t, kind, sub)
	if strings.HasPrefix(c.Request.ContentType, "application/apply-patch") {
		return checkApply(m, live, c, manager, forced(query), now)
	}
	if c.Want.Code >= 300 {
		return "refused", ""
	}
	if manager == "" {
		manager = "oracle" // from the User-Agent
	}
	next := fieldmanager.Object{Value: split(t, jsonOf(t, c.Want.Body)).Value}.Join()
	if c.Request.Method == "PATCH" && strings.Contains(c.Request.Body, "managedFields") {
		return "patches managedFields", ""
	}
	if body, err := document.Parse([]byte(c.Request.Body), document.Options{Duplicates: document.DuplicatesLast}); err == nil {
		if sent := body.Root.Lookup("metadata", "managedFields"); sent.Exists() {
			next = next.Set(sent, "metadata", "managedFields")
		}
	}
	if filledLater[kind.Resource] {
		return "the server changes more after tracking", ""
	}
	after, _ := m.Update(live, next, fieldmanager.UpdateOptions{FieldManager: manager, Time: now})
	return "", ownersDiffer(c.Want.Body, after)
}

func hasSubresource(kind *schema.Kind, name string) bool {
	_, ok := kind.Subresource(name)
	return ok
}

func checkApply(m *fieldmanager.Manager, live fieldmanager.Object, c conformance.Change, manager string, force bool, now time.Time) (why, differs string) {
	body, err := document.ParseYAML([]byte(c.Request.Body), document.Options{Duplicates: document.DuplicatesLast})
	causes := causesOf(c.Want.Body)
	if err != nil || c.Want.Code >= 300 && len(causes) == 0 {
		return "refused", ""
	}
	after, err := m.Apply(live, body.Root, fieldmanager.ApplyOptions{FieldManager: manager, Force: force, Time: now})
	if len(causes) == 0 {
		if err != nil {
			return "", "refused: " + err.Error()
		}
		return "", ownersDiffer(c.Want.Body, after)
	}
	var conflicts *fieldmanager.Conflicts
	if !errors.As(err, &conflicts) {
		return "", "no conflict but " + text(err)
	}
	var got []string
	for _, f := range conflicts.List {
		got = append(got, "conflict with "+f.Owner.String()+" at "+f.Field())
	}
	sort.Strings(got)
	if strings.Join(got, "\n") != strings.Join(causes, "\n") {
		return "", "causes\n got " + strings.Join(got, "\n     ") + "\nwant " + strings.Join(causes, "\n     ")
	}
	if want := c.Want.Body.(map[string]any)["message"]; want != conflicts.Error() {
		return "", "message\n got " + conflicts.Error() + "\nwant " + want.(string)
	}
	return "", ""
}

func text(err error) string {
	if err == nil {
		return "success"
	}
	return err.Error()
}

// causesOf returns the conflicts of a recorded Status.
func causesOf(body any) []string {
	var out []string
	m, _ := body.(map[string]any)
	details, _ := m["details"].(map[string]any)
	list, _ := details["causes"].([]any)
	for _, x := range list {
		c, _ := x.(map[string]any)
		if c["reason"] == "FieldManagerConflict" {
			out = append(out, c["message"].(string)+" at "+c["field"].(string))
		}
	}
	sort.Strings(out)
	return out
}

// resource returns the kind and the subresource of a request path.
func (h *ownersHarness) resource(path string) (*schema.Kind, string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group := ""
	if parts[0] == "apis" {
		group, parts = parts[1], parts[1:]
	}
	if len(parts) < 3 {
		return nil, ""
	}
	version, parts := parts[1], parts[2:]
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	kind, _ := h.kinds.Resource(group, version, parts[0])
	return kind, strings.Join(parts[min(2, len(parts)):], "/")
}

func (h *ownersHarness) manager(t *testing.T, kind *schema.Kind, sub string) *fieldmanager.Manager {
	key := kind.String() + sub
	if m := h.managers[key]; m != nil {
		return m
	}
	c, err := fieldmanager.ConfigFor(h.kinds, kind, sub)
	if err != nil {
		t.Fatal(err)
	}
	c.Engine = h.engine
	m, err := fieldmanager.New(c)
	if err != nil {
		t.Fatal(err)
	}
	h.managers[key] = m
	return m
}

// ownersDiffer compares managedFields with the recorded ones: entries in any order, times
// only by their presence.
func ownersDiffer(want any, got fieldmanager.Object) string {
	m, _ := want.(map[string]any)
	meta, _ := m["metadata"].(map[string]any)
	list, _ := meta["managedFields"].([]any)
	w := make([]string, 0, len(list))
	for _, e := range list {
		w = append(w, entryText(e))
	}
	var g []string
	var decoded []any
	if v := got.Managed.Value(); v.Exists() {
		if err := json.Unmarshal(v.JSON(), &decoded); err != nil {
			return err.Error()
		}
	}
	for _, e := range decoded {
		g = append(g, entryText(e))
	}
	sort.Strings(w)
	sort.Strings(g)
	if strings.Join(w, "\n") != strings.Join(g, "\n") {
		return "owners\n got " + strings.Join(g, "\n     ") + "\nwant " + strings.Join(w, "\n     ")
	}
	return ""
}

func entryText(e any) string {
	m, ok := e.(map[string]any)
	if !ok {
		return "?"
	}
	if _, ok := m["time"]; ok {
		m = maps.Clone(m)
		m["time"] = "some"
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.ReplaceAll(string(b), "$TIME$", conformance.ChangeTime))
}

func split(t *testing.T, body []byte) fieldmanager.Object {
	t.Helper()
	d, err := document.Parse(body, document.Options{MaxBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	o, err := fieldmanager.Split(d.Root)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// forced parses the query parameter force: anything but false and 0 is true.
func forced(query url.Values) bool {
	v := query.Get("force")
	return query.Has("force") && v != "false" && v != "0"
}
