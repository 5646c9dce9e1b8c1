package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

const (
	crds   = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	things = "/apis/x.example.com/v1/namespaces/n/things"
)

// thingCRD returns a definition with versions v1 (stored) and v1beta1; spec is added to its
// spec, and schema is the schema of spec in its objects.
func thingCRD(plural, kind, schema, more string) string {
	version := func(name string, storage bool) string {
		return fmt.Sprintf(`{"name":%q,"served":true,"storage":%v,"subresources":{"status":{}},
			"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":%s,"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}`, name, storage, schema)
	}
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%[1]s.x.example.com"},
		"spec":{"group":"x.example.com","scope":"Namespaced","names":{"plural":%[1]q,"kind":%[2]q},%[3]s"versions":[%[4]s,%[5]s]}}`,
		plural, kind, more, version("v1beta1", false), version("v1", true))
}

const simpleSpec = `{"type":"object","properties":{"a":{"type":"string"}}}`

func condition(object document.Value, kind string) string {
	for _, c := range object.Lookup("status", "conditions").Items() {
		if c.Get("type").StringOr("") == kind {
			return c.Get("status").StringOr("") + " " + c.Get("reason").StringOr("")
		}
	}
	return "missing"
}

// A definition is served, and its status is set, as soon as it is stored.
func TestCRDIsServedAtOnce(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.refused(404, cluster.List, things, "")
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	crd := q.must(cluster.Get, crds+"/things.x.example.com", "")
	for kind, want := range map[string]string{"NamesAccepted": "True NoConflicts", "Established": "True InitialNamesAccepted"} {
		if got := condition(crd, kind); got != want {
			t.Errorf("%s is %s, want %s", kind, got, want)
		}
	}
	if got := crd.Lookup("status", "acceptedNames").String(); got != `{"kind":"Thing","listKind":"ThingList","plural":"things","singular":"thing"}` {
		t.Errorf("accepted names: %s", got)
	}
	if got := crd.Lookup("status", "storedVersions").String(); got != `["v1"]` {
		t.Errorf("stored versions: %s", got)
	}
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"one"},"spec":{"a":"1","b":"2"}}`)
	old := q.must(cluster.Get, "/apis/x.example.com/v1beta1/namespaces/n/things/one", "")
	if old.Get("apiVersion").StringOr("") != "x.example.com/v1beta1" || old.Get("spec").String() != `{"a":"1"}` {
		t.Errorf("in the other version: %s", old)
	}
}

