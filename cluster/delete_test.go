package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// state describes an object after a deletion: its deletionTimestamp without the date, its
// grace period and its finalizers.
func state(object document.Value) string {
	m := object.Get("metadata")
	at, _ := strings.CutPrefix(m.Get("deletionTimestamp").StringOr(""), "2026-01-02T")
	grace := ""
	if g := m.Get("deletionGracePeriodSeconds"); g.Exists() {
		grace = g.String()
	}
	var names []string
	for _, f := range m.Get("finalizers").Items() {
		names = append(names, f.StringOr(""))
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", at, grace, strings.Join(names, ",")))
}

// The effect of options and finalizers on a deletion. "gone" is an object that was deleted at
// once.
func TestDeletionDependsOnOptionsAndFinalizers(t *testing.T) {
	const jobs = "/apis/batch/v1/namespaces/n/jobs"
	job := `"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}`
	for _, c := range []struct {
		path, metadata, rest, options, want string
	}{
		{maps, ``, ``, ``, "gone"},
		{maps, ``, ``, `{"propagationPolicy":"Background"}`, "gone"},
		{maps, ``, ``, `{"propagationPolicy":"Foreground"}`, "03:04:05Z 0 foregroundDeletion"},
		{maps, ``, ``, `{"propagationPolicy":"Orphan"}`, "03:04:05Z 0 orphan"},
		{maps, ``, ``, `{"orphanDependents":true}`, "03:04:05Z 0 orphan"},
		{maps, ``, ``, `{"orphanDependents":false}`, "gone"},
		{maps, `,"finalizers":["x.io/f"]`, ``, ``, "03:04:05Z 0 x.io/f"},
		{maps, `,"finalizers":["x.io/f"]`, ``, `{"gracePeriodSeconds":0}`, "03:04:05Z 0 x.io/f"},
		{maps, `,"finalizers":["x.io/f","orphan"]`, ``, ``, "03:04:05Z 0 x.io/f,orphan"},
		{maps, `,"finalizers":["x.io/f","orphan"]`, ``, `{"propagationPolicy":"Background"}`, "03:04:05Z 0 x.io/f"},
		{maps, `,"finalizers":["orphan"]`, ``, `{"propagationPolicy":"Foreground"}`, "03:04:05Z 0 foregroundDeletion"},
		{jobs, ``, job, ``, "03:04:05Z 0 orphan"},
		{jobs, ``, job, `{"propagationPolicy":"Background"}`, "gone"},
		{pods, ``, `"spec":{"containers":[{"name":"c","image":"i"}]}`, ``, "gone"},
		{pods, ``, `"spec":{"nodeName":"x","containers":[{"name":"c","image":"i"}]}`, ``, "03:04:35Z 30"},
		{pods, ``, `"spec":{"nodeName":"x","terminationGracePeriodSeconds":5,"containers":[{"name":"c","image":"i"}]}`, ``, "03:04:10Z 5"},
		{pods, ``, `"spec":{"nodeName":"x","containers":[{"name":"c","image":"i"}]}`, `{"gracePeriodSeconds":7}`, "03:04:12Z 7"},
		{pods, ``, `"spec":{"nodeName":"x","containers":[{"name":"c","image":"i"}]}`, `{"gracePeriodSeconds":-3}`, "03:04:06Z 1"},
		{pods, ``, `"spec":{"nodeName":"x","containers":[{"name":"c","image":"i"}]}`, `{"gracePeriodSeconds":0}`, "gone"},
		{pods, `,"finalizers":["x.io/f"]`, `"spec":{"nodeName":"x","containers":[{"name":"c","image":"i"}]}`, `{"gracePeriodSeconds":0}`, "03:04:05Z 0 x.io/f"},
		{"/api/v1/namespaces", ``, ``, ``, "03:04:05Z "},
		{"/api/v1/namespaces/n/events", ``, `"involvedObject":{"namespace":"n"}`, `{"propagationPolicy":"Orphan"}`, "gone"},
	} {
		q := fixed(t)
		rest := c.rest
		if rest != "" {
			rest = "," + rest
		}
		q.must(cluster.Create, c.path, `{"metadata":{"name":"a"`+c.metadata+`}`+rest+`}`)
		q.must(cluster.Delete, c.path+"/a", c.options)
		got := "gone"
		if resp, st := q.do(cluster.Get, c.path+"/a", ""); st == nil {
			got = state(resp.Object)
		}
		if strings.TrimSpace(c.want) != got {
			t.Errorf("%s%s %s, deleted with %s: %q, want %q", c.path, c.metadata, c.rest, c.options, got, c.want)
		}
	}
}

// An apply that creates an object can set its time of deletion and its grace period. The states after a
// deletion are those of kube-apiserver 1.36.3: a later time becomes now, and a negative grace period counts
// as a second, also in the response if the deletion changes nothing.
func TestDeletionOfObjectsWithTimesOfDeletion(t *testing.T) {
	const pod = `,"spec":{"containers":[{"name":"c","image":"i"}]}`
	for _, c := range []struct {
		why, path, kind, metadata, rest, options, want, stored string
	}{
		{"a later time", maps, "ConfigMap", `"deletionTimestamp":"2099-01-01T00:00:00Z"`, "", "", "03:04:05Z 0", "03:04:05Z 0"},
		{"an earlier time is kept", maps, "ConfigMap", `"deletionTimestamp":"2001-01-01T00:00:00Z"`, "", "", "2001-01-01T00:00:00Z 0", "2001-01-01T00:00:00Z 0"},
		{"a grace period of a kind without them", maps, "ConfigMap", `"deletionTimestamp":"2099-01-01T00:00:00Z","deletionGracePeriodSeconds":7`, "", "", "03:04:05Z 0", "03:04:05Z 0"},
		{"a pod at the end of its grace period", pods, "Pod", `"deletionTimestamp":"2099-01-01T00:00:00Z","deletionGracePeriodSeconds":0`, pod, "", "03:04:05Z 0", "03:04:05Z 0"},
		{"a pending deletion", pods, "Pod", `"deletionTimestamp":"2099-01-01T00:00:00Z","deletionGracePeriodSeconds":-5`, pod, "", "2099-01-01T00:00:00Z 1", "2099-01-01T00:00:00Z -5"},
		{"a shorter period", pods, "Pod", `"deletionTimestamp":"2099-01-01T00:00:00Z","deletionGracePeriodSeconds":-5`, pod, `{"gracePeriodSeconds":0}`, "2098-12-31T23:59:59Z 0", "2098-12-31T23:59:59Z 0"},
	} {
		q := fixed(t)
		q.must(cluster.Patch, c.path+"/a", `{"apiVersion":"v1","kind":"`+c.kind+`","metadata":{"name":"a","finalizers":["x.io/f"],`+c.metadata+`}`+c.rest+`}`, format(cluster.ApplyPatch), options(cluster.Options{FieldManager: "m"}))
		if got := state(q.must(cluster.Delete, c.path+"/a", c.options)); got != c.want+" x.io/f" {
			t.Errorf("%s: the deletion returns %q, want %q", c.why, got, c.want)
		}
		if got := state(q.must(cluster.Get, c.path+"/a", "")); got != c.stored+" x.io/f" {
			t.Errorf("%s: stored is %q, want %q", c.why, got, c.stored)
		}
	}
}

// Preconditions are checked first; the message has the kind, not the resource.
func TestDeletionPreconditionsAreCheckedFirst(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, maps, `{"metadata":{"name":"a"}}`)
	for options, want := range map[string]string{
		`{"preconditions":{"uid":"other"}}`: `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) ` +
			`does not match the UID in record (the-uid). The object might have been deleted and then recreated`,
		`{"preconditions":{"resourceVersion":"1"}}`: `Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) ` +
			`does not match the ResourceVersion in record (2). The object might have been modified`,
	} {
		if st := q.refused(409, cluster.Delete, maps+"/a", options); st.Message != want {
			t.Errorf("%s:\ngot  %s\nwant %s", options, st.Message, want)
		}
	}
	for _, options := range []string{
		`{"propagationPolicy":"None"}`,
		`{"propagationPolicy":"Orphan","orphanDependents":true}`,
		`{"dryRun":["Some"]}`,
	} {
		if st := q.refused(422, cluster.Delete, maps+"/a", options); st.Details.Kind != "DeleteOptions" {
			t.Errorf("%s: %+v", options, st)
		}
	}
	q.must(cluster.Delete, maps+"/a", `{"preconditions":{"uid":"the-uid","resourceVersion":"2"}}`)
	q.refused(404, cluster.Delete, maps+"/a", "")
}

