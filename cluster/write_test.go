package cluster_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

const (
	maps        = "/api/v1/namespaces/n/configmaps"
	deployments = "/apis/apps/v1/namespaces/n/deployments"
	pods        = "/api/v1/namespaces/n/pods"
	leases      = "/apis/coordination.k8s.io/v1/namespaces/n/leases"
)

const (
	template   = `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	deployment = `{"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":` + template + `}}`
)

// fixed returns a cluster with a fixed clock, uids and suffixes.
func fixed(t *testing.T) requests {
	return newRequests(t, cluster.Config{
		Now:    func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC) },
		UID:    func() string { return "the-uid" },
		Suffix: func() string { return "xyzzy" },
	})
}

func options(o cluster.Options) func(*cluster.Request) {
	return func(r *cluster.Request) { r.Options = o }
}

func format(f cluster.Format) func(*cluster.Request) {
	return func(r *cluster.Request) { r.Format = f }
}

func TestCreateSetsSystemMetadata(t *testing.T) {
	q := fixed(t)
	got := q.must(cluster.Create, maps, `{"metadata":{"generateName":"a-","uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z",
		"deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":9,"selfLink":"/x","generation":7}}`)
	want := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"creationTimestamp":"2026-01-02T03:04:05Z","generateName":"a-","generation":7,` +
		`"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:generateName":{}}},"manager":"test","operation":"Update",` +
		`"time":"2026-01-02T03:04:05Z"}],"name":"a-xyzzy","namespace":"n","resourceVersion":"2","uid":"the-uid"}}`
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	st := q.refused(409, cluster.Create, maps, `{"metadata":{"generateName":"a-"}}`)
	if st.Reason != cluster.ReasonAlreadyExists || st.Details.RetryAfterSeconds != 1 || !strings.Contains(st.Message, "unique name") {
		t.Errorf("a generated name that is always taken: %+v", st)
	}
	if got := q.must(cluster.Create, "/api/v1/namespaces/n/limitranges", `{}`); got.Lookup("metadata", "name").StringOr("") != "the-uid" {
		t.Errorf("a LimitRange without a name: %s", got)
	}
	long := q.must(cluster.Create, maps, `{"metadata":{"generateName":"`+strings.Repeat("a", 80)+`"}}`)
	if n := len(long.Lookup("metadata", "name").StringOr("")); n != 63 {
		t.Errorf("a generated name has %d characters, want 63", n)
	}
}