// A new schema applies to stored objects: reading them sets its defaults and prunes fields
// that it does not have.
func TestCRDUpdateTakesEffect(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"one"},"spec":{"a":"1"}}`)
	next := thingCRD("things", "Thing", `{"type":"object","properties":{"n":{"type":"integer","default":3}}}`, "")
	live := q.must(cluster.Get, crds+"/things.x.example.com", "")
	doc, err := document.Parse([]byte(next), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q.must(cluster.Update, crds+"/things.x.example.com", live.With("spec", doc.Root.Get("spec")).String())
	if got := q.must(cluster.Get, things+"/one", "").Get("spec").String(); got != `{"n":3}` {
		t.Errorf("the stored object is read as %s", got)
	}
	q.refused(422, cluster.Patch, things+"/one", `{"spec":{"n":"three"}}`)
}

// Two definitions of a group cannot have the same name; the second is served once the first is
// deleted.
func TestCRDNamesConflict(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, crds, thingCRD("others", "Thing", simpleSpec, ""))
	crd := q.must(cluster.Get, crds+"/others.x.example.com", "")
	if got := condition(crd, "NamesAccepted") + ", " + condition(crd, "Established"); got != "False ListKindConflict, False NotAccepted" {
		t.Errorf("conditions: %s", got)
	}
	const others = "/apis/x.example.com/v1/namespaces/n/others"
	q.refused(404, cluster.List, others, "")
	q.must(cluster.Delete, crds+"/things.x.example.com", "")
	q.must(cluster.List, others, "")
	q.refused(404, cluster.List, things, "")
}

// A condition of a definition keeps its time while its status does, also if the reason changes, as in
// kube-apiserver 1.36.3 (apiextensions, SetCRDCondition).
func TestConditionOfACRDKeepsItsTime(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	q := newRequests(t, cluster.Config{Now: func() time.Time { now = now.Add(time.Second); return now }})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, crds, thingCRD("others", "Thing", simpleSpec, ""))
	conditions := func() (reason, since string) {
		for _, c := range q.must(cluster.Get, crds+"/others.x.example.com", "").Lookup("status", "conditions").Items() {
			if c.Get("type").StringOr("") == "NamesAccepted" {
				return c.Get("status").StringOr("") + " " + c.Get("reason").StringOr(""), c.Get("lastTransitionTime").StringOr("")
			}
		}
		return "", ""
	}
	first, since := conditions()
	for _, step := range []struct {
		names, want string
		keeps       bool
	}{
		{`{"kind":"Other","listKind":"OtherList"}`, "False SingularConflict", true},
		{`{"singular":"other"}`, "True NoConflicts", false},
	} {
		q.must(cluster.Patch, crds+"/others.x.example.com", `{"spec":{"names":`+step.names+`}}`)
		reason, at := conditions()
		if reason != step.want || reason == first || (at == since) != step.keeps {
			t.Errorf("%s: %s since %s, before %s since %s; want %s", step.names, reason, at, first, since, step.want)
		}
		first, since = reason, at
	}
}

// Names that an established definition wants and another has are not used: discovery and lists have
// the accepted names. The expected values are those of kube-apiserver 1.36.3.
func TestCRDIsServedUnderItsAcceptedNames(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, strings.Replace(thingCRD("others", "Other", simpleSpec, ""), `"kind":"Other"`, `"kind":"Other","shortNames":["o"]`, 1))
	q.must(cluster.Create, crds, strings.Replace(thingCRD("things", "Thing", simpleSpec, ""), `"kind":"Thing"`, `"kind":"Thing","shortNames":["t"]`, 1))
	q.must(cluster.Patch, crds+"/things.x.example.com", `{"spec":{"names":{"singular":"item","listKind":"OtherList","shortNames":["i","o"],"categories":["all"]}}}`)
	k, ok := q.c.Kinds().Resource("x.example.com", "v1", "things")
	if !ok {
		t.Fatal("the definition is not served")
	}
	if got, want := fmt.Sprint(k.Singular, k.ShortNames, k.Categories), "item[t] [all]"; got != want {
		t.Errorf("discovery has %s, want %s", got, want)
	}
	if kind := q.must(cluster.List, things, "").Get("kind").StringOr(""); kind != "ThingList" {
		t.Errorf("the kind of a list is %s", kind)
	}
}

// Deleting a definition deletes its objects. Objects with finalizers delay that, and no new
// objects can be created meanwhile.
func TestCRDDeletionWaitsForItsObjects(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"free"}}`)
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"kept","finalizers":["x.example.com/f"]}}`)
	answer := q.must(cluster.Delete, crds+"/things.x.example.com", "")
	if got := condition(answer, "Terminating"); got != "True InstanceDeletionPending" {
		t.Errorf("the condition Terminating is %s", got)
	}
	q.refused(404, cluster.Get, things+"/free", "")
	if kept := q.must(cluster.Get, things+"/kept", ""); !kept.Lookup("metadata", "deletionTimestamp").Exists() {
		t.Errorf("the object with a finalizer is not being deleted: %s", kept)
	}
	st := q.refused(403, cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"late"}}`)
	if want := `things.x.example.com "late" is forbidden: create not allowed while custom resource definition is terminating`; st.Message != want {
		t.Errorf("message %q, want %q", st.Message, want)
	}
	q.refused(403, cluster.Patch, things+"/late", `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"late"}}`, apply("a"))
	q.must(cluster.Patch, things+"/kept", `{"metadata":{"finalizers":null}}`)
	q.refused(404, cluster.Get, crds+"/things.x.example.com", "")
	q.refused(404, cluster.List, things, "")
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"new"}}`)
}

// A definition that has other finalizers is terminating for a moment after its objects are gone,
// and refuses new objects. Then it is no longer terminating and accepts them. If it was never
// established, the condition says so.
func TestCRDIsKeptByOtherFinalizers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const thing = `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"a"}}`
		q := newRequests(t, cluster.Config{})
		for _, name := range []string{"things", "others"} { // the second has the names of the first
			q.must(cluster.Create, crds, thingCRD(name, "Thing", simpleSpec, ""))
			q.must(cluster.Patch, crds+"/"+name+".x.example.com", `{"metadata":{"finalizers":["x.example.com/f"]}}`)
		}
		q.must(cluster.Create, things, thing)
		for _, name := range []string{"things", "others"} {
			q.must(cluster.Delete, crds+"/"+name+".x.example.com", "")
			kept := q.must(cluster.Get, crds+"/"+name+".x.example.com", "")
			if got := condition(kept, "Terminating"); got != "True InstanceDeletionInProgress" {
				t.Errorf("%s: the condition Terminating is %s after the deletion", name, got)
			}
		}
		q.refused(404, cluster.Get, things+"/a", "")
		q.refused(403, cluster.Create, things, thing)
		time.Sleep(time.Second)
		for name, want := range map[string]string{"things": "False InstanceDeletionCompleted", "others": "False NeverEstablished"} {
			kept := q.must(cluster.Get, crds+"/"+name+".x.example.com", "")
			if got := condition(kept, "Terminating"); got != want {
				t.Errorf("%s: the condition Terminating is %s, want %s", name, got, want)
			}
			if got := kept.Lookup("metadata", "finalizers").String(); got != `["x.example.com/f"]` {
				t.Errorf("%s: the finalizers are %s", name, got)
			}
		}
		q.must(cluster.Create, things, thing)
		q.must(cluster.Patch, crds+"/things.x.example.com", `{"metadata":{"finalizers":null}}`)
		q.refused(404, cluster.Get, crds+"/things.x.example.com", "")
	})
}

// A definition that was created again while its predecessor was about to end is not affected by
// that end.
func TestCRDIsCreatedAgainBeforeItsPredecessorEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newRequests(t, cluster.Config{})
		const name = crds + "/things.x.example.com"
		q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
		q.must(cluster.Patch, name, `{"metadata":{"finalizers":["x.example.com/f"]}}`)
		q.must(cluster.Delete, name, "")
		q.must(cluster.Patch, name, `{"metadata":{"finalizers":null}}`)
		q.refused(404, cluster.Get, name, "")
		created := q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
		before := q.must(cluster.Get, name, "")
		time.Sleep(time.Second)
		if after := q.must(cluster.Get, name, ""); !document.Equal(after, before) {
			t.Errorf("the definition %s became %s", created.Lookup("metadata", "uid"), after)
		}
		q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"a"}}`)
	})
}