// kube-apiserver refuses to delete an object if the options remove its last finalizer and have
// a resourceVersion: removing the finalizer changes the version. Without a resourceVersion the
// object is deleted.
func TestDeletionThatRemovesTheLastFinalizer(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, maps, `{"metadata":{"name":"a","finalizers":["orphan"]}}`)
	version := q.must(cluster.Get, maps+"/a", "").Lookup("metadata", "resourceVersion").StringOr("")
	st := q.refused(409, cluster.Delete, maps+"/a", `{"propagationPolicy":"Background","preconditions":{"resourceVersion":"`+version+`"}}`)
	if !strings.Contains(st.Message, "Precondition failed: ResourceVersion in precondition: ") {
		t.Errorf("message %q", st.Message)
	}
	q.must(cluster.Get, maps+"/a", "")
	q.must(cluster.Delete, maps+"/a", `{"propagationPolicy":"Background"}`)
	q.refused(404, cluster.Get, maps+"/a", "")
}

// A write does not delete a pod within its grace period, although it has no finalizers.
func TestWritesDoNotEndTheGracePeriod(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, pods, `{"metadata":{"name":"a"},"spec":{"nodeName":"x","containers":[{"name":"c","image":"i"}]}}`)
	q.must(cluster.Delete, pods+"/a", ``)
	q.must(cluster.Patch, pods+"/a", `{"metadata":{"labels":{"a":"b"}}}`)
	if got := state(q.must(cluster.Get, pods+"/a", "")); got != "03:04:35Z 30" {
		t.Errorf("after a patch: %s", got)
	}
}

