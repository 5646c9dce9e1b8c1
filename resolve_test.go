package patchlab_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/conformance/inprocess"
)

// twiceInLive lists the cases with a conflict over an item that the live object contains
// twice. Its value cannot be adopted because every apply merges the two items.
var twiceInLive = map[string]bool{
	"ssa-basics/finalizers-duplicates":             true,
	"ssa-lists/service-account-duplicates-in-live": true,
}

// resolver resolves every conflict of recorded requests that were refused with one.
type resolver struct {
	route
	t         *testing.T
	name      string // the name of the case
	conflicts int
	tried     map[string]int
	rewritten int
}

func (r *resolver) send(request conformance.Request) (conformance.Answer, error) {
	answer, err := inprocess.Send(r.cluster)(request)
	if err != nil || answer.Code != 409 || !strings.Contains(string(answer.Body), `"FieldManagerConflict"`) {
		return answer, err
	}
	asked, ok := inprocess.ClusterRequest(request)
	if !ok {
		r.t.Errorf("%s: the request with a conflict is not a request to the cluster", r.name)
		return answer, nil
	}
	o := patchlab.ApplyOptions{FieldManager: asked.FieldManager, Subresource: asked.Subresource, FieldValidation: "Warn", Namespace: asked.Namespace}
	live := r.live(asked, nil)
	text := string(asked.Body)
	d, err := document.ParseYAML(asked.Body, document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		r.t.Errorf("%s: %v", r.name, err)
		return answer, nil
	}
	if !d.Root.Lookup("metadata", "name").Exists() { // the request's path has the name
		d = &document.Document{Root: d.Root.Set(document.NewString(asked.Name), "metadata", "name")}
		text = string(d.Root.YAML())
	}
	r.each(live, d, text, o)
	return answer, nil
}

// each resolves all conflicts in the same way, and then each one alone while the others are
// forced.
func (r *resolver) each(live document.Value, d *document.Document, text string, o patchlab.ApplyOptions) {
	found, err := r.lab.Resolve(live, d, o, nil)
	if err != nil || len(found.Conflicts) == 0 || len(found.Open) != len(found.Conflicts) {
		r.t.Errorf("%s: the conflicts are not found: %v", r.name, err)
		return
	}
	r.conflicts += len(found.Conflicts)
	for _, way := range []string{explain.Force, explain.DropField, explain.AdoptValue} {
		r.resolve(live, d, text, o, found, way, func(patchlab.Conflict) bool { return true })
		for i := range found.Conflicts {
			r.resolve(live, d, text, o, found, way, func(c patchlab.Conflict) bool { return slices.Equal(c.Path, found.Conflicts[i].Path) })
		}
	}
}

// resolve resolves some conflicts in one way and the others by force, and applies the
// resulting manifest.
func (r *resolver) resolve(live document.Value, d *document.Document, text string, o patchlab.ApplyOptions, found *patchlab.Resolution, way string, of func(patchlab.Conflict) bool) {
	choose := func(c patchlab.Conflict) string {
		switch {
		case !of(c):
			return explain.Force
		case way == explain.AdoptValue && !c.Live.Exists():
			return explain.DropField
		}
		return way
	}
	got, err := r.lab.Resolve(live, d, o, choose)
	if errors.Is(err, explain.ErrWay) {
		if r.tried["not possible"]++; way != explain.AdoptValue || !twiceInLive[r.name] {
			r.t.Errorf("%s: %s: %v", r.name, way, err)
		}
		return
	}
	written, rewriteErr := manifest.Rewrite(text, 0, got.Config)
	if rewriteErr == nil {
		r.rewritten++
	} else {
		written = string(got.Config.YAML())
	}
	apply := o
	apply.Force = got.Force
	after, applyErr := r.lab.Apply(live, patchlab.Bytes(written), apply)
	r.tried[way]++
	var refused *patchlab.Error
	if errors.As(applyErr, &refused) && refused.Conflicts != nil {
		r.t.Errorf("%s: %s: the resolved manifest conflicts: %v", r.name, way, applyErr)
	}
	if err != nil || applyErr != nil {
		if r.tried["refused"]++; !sameRefusal(err, applyErr) {
			r.t.Errorf("%s: %s: the preview is %v, applying it gives %v", r.name, way, err, applyErr)
		}
		return
	}
	if a, b := got.Result.Object(), after.Object(); !document.Identical(a, b) {
		r.t.Errorf("%s: %s: the preview is\n%s\napplying it gives\n%s", r.name, way, a, b)
	}
	for _, c := range found.Conflicts {
		r.check(got, c, choose(c))
	}
}

// sameRefusal reports whether two errors are equal apart from line and column.
func sameRefusal(a, b error) bool {
	var x, y *cluster.Status
	return errors.As(a, &x) && errors.As(b, &y) && x.Code == y.Code && x.Message == y.Message
}

// check compares a preview with the documented effect of the resolution.
func (r *resolver) check(got *patchlab.Resolution, c patchlab.Conflict, way string) {
	_, owners := got.Preview(c)
	applier, owner := false, false
	for _, e := range owners {
		applier = applier || e.Manager == got.FieldManager && e.Operation == "Apply"
		owner = owner || e.Same(c.Owner)
	}
	switch {
	case c.APIVersion != got.Target.APIVersion:
	case way == explain.Force && owner:
		r.t.Errorf("%s: forced, and %s still has its owner", r.name, c)
	case way != explain.Force && !owner && c.Live.Exists():
		r.t.Errorf("%s: %s, and %s lost its owner", r.name, way, c)
	case way == explain.AdoptValue && !applier:
		r.t.Errorf("%s: adopted, and %s is not owned by who applied", r.name, c)
	}
}

// TestEveryRecordedConflictIsResolved: for every conflict in the recordings, the preview of
// its resolution equals the result of applying the resolved manifest.
func TestEveryRecordedConflictIsResolved(t *testing.T) {
	cases, err := conformance.ReadAll("testdata/conformance")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Truncate(time.Second)
	r := &resolver{t: t, tried: map[string]int{}}
	if r.cluster, err = cluster.New(cluster.Config{Now: func() time.Time { return now }}); err != nil {
		t.Fatal(err)
	}
	defer r.cluster.Close()
	createRecordedCRDs(t, r.cluster)
	r.lab, err = patchlab.New(patchlab.Options{Kinds: r.cluster.Kinds(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	recorded := 0
	for _, one := range cases {
		for _, s := range one.Steps {
			recorded += countConflicts(s.Response.Body)
		}
		r.name = one.Name
		conformance.Runner{Now: func() time.Time { return now }, Sleep: func(d time.Duration) { now = now.Add(d) }}.Run(one, r.send)
	}
	t.Logf("%d conflicts recorded, %d resolved: %v; %d manifests kept their form", recorded, r.conflicts, r.tried, r.rewritten)
	if r.conflicts != recorded || recorded < 1000 {
		t.Errorf("%d conflicts are recorded, %d were resolved", recorded, r.conflicts)
	}
}

// countConflicts returns the number of conflicts in a recorded Status.
func countConflicts(body any) int {
	m, _ := body.(map[string]any)
	details, _ := m["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	n := 0
	for _, c := range causes {
		if cause, _ := c.(map[string]any); cause["reason"] == "FieldManagerConflict" {
			n++
		}
	}
	return n
}

// createRecordedCRDs creates the CustomResourceDefinitions that the recordings use.
func createRecordedCRDs(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	files, err := filepath.Glob("testdata/crds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(context.Background(), &cluster.Request{Verb: cluster.Create, Format: cluster.YAML, Body: text,
			Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}); err != nil {
			t.Fatal(err)
		}
	}
}
