package cluster_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// observingAdmission records its calls, labels new objects, and refuses objects with that
// label.
type observingAdmission struct {
	calls   []string
	changed int
}

func (r *observingAdmission) Active() bool { return true }

func (r *observingAdmission) Mutate(_ context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	r.calls = append(r.calls, "mutate "+string(a.Operation)+" "+a.Name)
	a.Warn("asked")
	if a.Operation != cluster.OperationCreate {
		return a.Object, nil
	}
	return a.Object.Set(document.NewString("yes"), "metadata", "labels", "admitted"), nil
}

func (r *observingAdmission) Validate(_ context.Context, a *cluster.Attributes) *cluster.Status {
	r.calls = append(r.calls, "validate "+string(a.Operation)+" "+a.Name)
	if a.Object.Lookup("metadata", "labels", "refuse").Exists() {
		return &cluster.Status{Code: 403, Reason: cluster.ReasonForbidden, Message: "no"}
	}
	return nil
}

func (r *observingAdmission) Changed(*schema.Kind) { r.changed++ }

func TestAdmissionFollowsFieldManagement(t *testing.T) {
	r := &observingAdmission{}
	c, err := cluster.New(cluster.Config{Admission: func(*cluster.Cluster) (cluster.Admission, error) { return r, nil }})
	if err != nil {
		t.Fatal(err)
	}
	do := func(verb cluster.Verb, name, body string, format cluster.Format) (*cluster.Response, error) {
		return c.Do(context.Background(), &cluster.Request{Verb: verb, Version: "v1", Resource: "configmaps", Namespace: "d", Name: name,
			Body: []byte(body), Format: format, Options: cluster.Options{FieldManager: "m"}})
	}
	resp, err := do(cluster.Create, "", `{"metadata":{"name":"a"}}`, cluster.JSON)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Object.Lookup("metadata", "labels", "admitted").StringOr(""); got != "yes" {
		t.Errorf("label is %q, want what admission set", got)
	}
	if got := resp.Object.Lookup("metadata", "managedFields").Len(); got != 0 {
		t.Errorf("%d managers own what admission set, want none", got)
	}
	if !slices.Equal(resp.Warnings, []string{"asked"}) {
		t.Errorf("warnings: %q", resp.Warnings)
	}
	_, err = do(cluster.Patch, "a", `{"metadata":{"labels":{"refuse":"1"}}}`, cluster.MergePatch)
	var st *cluster.Status
	if !errors.As(err, &st) || st.Code != 403 || !slices.Equal(st.Warnings, []string{"asked"}) {
		t.Errorf("patch that admission refuses: %v, warnings %v", err, st)
	}
	if _, err = do(cluster.Delete, "a", "", cluster.JSON); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"mutate CREATE a", "validate CREATE a", "mutate UPDATE a", "validate UPDATE a", "mutate DELETE a", "validate DELETE a",
	}
	if !slices.Equal(r.calls, want) {
		t.Errorf("admission was asked\n%q, want\n%q", r.calls, want)
	}
	if r.changed != 2 {
		t.Errorf("Changed was called %d times, want 2: a refused write is not a change", r.changed)
	}
}