// An object that is being deleted can be updated, but not with new finalizers, and is deleted
// when its last finalizer is removed.
func TestObjectIsDeletedWithItsLastFinalizer(t *testing.T) {
	q := fixed(t)
	q.must(cluster.Create, maps, `{"metadata":{"name":"a","finalizers":["x.io/f"]}}`)
	q.must(cluster.Delete, maps+"/a", "")
	st := q.refused(409, cluster.Create, maps, `{"metadata":{"name":"a"}}`)
	if want := `object is being deleted: configmaps "a" already exists`; st.Message != want {
		t.Errorf("message %q, want %q", st.Message, want)
	}
	q.must(cluster.Patch, maps+"/a", `{"data":{"k":"v"}}`)
	q.refused(422, cluster.Patch, maps+"/a", `{"metadata":{"finalizers":["x.io/f","x.io/g"]}}`)
	q.must(cluster.Patch, maps+"/a", `{"metadata":{"deletionTimestamp":null}}`)
	if got := q.must(cluster.Get, maps+"/a", ""); state(got) != "03:04:05Z 0 x.io/f" {
		t.Errorf("after changes: %s", state(got))
	}
	last := q.must(cluster.Patch, maps+"/a", `{"metadata":{"finalizers":null}}`)
	if state(last) != "03:04:05Z 0" {
		t.Errorf("the answer: %s", last)
	}
	q.refused(404, cluster.Get, maps+"/a", "")
}