// The changes that increment the generation, by kind.
func TestDesiredStateDeterminesTheGeneration(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"t"},"spec":{"a":"1"}}`)
	q.must(cluster.Create, deployments, deployment)
	q.must(cluster.Create, "/apis/apps/v1/namespaces/n/statefulsets", deployment)
	q.must(cluster.Create, maps, `{"metadata":{"name":"m"}}`)
	const ingresses = "/apis/networking.k8s.io/v1/namespaces/n/ingresses"
	q.must(cluster.Create, ingresses, `{"metadata":{"name":"i"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}},"tls":[{"secretName":"s"}]}}`)
	for _, c := range []struct {
		path, patch, why string
		want             int64
	}{
		{deployments + "/d", `{"metadata":{"labels":{"x":"y"}}}`, "a label does not increment the generation", 1},
		{deployments + "/d", `{"metadata":{"annotations":{"x":"y"}}}`, "an annotation of a Deployment increments the generation", 2},
		{deployments + "/d", `{"spec":{"replicas":3}}`, "a change of the spec increments the generation", 3},
		{deployments + "/d", `{"spec":{"replicas":3}}`, "an equal spec does not increment the generation", 3},
		{deployments + "/d", `{"spec":{"template":{"spec":{"nodeSelector":{}}}}}`, "an empty object equals an absent one", 3},
		{deployments + "/d", `{"status":{"replicas":3}}`, "the status is reset", 3},
		{deployments + "/d/status", `{"status":{"replicas":3}}`, "a change of the status does not increment the generation", 3},
		{deployments + "/d/scale", `{"spec":{"replicas":4}}`, "scaling increments the generation", 4},
		{deployments + "/d", `{"metadata":{"generation":99}}`, "a client cannot set the generation", 4},
		{"/apis/apps/v1/namespaces/n/statefulsets/d", `{"metadata":{"annotations":{"x":"y"}}}`, "an annotation of a StatefulSet does not increment the generation", 1},
		{things + "/t", `{"metadata":{"annotations":{"x":"y"}}}`, "metadata of a custom resource does not increment the generation", 1},
		{things + "/t", `{"spec":{"a":"2"}}`, "any other field of a custom resource increments the generation", 2},
		{things + "/t", `{"status":{"s":1}}`, "a field that is reset does not", 2},
		{things + "/t/status", `{"status":{"s":1}}`, "the status of a custom resource does not", 2},
		{ingresses + "/i", `{"spec":{"tls":[{"secretName":"s","hosts":[]}]}}`, "an empty list equals an absent one, also in lists that are compared as a whole", 1},
		{ingresses + "/i", `{"spec":{"tls":[{"secretName":"s","hosts":["h"]}]}}`, "a list with an item does not equal an absent one", 2},
		{maps + "/m", `{"data":{"a":"b"}}`, "a ConfigMap has no generation", 0},
	} {
		q.must(cluster.Patch, c.path, c.patch)
		path := strings.TrimSuffix(strings.TrimSuffix(c.path, "/status"), "/scale")
		got, _ := q.must(cluster.Get, path, "").Lookup("metadata", "generation").Int()
		if got != c.want {
			t.Errorf("%s: after %s to %s the generation is %d, want %d", c.why, c.patch, c.path, got, c.want)
		}
	}
}

// A write that changes nothing keeps resourceVersion and managedFields.
func TestNoChangeIsNotStored(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	q := newRequests(t, cluster.Config{Now: func() time.Time { return now }})
	q.must(cluster.Create, maps, `{"metadata":{"name":"m"},"data":{"a":"b"}}`)
	first := q.must(cluster.Patch, maps+"/m", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"c":"d"}}`, apply("x"))
	now = now.Add(time.Hour)
	for _, c := range []struct {
		verb   cluster.Verb
		body   string
		change func(*cluster.Request)
	}{
		{cluster.Patch, `{"data":{"a":"b"}}`, func(*cluster.Request) {}},
		{cluster.Patch, `{}`, format(cluster.StrategicPatch)},
		{cluster.Patch, `[]`, format(cluster.JSONPatch)},
		{cluster.Patch, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"c":"d"}}`, apply("x")},
		{cluster.Update, first.Without("metadata").With("metadata", document.NewObject().With("name", document.NewString("m"))).String(), func(*cluster.Request) {}},
		{cluster.Update, first.String(), func(*cluster.Request) {}},
	} {
		got := q.must(c.verb, maps+"/m", c.body, c.change)
		if !document.Identical(got, first) {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.verb, c.body, got, first)
		}
	}
}

// The resourceVersion in a body, and the checks of an update.
func TestUpdateComparesVersions(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, maps, `{"metadata":{"name":"m"}}`)
	q.must(cluster.Patch, maps+"/m", `{"data":{"a":"1"}}`)
	q.must(cluster.Create, leases, `{"metadata":{"name":"l"}}`)
	modified := `: the object has been modified; please apply your changes to the latest version and try again`
	for _, c := range []struct {
		why, path, body string
		code            int
		reason, message string
	}{
		{"an older resourceVersion", maps + "/m", `{"metadata":{"name":"m","resourceVersion":"1"}}`, 409, cluster.ReasonConflict,
			`Operation cannot be fulfilled on configmaps "m"` + modified},
		{"a later resourceVersion", maps + "/m", `{"metadata":{"name":"m","resourceVersion":"99"}}`, 409, cluster.ReasonConflict,
			`Operation cannot be fulfilled on configmaps "m"` + modified},
		{"no resourceVersion where one is required", leases + "/l", `{"metadata":{"name":"l"}}`, 422, cluster.ReasonInvalid,
			`leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		{"another object", maps + "/m", `{"metadata":{"name":"other"}}`, 400, cluster.ReasonBadRequest,
			`the name of the object (other) does not match the name on the URL (m)`},
		{"another namespace", maps + "/m", `{"metadata":{"name":"m","namespace":"other"}}`, 400, cluster.ReasonBadRequest,
			`the namespace of the provided object does not match the namespace sent on the request`},
		{"a uid of another object", maps + "/m", `{"metadata":{"name":"m","uid":"u"}}`, 409, cluster.ReasonConflict,
			`Operation cannot be fulfilled on configmaps "m": StorageError: invalid object, Code: 4, Key: /registry/configmaps/n/m, ` +
				`ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: the-uid`},
		{"no object", maps + "/none", `{"metadata":{"name":"none"}}`, 404, cluster.ReasonNotFound, `configmaps "none" not found`},
		{"another kind", maps + "/m", `{"kind":"Secret","metadata":{"name":"m"}}`, 400, cluster.ReasonBadRequest, ""},
		{"another version", maps + "/m", `{"apiVersion":"v2","metadata":{"name":"m"}}`, 400, cluster.ReasonBadRequest,
			`ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"`},
	} {
		st := q.refused(c.code, cluster.Update, c.path, c.body)
		if st.Reason != c.reason || c.message != "" && st.Message != c.message {
			t.Errorf("%s: %s %s\nwant %s %s", c.why, st.Reason, st.Message, c.reason, c.message)
		}
	}
	st := q.refused(400, cluster.Update, maps+"/m", `{"metadata":{"name":"m","namespace":"other"},"zz":1}`)
	if !slices.Equal(st.Warnings, []string{`unknown field "zz"`}) {
		t.Errorf("an update of another namespace warns about %q", st.Warnings)
	}
	if resp, st := q.do(cluster.Update, leases+"/new", `{"metadata":{"name":"new"}}`); st != nil || resp.Code != 201 {
		t.Errorf("a PUT of a Lease that is missing creates it: %v", st)
	}
	if resp, st := q.do(cluster.Patch, maps+"/new", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}}`, apply("a")); st != nil || resp.Code != 201 {
		t.Errorf("an apply of an object that is missing creates it: %v", st)
	}
}

// Invalid options are reported together, before the body is decoded.
func TestOptionsAreChecked(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, maps, `{"metadata":{"name":"m"}}`)
	yes := true
	for _, c := range []struct {
		o      cluster.Options
		format cluster.Format
		field  string
	}{
		{cluster.Options{}, cluster.ApplyPatch, "fieldManager"},
		{cluster.Options{Force: &yes}, cluster.MergePatch, "force"},
		{cluster.Options{FieldManager: strings.Repeat("a", 129)}, cluster.MergePatch, "fieldManager"},
		{cluster.Options{FieldManager: "a\x00"}, cluster.MergePatch, "fieldManager"},
		{cluster.Options{DryRun: []string{"All", "Some"}}, cluster.MergePatch, "dryRun"},
		{cluster.Options{FieldValidation: "strict"}, cluster.MergePatch, "fieldValidation"},
	} {
		st := q.refused(422, cluster.Patch, maps+"/m", `[`, options(c.o), format(c.format))
		if len(st.Details.Causes) != 1 || st.Details.Causes[0].Field != c.field || st.Details.Kind != "PatchOptions" {
			t.Errorf("%+v: %s, %+v", c.o, st.Message, st.Details)
		}
	}
}

// Unknown fields and duplicate keys are refused, reported as warnings or ignored.
func TestFieldValidationDecidesAboutUnknownFields(t *testing.T) {
	q := fixed(t)
	body := `{"metadata":{"name":"m"},"data":{"a":"1","a":"2"},"other":1}`
	want := []string{`duplicate field "data.a"`, `unknown field "other"`}
	for mode, warned := range map[string]bool{"": true, "Warn": true, "Ignore": false} {
		o := cluster.Options{FieldValidation: mode, DryRun: []string{"All"}}
		resp, st := q.do(cluster.Create, maps, body, options(o))
		if st != nil {
			t.Fatalf("%q: %v", mode, st)
		}
		if got := strings.Join(resp.Warnings, "; "); warned && got != strings.Join(want, "; ") || !warned && got != "" {
			t.Errorf("%q: warnings %s", mode, got)
		}
	}
	st := q.refused(400, cluster.Create, maps, body, options(cluster.Options{FieldValidation: "Strict"}))
	if !strings.HasSuffix(st.Message, "strict decoding error: "+strings.Join(want, ", ")) {
		t.Errorf("strict: %s", st.Message)
	}
	q.refused(404, cluster.Get, maps+"/m", "")
}

func TestDryRunStoresNothing(t *testing.T) {
	q := fixed(t)
	dry := options(cluster.Options{DryRun: []string{"All"}})
	if got := q.must(cluster.Create, maps, `{"metadata":{"name":"m"}}`, dry); got.Lookup("metadata", "resourceVersion").Exists() {
		t.Errorf("an object that was not stored has a version: %s", got)
	}
	q.refused(404, cluster.Get, maps+"/m", "")
	live := q.must(cluster.Create, maps, `{"metadata":{"name":"m"}}`)
	if got := q.must(cluster.Patch, maps+"/m", `{"data":{"a":"1"}}`, dry); got.Lookup("data", "a").StringOr("") != "1" {
		t.Errorf("the answer has no change: %s", got)
	}
	q.must(cluster.Delete, maps+"/m", "", dry)
	q.must(cluster.DeleteCollection, maps, "", dry)
	if got := q.must(cluster.Get, maps+"/m", ""); !document.Identical(got, live) {
		t.Errorf("it was changed: %s", got)
	}
}

// The status codes for what is not served.
func TestUnservedResourcesAndVerbs(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"t"}}`)
	q.must(cluster.Create, maps, `{"metadata":{"name":"m"}}`)
	for _, c := range []struct {
		verb   cluster.Verb
		path   string
		format cluster.Format
		code   int
		reason string
	}{
		{cluster.Get, "/api/v1/namespaces/n/nothings/x", cluster.JSON, 404, cluster.ReasonNotFound},
		{cluster.Get, "/api/v2/namespaces/n/configmaps/x", cluster.JSON, 404, cluster.ReasonNotFound},
		{cluster.Get, "/api/v1/configmaps/x", cluster.JSON, 404, cluster.ReasonNotFound},
		{cluster.Get, "/api/v1/namespaces/n/nodes/x", cluster.JSON, 404, cluster.ReasonNotFound},
		{cluster.Get, maps + "/m/status", cluster.JSON, 404, cluster.ReasonNotFound},
		{cluster.Get, things + "/t/scale", cluster.JSON, 404, cluster.ReasonNotFound},
		{cluster.Get, pods + "/p/log", cluster.JSON, 404, cluster.ReasonNotFound},
		{cluster.Create, "/api/v1/configmaps", cluster.JSON, 405, cluster.ReasonMethodNotAllowed},
		{cluster.Create, maps + "/m", cluster.JSON, 405, cluster.ReasonMethodNotAllowed},
		{cluster.Delete, deployments + "/d/status", cluster.JSON, 405, cluster.ReasonMethodNotAllowed},
		{cluster.List, "/apis/authentication.k8s.io/v1/tokenreviews", cluster.JSON, 405, cluster.ReasonMethodNotAllowed},
		{cluster.Create, maps, cluster.UnknownFormat, 415, cluster.ReasonUnsupportedMedia},
		{cluster.Patch, maps + "/m", cluster.JSON, 415, cluster.ReasonUnsupportedMedia},
		{cluster.Patch, things + "/t", cluster.StrategicPatch, 415, cluster.ReasonUnsupportedMedia},
		{cluster.Update, maps + "/m", cluster.MergePatch, 415, cluster.ReasonUnsupportedMedia},
	} {
		st := q.refused(c.code, c.verb, c.path, `{}`, format(c.format))
		if st.Reason != c.reason || st.Message == "" {
			t.Errorf("%s %s: %d %s %q, want %s", c.verb, c.path, st.Code, st.Reason, st.Message, c.reason)
		}
	}
}

