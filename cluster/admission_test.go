package cluster_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
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

// observedDeletions records what admission sees of deletions.
type observedDeletions struct {
	observingAdmission
	seen []string
}

func (o *observedDeletions) Validate(_ context.Context, a *cluster.Attributes) *cluster.Status {
	if a.Operation != cluster.OperationDelete {
		return nil
	}
	text := "live"
	if a.Old.Lookup("metadata", "deletionTimestamp").Exists() {
		text = "ending in " + a.Old.Lookup("metadata", "deletionGracePeriodSeconds").String()
	}
	if p := a.Deletion.GracePeriodSeconds; p != nil {
		text += ", options " + strconv.FormatInt(*p, 10)
	}
	if a.Namespace != "n" {
		text += ", in namespace " + strconv.Quote(a.Namespace)
	}
	o.seen = append(o.seen, text)
	return nil
}

// Admission sees the namespace of a pod and the grace period that it gets, and a deletion that first marks the pod twice:
// webhooks of kube-apiserver 1.36.3 were called so.
func TestAdmissionOfDeletions(t *testing.T) {
	const pods, maps, spec = "/api/v1/namespaces/n/pods", "/api/v1/namespaces/n/configmaps", `"spec":{"containers":[{"name":"c","image":"i"}]}`
	const bound = `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`
	dry := func(r *cluster.Request) { r.DryRun = []string{"All"} }
	for _, c := range []struct {
		why, object, path, body string
		change                  func(*cluster.Request)
		want                    []string
	}{
		{"a pod without a node", `{"metadata":{"name":"p"},` + spec + `}`, pods + "/p", "", nil, []string{"live, options 0", "ending in 0, options 0"}},
		{"a dry run ends after the update", `{"metadata":{"name":"p"},` + spec + `}`, pods + "/p", "", dry, []string{"live, options 0"}},
		{"a pod on a node", bound, pods + "/p", "", nil, []string{"live, options 30"}},
		{"with a period", bound, pods + "/p", `{"gracePeriodSeconds":10}`, nil, []string{"live, options 10"}},
		{"at once", bound, pods + "/p", `{"gracePeriodSeconds":0}`, nil, []string{"live, options 0", "ending in 0, options 0"}},
		{"with a finalizer", `{"metadata":{"name":"p","finalizers":["example.com/x"]},` + spec + `}`, pods + "/p", "", nil, []string{"live, options 0"}},
		{"a negative period", bound, pods + "/p", `{"gracePeriodSeconds":-1}`, nil, []string{"live, options 1"}},
		{"a negative period of a kind without them", `{"metadata":{"name":"p"}}`, maps + "/p", `{"gracePeriodSeconds":-1}`, nil, []string{"live, options 1"}},
		{"a negative period of a collection", `{"metadata":{"name":"p"}}`, maps, `{"gracePeriodSeconds":-1}`, nil, []string{"live, options -1"}},
		{"a collection", `{"metadata":{"name":"p"},` + spec + `}`, pods, "", nil, []string{"live", "ending in 0"}},
		{"an eviction has no admission for the deletion", `{"metadata":{"name":"p"},` + spec + `}`, pods + "/p/eviction", `{"metadata":{"name":"p"}}`, nil, nil},
	} {
		seen := &observedDeletions{}
		q := newRequests(t, cluster.Config{Admission: func(*cluster.Cluster) (cluster.Admission, error) { return seen, nil }})
		q.must(cluster.Create, strings.TrimSuffix(strings.TrimSuffix(c.path, "/eviction"), "/p"), c.object)
		verb := cluster.Delete
		switch c.path {
		case pods, maps:
			verb = cluster.DeleteCollection
		case pods + "/p/eviction":
			verb = cluster.Create
		}
		change := c.change
		if change == nil {
			change = func(*cluster.Request) {}
		}
		if _, st := q.do(verb, c.path, c.body, change); st != nil {
			t.Errorf("%s: %v", c.why, st)
		}
		if !slices.Equal(seen.seen, c.want) {
			t.Errorf("%s: admission saw %q, want %q", c.why, seen.seen, c.want)
		}
	}
}

// warningAdmission warns in both of its steps.
type warningAdmission struct{ observingAdmission }

func (w *warningAdmission) Mutate(_ context.Context, a *cluster.Attributes) (document.Value, *cluster.Status) {
	a.Warn("mutating")
	return a.Object, nil
}

func (w *warningAdmission) Validate(_ context.Context, a *cluster.Attributes) *cluster.Status {
	a.Warn("validating")
	return nil
}

// TestWarningsFollowTheSteps: fields, mutating admission, the strategy of the kind, and validating
// admission, as in kube-apiserver 1.36.3.
func TestWarningsFollowTheSteps(t *testing.T) {
	c, err := cluster.New(cluster.Config{Admission: func(*cluster.Cluster) (cluster.Admission, error) { return &warningAdmission{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const object = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a.b"},"spec":{"unknown":1,"selector":{"matchLabels":{"a":"b"}},
		"template":{"metadata":{"labels":{"a":"b"}},"spec":{"nodeSelector":{"beta.kubernetes.io/os":"x"},"containers":[{"name":"c","image":"i"}]}}}}`
	const changed = `{"spec":{"unknown":1,"template":{"spec":{"nodeSelector":{"beta.kubernetes.io/os":"x"}}}}}`
	field, name, selector := `unknown field "spec.unknown"`, "metadata.name: this is used in Pod names", "spec.template.spec.nodeSelector"
	for _, step := range []struct {
		verb   cluster.Verb
		format cluster.Format
		body   string
		want   []string
	}{
		{cluster.Create, cluster.JSON, object, []string{field, "mutating", name, selector, "validating"}},
		{cluster.Update, cluster.JSON, strings.Replace(object, "/os", "/arch", 1), []string{field, "mutating", selector, "validating"}},
		{cluster.Patch, cluster.MergePatch, changed, []string{field, "mutating", selector, selector, "validating"}},
		{cluster.Patch, cluster.StrategicPatch, strings.Replace(changed, `"x"`, `"y"`, 1), []string{field, "mutating", selector, selector, "validating"}},
	} {
		q := &cluster.Request{Verb: step.verb, Group: "apps", Version: "v1", Resource: "deployments", Namespace: "d", Name: "a.b", Body: []byte(step.body), Format: step.format}
		if step.verb == cluster.Create {
			q.Name = ""
		}
		resp, err := c.Do(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		same := slices.EqualFunc(resp.Warnings, step.want, func(text, want string) bool { return strings.HasPrefix(text, want) })
		if !same {
			t.Errorf("%s: %q, want %q", step.verb, resp.Warnings, step.want)
		}
	}
}

// TestDryRunKeepsTheVersionOfANewObject: a write that would create an object returns the
// resourceVersion that was sent, because none is assigned.
func TestDryRunKeepsTheVersionOfANewObject(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, verb := range []cluster.Verb{cluster.Create, cluster.Update, cluster.Patch} {
		q := &cluster.Request{Verb: verb, Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Namespace: "d", Name: "a",
			Body: []byte(`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"a","resourceVersion":"7"}}`), Options: cluster.Options{FieldManager: "m", DryRun: []string{"All"}}}
		switch verb {
		case cluster.Create:
			q.Name = ""
		case cluster.Patch:
			q.Format = cluster.ApplyPatch
		}
		resp, err := c.Do(context.Background(), q)
		if err != nil {
			t.Fatalf("%s: %v", verb, err)
		}
		if got := resp.Object.Lookup("metadata", "resourceVersion").StringOr(""); got != "7" {
			t.Errorf("%s: resourceVersion %q, want 7", verb, got)
		}
	}
}