// A definition with a webhook that has no valid CA bundle is not established.
func TestCRDWithoutCABundleIsNotEstablished(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	conversion := `,"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://h.example.com/","caBundle":"YQ=="}}},"scope"`
	q.must(cluster.Create, crds, strings.Replace(thingCRD("things", "Thing", simpleSpec, ""), `,"scope"`, conversion, 1))
	condition := q.must(cluster.Get, crds+"/things.x.example.com", "").Lookup("status", "conditions").At(1)
	if got := condition.Get("type").StringOr("") + "=" + condition.Get("status").StringOr("") + ", " + condition.Get("reason").StringOr(""); got != "Established=False, InvalidCABundle" {
		t.Errorf("the condition is %s", got)
	}
}

// An invalid definition is refused, with the path of the field.
func TestCRDIsValidated(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	for _, c := range []struct{ body, field, why string }{
		{strings.Replace(thingCRD("bad", "Bad", simpleSpec, ""), "bad.x", "other.x", 1), "metadata.name", "the name is not plural.group"},
		{thingCRD("bad", "Bad", `{"properties":{"a":{}}}`, ""), "spec.validation.openAPIV3Schema.properties[spec].type", "the schema is not structural"},
		{thingCRD("bad", "Bad", `{"type":"object","properties":{"a":{"type":"integer","default":"x"}}}`, ""), "spec.validation.openAPIV3Schema.properties[spec].properties[a].default", "the default is invalid"},
		{strings.ReplaceAll(thingCRD("bad", "Bad", simpleSpec, ""), `"storage":true`, `"storage":false`), "spec.versions", "two storage versions"},
	} {
		st := q.refused(422, cluster.Create, crds, c.body)
		found := false
		for _, cause := range st.Details.Causes {
			found = found || cause.Field == c.field
		}
		if !found {
			t.Errorf("%s: no cause is about %s: %s", c.why, c.field, st.Message)
		}
	}
	for _, c := range []struct{ patch, why string }{
		{`{"spec":{"scope":"Cluster"}}`, "the scope is immutable"},
		{`{"spec":{"names":{"kind":"Other"}}}`, "the kind is immutable"},
		{`{"spec":{"group":"y.example.com"}}`, "the group is immutable"},
	} {
		if st := q.refused(422, cluster.Patch, crds+"/things.x.example.com", c.patch); st.Reason != "Invalid" {
			t.Errorf("%s: %s", c.why, st.Message)
		}
	}
	st := q.refused(422, cluster.Patch, crds+"/things.x.example.com/status", `{"status":{"acceptedNames":{"shortNames":["a","B C"]}}}`)
	if f := st.Details.Causes[0].Field; f != "status.acceptedNames.shortNames[1]" {
		t.Errorf("the wrong accepted name is at %s", f)
	}
}