// The status subresource changes nothing but status.
func TestStatusSubresourceChangesOnlyTheStatus(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, deployments, deployment)
	q.must(cluster.Patch, deployments+"/d", `{"status":{"replicas":1},"metadata":{"labels":{"a":"1"}}}`)
	q.must(cluster.Patch, deployments+"/d/status", `{"status":{"replicas":2},"spec":{"replicas":9},"metadata":{"labels":{"a":"2"},"annotations":{"b":"2"}}}`)
	got := q.must(cluster.Get, deployments+"/d", "")
	for path, want := range map[string]string{
		"status.replicas":        "2",
		"spec.replicas":          "1",
		"metadata.labels.a":      `"1"`,
		"metadata.annotations.b": `"2"`,
	} {
		if v := got.Lookup(strings.Split(path, ".")...).String(); v != want {
			t.Errorf("%s is %s, want %s", path, v, want)
		}
	}
	fields := map[string]string{}
	for _, m := range got.Lookup("metadata", "managedFields").Items() {
		fields[m.Get("subresource").StringOr("")] += m.Get("fieldsV1").String()
	}
	if want := `{"f:metadata":{"f:annotations":{".":{},"f:b":{}}},"f:status":{"f:replicas":{}}}`; fields["status"] != want {
		t.Errorf("the status' manager owns %s, want %s", fields["status"], want)
	}
	if strings.Contains(fields[""], "f:status") {
		t.Errorf("a manager owns a status that was reset: %s", fields[""])
	}
}

