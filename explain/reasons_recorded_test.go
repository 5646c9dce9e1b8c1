package explain_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// recordedPipeline returns a pipeline with the built-in kinds and the recorded custom
// resources.
func recordedPipeline(t testing.TB) *cluster.Pipeline {
	t.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		t.Fatal(err)
	}
	registry := schema.NewRegistry(catalog)
	for _, d := range documentsOf(t, "../testdata/crds/*.yaml") {
		crd, err := schema.FromCRD(d)
		if err != nil {
			t.Fatal(err)
		}
		registry.AddCRD(crd)
	}
	at, err := time.Parse(time.RFC3339, conformance.ChangeTime)
	if err != nil {
		t.Fatal(err)
	}
	pipeline, err := cluster.NewPipeline(cluster.Config{Kinds: registry, Now: func() time.Time { return at },
		UID: func() string { return "u" }, Suffix: func() string { return "abcde" }})
	if err != nil {
		t.Fatal(err)
	}
	return pipeline
}

// recordedWrite is a recorded write with the notes of its replay.
type recordedWrite struct {
	name     string
	request  *cluster.Request
	kind     *schema.Kind
	live     fieldmanager.Object
	response *cluster.Response
	status   *cluster.Status
	reasons  []explain.Reason
}

// answer replays a recorded write without and with notes and compares the results. It
// returns nil for a request that does not write a single object.
func answer(t *testing.T, pipeline *cluster.Pipeline, c conformance.Change) *recordedWrite {
	t.Helper()
	request, ok := inprocess.ClusterRequest(c.Request)
	if !ok || request == nil {
		return nil
	}
	w := &recordedWrite{name: fmt.Sprintf("%s step %d", c.Case, c.Step), request: request}
	if c.Before != nil {
		doc, err := document.Parse(c.Before, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if w.live, err = fieldmanager.Split(doc.Root); err != nil {
			return nil
		}
	}
	plain, plainErr := pipeline.Step(nil, w.live, request)
	notes := &explain.Notes{}
	noted := *request
	noted.Notes = notes
	response, err := pipeline.Step(nil, w.live, &noted)
	if fmt.Sprint(err) != fmt.Sprint(plainErr) {
		t.Errorf("%s: refused with notes: %v, without: %v", w.name, err, plainErr)
		return nil
	}
	w.kind, _ = pipeline.Kinds().Resource(request.Group, request.Version, request.Resource)
	if w.kind == nil || errors.As(err, &w.status) && w.status.Code == 404 {
		return nil
	}
	write := explain.Write{Type: w.kind.Type(), Manager: request.FieldManager, Notes: notes}
	if w.status != nil {
		write.Before = w.live
		write.Conflicts, write.Refused = refused(w.status)
	} else {
		if !document.Identical(plain.Object, response.Object) || !document.Identical(plain.After.Join(), response.After.Join()) {
			t.Errorf("%s: the object with notes differs:\n%s\nwithout:\n%s", w.name, response.Object.YAML(), plain.Object.YAML())
		}
		w.live, w.response = response.Before, response
		write.Before, write.After = response.Before, response.After
	}
	w.reasons = explain.Reasons(write)
	return w
}

// refused returns the conflicts and fields of a refusal.
func refused(st *cluster.Status) ([]fieldmanager.Conflict, []explain.Refusal) {
	var conflicts *fieldmanager.Conflicts
	if errors.As(st, &conflicts) {
		return conflicts.List, nil
	}
	var list []explain.Refusal
	for _, f := range st.Fields() {
		list = append(list, explain.Refusal{Path: f.Path, Rule: explain.Rule(f.Rule), Value: f.Value, Message: f.Message})
	}
	if list == nil {
		list = []explain.Refusal{{Message: st.Message}}
	}
	return nil, list
}

// covered reports whether there is a reason for a field or one of its parents.
func (w *recordedWrite) covered(path document.Path, effects ...explain.Effect) bool {
	return slices.ContainsFunc(w.reasons, func(r explain.Reason) bool {
		return path.HasPrefix(r.Path) && slices.Contains(effects, r.Effect)
	})
}

// keptAgainstWish returns the fields that are unchanged although the request has another
// value, determined without the notes: from the patch alone, or from the applying manager's
// field sets.
func (w *recordedWrite) keptAgainstWish(t *testing.T) []document.Path {
	var list []document.Path
	parse := document.Parse
	if w.request.Format == cluster.YAML || w.request.Format == cluster.ApplyPatch {
		parse = document.ParseYAML
	}
	body, err := parse(w.request.Body, document.Options{Duplicates: document.DuplicatesLast})
	if err != nil || w.request.Subresource == "scale" {
		return nil
	}
	var wish document.Value
	switch w.request.Format {
	case cluster.JSONPatch:
		wish, err = patch.JSON(w.live.Join(), body.Root, patch.Options{})
	case cluster.MergePatch:
		wish, err = patch.Merge(w.live.Join(), body.Root, patch.Options{})
	case cluster.StrategicPatch:
		wish, err = patch.Strategic(w.live.Join(), body.Root, w.kind.Type(), patch.Options{})
	case cluster.ApplyPatch:
		return append(w.givenUpAndKept(), w.appliedInVain(body.Root)...)
	default:
		wish = body.Root
	}
	if err != nil {
		t.Errorf("%s: the patch by itself: %v", w.name, err)
		return nil
	}
	wanted := fieldmanager.Object{Value: wish}
	changed := map[string]bool{}
	for _, c := range explain.Changes(w.kind.Type(), fieldmanager.Object{Value: w.live.Value}, fieldmanager.Object{Value: w.response.After.Value}) {
		changed[c.Path.String()] = true
	}
	asked := map[string]bool{}
	for _, c := range explain.Changes(w.kind.Type(), fieldmanager.Object{Value: w.live.Value}, wanted) {
		asked[c.Path.String()] = true
	}
	for _, c := range explain.Changes(w.kind.Type(), wanted, fieldmanager.Object{Value: w.response.After.Value}) {
		whole := w.request.Verb == cluster.Create || w.request.Verb == cluster.Update
		if whole && !c.Before.Exists() && c.Path[0] != document.FieldStep("status") {
			continue // no request removes the fields that the server sets
		}
		if key := c.Path.String(); asked[key] && !changed[key] {
			list = append(list, c.Path)
		}
	}
	return list
}

// appliedInVain returns the fields of the configuration that have another value in the
// object before and after. Integers beyond 2^53 with the same float64 are treated as one
// item.
func (w *recordedWrite) appliedInVain(config document.Value) []document.Path {
	changed := map[string]bool{}
	for _, c := range explain.Changes(w.kind.Type(), fieldmanager.Object{Value: w.live.Value}, fieldmanager.Object{Value: w.response.After.Value}) {
		changed[c.Path.String()] = true
	}
	var list []document.Path
	for _, c := range explain.Changes(w.kind.Type(), fieldmanager.Object{Value: config}, fieldmanager.Object{Value: w.response.After.Value}) {
		empty := c.Before.IsNull() || c.Before.Kind() == document.Object && c.Before.Len() == 0 || c.Before.Kind() == document.List && c.Before.Len() == 0
		if n, ok := c.Before.Float(); ok && n > 1<<53 {
			continue
		}
		if c.Before.Exists() && !empty && !changed[c.Path.String()] {
			list = append(list, c.Path)
		}
	}
	return list
}

// givenUpAndKept returns the fields that the applying manager owned and no longer owns, and
// that the object still has.
func (w *recordedWrite) givenUpAndKept() []document.Path {
	self := func(m fieldmanager.Managed) fieldmanager.Set {
		for _, e := range m.Of(w.request.FieldManager) {
			if e.Operation == fieldmanager.OperationApply && e.Subresource == w.request.Subresource {
				return e.Fields
			}
		}
		return fieldmanager.Set{}
	}
	before := map[string]bool{}
	for path := range self(w.response.Before.Managed).Leaves().Minus(self(w.response.After.Managed)).All() {
		before[path.String()] = true
	}
	var list []document.Path
	for _, l := range explain.Lines(w.kind.Type(), w.response.After) {
		if before[l.Path.String()] {
			list = append(list, l.Path)
		}
	}
	return list
}

// TestEveryRecordedFieldHasAReason replays every recorded write with notes. Each field that
// changed, was kept or conflicts must have a reason with a documented rule, and the result
// must equal that without notes.
func TestEveryRecordedFieldHasAReason(t *testing.T) {
	cases, err := conformance.ReadAll("../testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]int{"writes": 8000, "changed": 45000, "kept": 400, "conflicts": 500, "refused": 1000}
	if testing.Short() {
		cases, least = conformance.Sample(cases, 10), map[string]int{"writes": 800}
	}
	pipeline, count, rules := recordedPipeline(t), map[string]int{}, map[explain.Rule]int{}
	for _, one := range cases {
		for _, change := range one.Changes() {
			w := answer(t, pipeline, change)
			if w == nil {
				continue
			}
			count["writes"]++
			for _, r := range w.reasons {
				rules[r.Rule]++
				if r.Rule == "" || r.Text == "" || strings.Contains(r.Text, "{") {
					t.Errorf("%s: %s %s by rule %q: %q", w.name, r.Path, r.Effect, r.Rule, r.Text)
				}
			}
			w.check(t, count)
		}
	}
	t.Logf("%d writes: %d changed fields, %d kept against the request, %d conflicts, %d fields refused",
		count["writes"], count["changed"], count["kept"], count["conflicts"], count["refused"])
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		t.Logf("%6d %s", rules[name], name)
	}
	for what, n := range least {
		if count[what] < n {
			t.Errorf("only %d %s", count[what], what)
		}
	}
}

// check counts the fields that need a reason and reports those without one.
func (w *recordedWrite) check(t *testing.T, count map[string]int) {
	if w.status != nil {
		conflicts, fields := refused(w.status)
		count["conflicts"] += len(conflicts)
		count["refused"] += len(fields)
		given := 0
		for _, r := range w.reasons {
			if r.Effect == explain.Refused || r.Effect == explain.Conflicting {
				given++
			}
		}
		if given != len(conflicts)+len(fields) {
			t.Errorf("%s: %d conflicts and %d refused fields have %d reasons", w.name, len(conflicts), len(fields), given)
		}
		return
	}
	for _, c := range explain.Changes(w.kind.Type(), w.live, w.response.After) {
		count["changed"]++
		if !slices.ContainsFunc(w.reasons, func(r explain.Reason) bool {
			return r.Effect == c.Effect && slices.Equal(r.Path, c.Path) && document.Identical(r.After, c.After)
		}) {
			t.Errorf("%s: %s was %s without a reason", w.name, c.Path, c.Effect)
		}
	}
	for _, path := range w.keptAgainstWish(t) {
		count["kept"]++
		if !w.covered(path, explain.Kept, explain.Ignored, explain.GivenUp, explain.TakenOver, explain.Shared, explain.Owned, explain.Set, explain.Removed, explain.Reordered) {
			t.Errorf("%s: %s stays without a reason", w.name, path)
		}
	}
}