// A version that stored objects may have cannot be removed, and exactly one version is stored.
func TestCRDKeepsStoredVersions(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	const crd = crds + "/things.x.example.com"
	q.must(cluster.Patch, crd+"/status", `{"status":{"storedVersions":["v1","v1beta1"]}}`)
	remove := `[{"op":"remove","path":"/spec/versions/0"}]`
	if st := q.refused(422, cluster.Patch, crd, remove, format(cluster.JSONPatch)); st.Details.Causes[0].Field != "status.storedVersions[1]" {
		t.Errorf("refused by %+v", st.Details.Causes)
	}
	q.must(cluster.Patch, crd+"/status", `{"status":{"storedVersions":["v1"]}}`)
	q.refused(422, cluster.Patch, crd, `[{"op":"replace","path":"/spec/versions/1/storage","value":false}]`, format(cluster.JSONPatch))
	q.must(cluster.Patch, crd, remove, format(cluster.JSONPatch))
	q.refused(404, cluster.List, strings.Replace(things, "v1", "v1beta1", 1), "")
}

// Groups of kubernetes.io and k8s.io need an approval annotation, which shows as a condition.
func TestCRDsOfKubernetesGroupsNeedApproval(t *testing.T) {
	for annotation, want := range map[string]string{
		``:                              "refused",
		`see the wiki`:                  "refused",
		`unapproved, a trial`:           "False UnapprovedAnnotation",
		`https://github.com/x/y/pull/1`: "True ApprovedAnnotation",
	} {
		q := newRequests(t, cluster.Config{})
		body := strings.ReplaceAll(thingCRD("things", "Thing", simpleSpec, ""), "x.example.com", "x.k8s.io")
		body = strings.Replace(body, `"metadata":{`, `"metadata":{"annotations":{"api-approved.kubernetes.io":"`+annotation+`"},`, 1)
		got := "refused"
		if _, st := q.do(cluster.Create, crds, body); st == nil {
			crd := q.must(cluster.Get, crds+"/things.x.k8s.io", "")
			got = condition(crd, "KubernetesAPIApprovalPolicyConformant")
			if first := crd.Lookup("status", "conditions").At(0).Get("type").StringOr(""); first != "KubernetesAPIApprovalPolicyConformant" {
				t.Errorf("%q: the first condition is %s, as in few of kube-apiserver's responses", annotation, first)
			}
		} else if st.Code != 422 {
			t.Fatal(st)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", annotation, got, want)
		}
	}
}

// A name that one definition releases is accepted for the other that wants it.
func TestReleasedCRDNameIsAcceptedElsewhere(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	q.must(cluster.Patch, crds+"/things.x.example.com", `{"spec":{"names":{"shortNames":["t"]}}}`)
	q.must(cluster.Create, crds, strings.Replace(thingCRD("others", "Other", simpleSpec, ""), `"kind":"Other"`, `"kind":"Other","shortNames":["t"]`, 1))
	if got := condition(q.must(cluster.Get, crds+"/others.x.example.com", ""), "NamesAccepted"); got != "False ShortNamesConflict" {
		t.Errorf("while the name is taken: %s", got)
	}
	q.must(cluster.Patch, crds+"/things.x.example.com", `{"spec":{"names":{"shortNames":null}}}`)
	if got := condition(q.must(cluster.Get, crds+"/others.x.example.com", ""), "NamesAccepted"); got != "True NoConflicts" {
		t.Errorf("after it was given up: %s", got)
	}
}