// Objects of which the versions differ are stored in one of them, so that writing the same through
// another version changes nothing.
func TestStoredInOneVersion(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	for _, c := range []struct{ in, other, body string }{
		{"/apis/autoscaling/v2/namespaces/n/horizontalpodautoscalers", "/apis/autoscaling/v1/namespaces/n/horizontalpodautoscalers",
			`{"metadata":{"name":"x"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"maxReplicas":3,"metrics":[
			{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":5}}},
			{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":7}}}]}}`},
		{"/api/v1/namespaces/n/events", "/apis/events.k8s.io/v1/namespaces/n/events",
			`{"metadata":{"name":"x"},"involvedObject":{"kind":"Pod","namespace":"n"},"reason":"r","source":{"component":"c"}}`},
	} {
		q.must(cluster.Create, c.in, c.body)
		q.must(cluster.Update, c.other+"/x", q.must(cluster.Get, c.other+"/x", "").String()) // gives the fields of an Event another version
		stored := q.must(cluster.Get, c.in+"/x", "").Lookup("metadata", "resourceVersion").StringOr("")
		for _, path := range [...]string{c.in + "/x", c.other + "/x"} {
			same := q.must(cluster.Update, path, q.must(cluster.Get, path, "").String())
			if version := same.Lookup("metadata", "resourceVersion").StringOr(""); version != stored {
				t.Errorf("%s: the same object again has resourceVersion %s, want %s as before", path, version, stored)
			}
		}
	}
}