// A grace period can be shortened but not extended. The kubelet ends it.
func TestGracePeriodCanOnlyBeShortened(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	q := newRequests(t, cluster.Config{Now: func() time.Time { return now }})
	q.must(cluster.Create, pods, `{"metadata":{"name":"p"},"spec":{"nodeName":"x","containers":[{"name":"c","image":"i"}]}}`)
	for _, c := range []struct {
		after   time.Duration
		options string
		want    string
	}{
		{0, `{"gracePeriodSeconds":60}`, "03:05:05Z 60"},
		{time.Second, ``, "03:05:05Z 60"},
		{time.Second, `{"gracePeriodSeconds":90}`, "03:05:05Z 60"},
		{time.Second, `{"gracePeriodSeconds":20}`, "03:04:25Z 20"},
		{time.Minute, `{"gracePeriodSeconds":10}`, "03:05:08Z 1"},
	} {
		now = now.Add(c.after)
		if got := state(q.must(cluster.Delete, pods+"/p", c.options)); got != c.want {
			t.Errorf("%s: %s, want %s", c.options, got, c.want)
		}
	}
	q.must(cluster.Delete, pods+"/p", `{"gracePeriodSeconds":0}`)
	q.refused(404, cluster.Get, pods+"/p", "")
}

// A namespace remains until its finalizers are removed through the finalize subresource.
func TestFinalizeSubresourceEndsANamespace(t *testing.T) {
	const space = "/api/v1/namespaces/a"
	q := fixed(t)
	q.must(cluster.Create, "/api/v1/namespaces", `{"metadata":{"name":"a"}}`)
	live := q.must(cluster.Delete, space, "")
	if phase := live.Lookup("status", "phase").StringOr(""); phase != "Terminating" {
		t.Errorf("its phase is %s", phase)
	}
	q.must(cluster.Delete, space, "")
	q.must(cluster.Update, space+"/finalize", live.Remove("spec", "finalizers").Remove("metadata", "resourceVersion").String())
	q.refused(404, cluster.Get, space, "")
}

func TestDeleteCollectionDeletesTheSelectedObjects(t *testing.T) {
	q := fixed(t)
	for _, c := range []string{`"name":"a","labels":{"x":"1"}`, `"name":"b","labels":{"x":"1"},"finalizers":["x.io/f"]`, `"name":"c"`} {
		q.must(cluster.Create, maps, `{"metadata":{`+c+`}}`)
	}
	list := q.must(cluster.DeleteCollection, maps, "", options(cluster.Options{LabelSelector: "x"}))
	if list.Get("items").Len() != 2 {
		t.Errorf("the answer is %s", list)
	}
	var left []string
	for _, item := range q.must(cluster.List, maps, "").Get("items").Items() {
		left = append(left, item.Lookup("metadata", "name").StringOr("")+" "+state(item))
	}
	if got := strings.Join(left, "; "); got != "b 03:04:05Z 0 x.io/f; c " {
		t.Errorf("left are %q", got)
	}
}

// A pod that no node runs is marked as being deleted and removed by one request. Between both it can
// be read, as with kube-apiserver, so that controllers see its deletionTimestamp.
func TestPodWithoutNodeCanBeSeenEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newRequests(t, cluster.Config{})
		const pods = "/api/v1/namespaces/default/pods"
		q.must(cluster.Create, pods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
		deleted := make(chan struct{})
		go func() {
			defer close(deleted)
			q.must(cluster.Delete, pods+"/p", "")
		}()
		time.Sleep(time.Millisecond)
		if ending := q.must(cluster.Get, pods+"/p", ""); ending.Lookup("metadata", "deletionTimestamp").Kind() != document.String {
			t.Errorf("after a millisecond the metadata is %s", ending.Get("metadata"))
		}
		<-deleted
		q.refused(404, cluster.Get, pods+"/p", "")
	})
}