// Without a Conversion only the stored version of a CRD with a webhook is served; other
// versions fail with the reason.
func TestCRDWithWebhookServesOnlyTheStoredVersion(t *testing.T) {
	webhook := `"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://example.com/convert"}}},`
	beta := strings.Replace(things, "v1", "v1beta1", 1)
	object := `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"one"},"spec":{"a":"1"}}`

	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, webhook))
	q.must(cluster.Create, things, object)
	q.must(cluster.Get, things+"/one", "")
	for _, st := range []*cluster.Status{q.refused(500, cluster.Get, beta+"/one", ""), q.refused(500, cluster.List, beta, "")} {
		if !strings.Contains(st.Message, "webhook") || !strings.Contains(st.Message, "one") {
			t.Errorf("the message does not contain the reason: %s", st.Message)
		}
	}

	// With a converter, which moves a to b in v1beta1, they are served.
	move := func(object document.Value, apiVersion string) (document.Value, error) {
		from, to := "b", "a"
		if strings.HasSuffix(apiVersion, "v1beta1") {
			from, to = "a", "b"
		}
		return object.Set(object.Lookup("spec", from), "spec", to).Remove("spec", from), nil
	}
	q = newRequests(t, cluster.Config{Converters: map[string]cluster.Converter{"things.x.example.com": move}})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, webhook))
	q.must(cluster.Create, things, object)
	if got := q.must(cluster.Get, beta+"/one", "").Get("spec").String(); got != `{"b":"1"}` {
		t.Errorf("converted to v1beta1: %s", got)
	}
	q.must(cluster.Patch, beta+"/one", `{"spec":{"b":"2"}}`)
	if got := q.must(cluster.Get, things+"/one", "").Get("spec").String(); got != `{"a":"2"}` {
		t.Errorf("converted back: %s", got)
	}
}