// A resourceVersion that is not a number has other words for each use, those of kube-apiserver
// 1.36.3.
func TestWrongResourceVersions(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, maps, `{"metadata":{"name":"m"}}`)
	const number = `strconv.ParseUint: parsing "zz": invalid syntax`
	const parameter = `resourceVersion: Invalid value: "zz": ` + number
	at := func(r *cluster.Request) { r.ResourceVersion = "zz" }
	for _, c := range []struct {
		verb       cluster.Verb
		path, body string
		change     func(*cluster.Request)
		code       int
		message    string
	}{
		{cluster.Update, maps + "/m", `{"metadata":{"name":"m","resourceVersion":"zz"}}`, func(*cluster.Request) {}, 500, number},
		{cluster.Patch, maps + "/m", `{"metadata":{"resourceVersion":"zz"}}`, func(*cluster.Request) {}, 500, number},
		{cluster.Get, maps + "/m", "", at, 500, parameter},
		{cluster.Watch, maps, "", at, 500, parameter},
		{cluster.List, maps, "", at, 400, "invalid resource version: " + parameter},
		{cluster.Get, "/api/v1/namespaces/n/events/e", "", at, 400, "invalid resource version: " + parameter},
	} {
		_, st := q.do(c.verb, c.path, c.body, c.change)
		if st == nil || st.Code != c.code || st.Message != c.message {
			t.Errorf("%s %s: %v, want %d %s", c.verb, c.path, st, c.code, c.message)
		}
	}
}

// The Events of both groups are the same objects.
func TestEventsOfBothGroups(t *testing.T) {
	q := fixed(t)
	const old, new = "/api/v1/namespaces/n/events", "/apis/events.k8s.io/v1/namespaces/n/events"
	q.must(cluster.Create, old, `{"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","namespace":"n"},"message":"m","count":2,"source":{"component":"c"}}`)
	got := q.must(cluster.Patch, new+"/e", `{"metadata":{"labels":{"l":"r"}}}`)
	if s := got.Get("regarding").String() + got.Get("note").String() + got.Get("deprecatedCount").String(); s != `{"kind":"Pod","namespace":"n"}"m"2` {
		t.Errorf("in the other group: %s", got)
	}
	got = q.must(cluster.Get, old+"/e", "")
	if s := got.Get("message").String() + got.Lookup("metadata", "labels", "l").String(); s != `"m""r"` {
		t.Errorf("back again: %s", got)
	}
	m := got.Lookup("metadata", "managedFields")
	if m.Len() != 1 || m.At(0).Get("apiVersion").StringOr("") != "events.k8s.io/v1" {
		t.Errorf("managers of the other group are forgotten, as on the API server: %s", m)
	}
}

// An object that does not match its schema has no managedFields, as on the API server.
func TestSchemaMismatchDropsManagers(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"t"},"spec":{"a":"1"}}`)
	got := q.must(cluster.Patch, things+"/t/status", `{"apiVersion":"x"}`)
	if m := got.Lookup("metadata", "managedFields"); m.Exists() || got.Get("apiVersion").StringOr("") != "x.example.com/v1" {
		t.Errorf("after the patch: %s", got)
	}
}

// A patch of a Scale with the uid of another object is refused.
func TestScalePatchChecksUID(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, deployments, `{"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)
	const want = `Operation cannot be fulfilled on deployments/scale.apps "d": Precondition failed: UID in precondition: another, UID in object meta: the-uid`
	if st := q.refused(409, cluster.Patch, deployments+"/d/scale", `{"metadata":{"uid":"another"},"spec":{"replicas":3}}`); st.Message != want {
		t.Errorf("message %q, want %q", st.Message, want)
	}
	q.must(cluster.Patch, deployments+"/d/scale", `{"metadata":{"uid":"the-uid"},"spec":{"replicas":3}}`)
}

// The owners in the body of an update are made distinct, with a warning, before the object is looked up. Those of a patch are
// known only afterwards.
func TestWarningAboutOwnersOfAMissingObject(t *testing.T) {
	q := fixed(t)
	const owners = `[{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u"},{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u"}]`
	for _, tc := range []struct {
		reason, path, body string
		verb               cluster.Verb
		warnings           int
	}{
		{"an update of a kind that is not created by updates", pods + "/a", `{"metadata":{"name":"a","ownerReferences":` + owners + `},"spec":{"containers":[{"name":"c","image":"i"}]}}`, cluster.Update, 1},
		{"an update of the status", pods + "/a/status", `{"metadata":{"name":"a","ownerReferences":` + owners + `}}`, cluster.Update, 1},
		{"a merge patch", pods + "/a", `{"metadata":{"ownerReferences":` + owners + `}}`, cluster.Patch, 0},
	} {
		if st := q.refused(404, tc.verb, tc.path, tc.body); len(st.Warnings) != tc.warnings {
			t.Errorf("%s: warnings %q", tc.reason, st.Warnings)
		}
	}
}