// A cluster over a store that holds definitions serves them.
func TestCRDsOfAStoreAreServed(t *testing.T) {
	shared := cluster.NewStore()
	q := newRequests(t, cluster.Config{Store: shared})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	again := newRequests(t, cluster.Config{Store: shared})
	again.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"one"}}`)
}

// The metadata of an embedded object is validated like all metadata, except that it needs no
// name.
func TestEmbeddedMetadataIsValidated(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", `{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}`, ""))
	body := func(name, metadata string) string {
		return `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"` + name + `"},"spec":{"apiVersion":"v1","kind":"Pod","metadata":` + metadata + `}}`
	}
	q.must(cluster.Create, things, body("good", `{"labels":{"a":"b"}}`))
	st := q.refused(422, cluster.Create, things, body("bad", `{"name":"x","labels":{"a b":"c"}}`))
	if len(st.Details.Causes) != 1 || st.Details.Causes[0].Field != "spec.metadata.labels" || !strings.HasPrefix(st.Details.Causes[0].Message, "Invalid value") {
		t.Errorf("causes are %+v", st.Details.Causes)
	}
}

// An object is read in another version without the nulls that this version does not allow, unless they have
// a default there, which is not set in their place until the object is written, and without unknown metadata
// of what is an embedded object there. The owners are those of the object as it is read. (kube-apiserver 1.36.3)
func TestAnotherVersionPrunesWhatItDoesNotAllow(t *testing.T) {
	nullable := func(more string) string { return `{"type":"string","nullable":true` + more + `}` }
	definition := thingCRD("things", "Thing", `{"type":"object","properties":{"a":`+nullable("")+`,"b":`+nullable(`,"default":"B"`)+
		`,"e":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"m":{"type":"object","additionalProperties":`+nullable("")+`},"l":{"type":"array","items":`+nullable("")+`}}}`, "")
	definition = strings.Replace(definition, `,"nullable":true`, "", 4) // those of v1beta1, the first version
	definition = strings.Replace(definition, `"e":{`, `"e":{"x-kubernetes-embedded-resource":true,`, 1)
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, definition)
	q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"one"},"spec":{"a":null,"b":null,
		"e":{"apiVersion":"v1","kind":"Pod","metadata":{"bogus":1}},"m":{"k":null,"n":"x"},"l":[null,"x"]}}`)
	beta := strings.Replace(things, "v1", "v1beta1", 1)
	for _, c := range []struct{ path, want string }{
		{things, `{"a":null,"b":null,"e":{"apiVersion":"v1","kind":"Pod","metadata":{"bogus":1}},"l":[null,"x"],"m":{"k":null,"n":"x"}}`},
		{beta, `{"b":null,"e":{"apiVersion":"v1","kind":"Pod","metadata":{}},"l":[null,"x"],"m":{"n":"x"}}`},
	} {
		if got := q.must(cluster.Get, c.path+"/one", "").Get("spec").String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.path, got, c.want)
		}
	}
	written := q.must(cluster.Patch, beta+"/one", `{"metadata":{"labels":{"l":"1"}}}`)
	if got, want := written.Get("spec").String(), `{"b":"B","e":{"apiVersion":"v1","kind":"Pod","metadata":{}},"l":[null,"x"],"m":{"n":"x"}}`; got != want {
		t.Errorf("written in v1beta1: got %s, want %s", got, want)
	}
	for _, entry := range written.Lookup("metadata", "managedFields").Items() {
		want := `{"f:metadata":{"f:labels":{".":{},"f:l":{}}},"f:spec":{"f:b":{}}}`
		if entry.Get("apiVersion").StringOr("") == "x.example.com/v1" {
			want = `{"f:spec":{".":{},"f:a":{},"f:e":{".":{},"f:apiVersion":{},"f:kind":{},"f:metadata":{".":{},"f:bogus":{}}},"f:l":{},"f:m":{".":{},"f:k":{},"f:n":{}}}}`
		}
		if got := entry.Get("fieldsV1").String(); got != want {
			t.Errorf("fields in %s: got %s, want %s", entry.Get("apiVersion"), got, want)
		}
	}
}

// The watches of a deleted definition's objects, in the stored version and in another one, deliver the
// deletion of each object and then end. kube-apiserver 1.36.3 sends the same events.
func TestCRDDeletionIsWatched(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
	for _, o := range []cluster.Options{{}, {Bookmarks: true}} {
		q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"a"}}`)
		q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"b","finalizers":["x.example.com/f"]}}`)
		early, late, other := q.watching(things, o), q.watching(things, o), q.watching(strings.Replace(things, "v1", "v1beta1", 1), o)
		before := events(t, early)
		q.must(cluster.Delete, crds+"/things.x.example.com", "")
		q.must(cluster.Patch, things+"/b", `{"metadata":{"finalizers":null}}`)
		if got, want := kindsOfEvents(events(t, other)), kindsOfEvents(before)+", DELETED a, MODIFIED b, DELETED b"; got != want {
			t.Errorf("events of a watch of another version: %q, want %q", got, want)
		}
		q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
		q.must(cluster.Create, things, `{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"new"}}`)
		after := kindsOfEvents(events(t, early))
		if want := "DELETED a, MODIFIED b, DELETED b"; after != want {
			t.Errorf("events %q, want %q", after, want)
		}
		if got, want := kindsOfEvents(events(t, late)), kindsOfEvents(before)+", "+after; got != want {
			t.Errorf("events of a watch that reads late: %q, want %q", got, want)
		}
		for _, s := range []*cluster.Stream{early, late, other} {
			if _, err := s.Next(context.Background()); !errors.Is(err, io.EOF) {
				t.Errorf("after the events: %v, want the end of the watch", err)
			}
		}
		q.must(cluster.Delete, things+"/new", "")
	}
}

// kindsOfEvents returns the type and the name of each event, without resourceVersions.
func kindsOfEvents(text string) string {
	var out []string
	for _, e := range strings.Split(text, ", ") {
		words := strings.Fields(e)
		out = append(out, strings.Join(words[:min(len(words), 2)], " "))
	}
	return strings.Join(out, ", ")
}