// A binding may have the uid and resourceVersion of its pod as preconditions.
func TestBindingComparesUIDAndVersion(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, pods, `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	version := q.must(cluster.Get, pods+"/a", "").Lookup("metadata", "resourceVersion").StringOr("")
	binding := func(metadata string) string {
		return `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"` + metadata + `},"target":{"kind":"Node","name":"x"}}`
	}
	q.refused(409, cluster.Create, pods+"/a/binding", binding(`,"uid":"another"`))
	q.refused(409, cluster.Create, pods+"/a/binding", binding(`,"resourceVersion":"999"`))
	for query, key := range map[string]string{"": "Key: /registry/pods/n/a,", "All": "Key: /pods/n/a,"} { // as in other dry runs
		dryRun := options(cluster.Options{DryRun: strings.Fields(query)})
		if st := q.refused(409, cluster.Create, pods+"/a/binding", binding(`,"uid":"another"`), dryRun); !strings.Contains(st.Message, key) {
			t.Errorf("message %q, want %q", st.Message, key)
		}
	}
	if node := q.must(cluster.Get, pods+"/a", "").Lookup("spec", "nodeName"); node.Exists() {
		t.Errorf("bound to %s", node)
	}
	q.must(cluster.Create, pods+"/a/binding", binding(`,"uid":"the-uid","resourceVersion":"`+version+`"`))
}

// A condition of a pod that does not change keeps its lastTransitionTime when the pod is bound, even if it has none.
func TestBindingKeepsTheTimeOfACondition(t *testing.T) {
	q := fixed(t)
	for _, tc := range []struct{ reason, condition, want string }{
		{"no time", `{"type":"PodScheduled","status":"True"}`, `null`},
		{"another time", `{"type":"PodScheduled","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z"}`, `"2020-01-01T00:00:00Z"`},
	} {
		q.must(cluster.Create, pods, `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
		q.must(cluster.Patch, pods+"/a/status", `{"status":{"conditions":[`+tc.condition+`]}}`, format(cluster.MergePatch))
		q.must(cluster.Create, pods+"/a/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"},"target":{"kind":"Node","name":"x"}}`)
		if got := q.must(cluster.Get, pods+"/a", "").Lookup("status", "conditions").At(0).Get("lastTransitionTime").String(); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.reason, got, tc.want)
		}
		q.must(cluster.Delete, pods+"/a", `{"gracePeriodSeconds":0}`)
	}
}

// A binding that is created as an object of its own loses its uid, as other new objects do, but not its resourceVersion.
func TestBindingAsAnObjectComparesVersion(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, pods, `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	binding := func(metadata string) string {
		return `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"` + metadata + `},"target":{"kind":"Node","name":"x"}}`
	}
	const bindings = "/api/v1/namespaces/n/bindings"
	q.refused(409, cluster.Create, bindings, binding(`,"resourceVersion":"999"`))
	q.must(cluster.Create, bindings, binding(`,"uid":"another"`))
}

// An apply with the uid of an object that does not exist creates nothing.
func TestApplyWithUIDDoesNotCreate(t *testing.T) {
	q := fixed(t)
	st := q.refused(409, cluster.Patch, maps+"/a", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"another"}}`, format(cluster.ApplyPatch),
		options(cluster.Options{FieldManager: "m"}))
	if !strings.Contains(st.Message, "uid mismatch") {
		t.Errorf("message %q", st.Message)
	}
	q.refused(404, cluster.Get, maps+"/a", "")
}
