package controllers

import (
	"bytes"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// TestFlowControlOfAnExistingStore starts a server over a store whose configuration of priority and fairness clients have
// changed. kube-apiserver 1.36.3, which repeats this every minute, had the same results.
func TestFlowControlOfAnExistingStore(t *testing.T) {
	const on, off = `"true"`, `"false"`
	patchOf := func(annotation, spec string) string {
		return `{"metadata":{"annotations":{"` + autoUpdate + `":` + annotation + `}},"spec":{` + spec + `}}`
	}
	for _, tc := range []struct {
		name, resource, object string
		patch                  string // "" deletes the object
		annotation, spec       string // a part of the spec
	}{
		{"a deleted object is created again", flowSchemas, "exempt", "", on, `"matchingPrecedence":1,`},
		{"as is a deleted priority level", priorityLevels, "exempt", "", on, `"type":"Exempt"`},
		{"kube-apiserver decides on the spec", flowSchemas, "global-default", `{"spec":{"matchingPrecedence":9901}}`, on, `"matchingPrecedence":9900,`},
		{"a client does", flowSchemas, "service-accounts", patchOf(off, `"matchingPrecedence":8999`), off, `"matchingPrecedence":8999,`},
		{"the annotation is missing", flowSchemas, "kube-scheduler", patchOf("null", ""), on, `"matchingPrecedence":800,`},
		{"the annotation is missing, and the spec is that of a client", flowSchemas, "kube-controller-manager", patchOf("null", `"matchingPrecedence":801`), off, `"matchingPrecedence":801,`},
		{"the shares of the priority level exempt are those of a client", priorityLevels, "exempt", `{"spec":{"exempt":{"nominalConcurrencyShares":3}}}`, on, `"nominalConcurrencyShares":3`},
		{"a mandatory object has the annotation", flowSchemas, "catch-all", patchOf(off, ""), on, `"matchingPrecedence":10000,`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := cluster.NewStore()
			begin := func() *cluster.Cluster {
				c, err := cluster.New(cluster.Config{Store: s})
				if err != nil {
					t.Fatal(err)
				}
				if err := Bootstrap(t.Context(), c, netip.AddrPort{}); err != nil {
					t.Fatal(err)
				}
				return c
			}
			c := begin()
			r := &cluster.Request{Verb: cluster.Delete, Group: flowGroup, Version: "v1", Resource: tc.resource, Name: tc.object}
			if tc.patch != "" {
				r.Verb, r.Format, r.Body = cluster.Patch, cluster.MergePatch, []byte(tc.patch)
			}
			if _, err := c.Do(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			c = begin()
			got, err := c.Do(t.Context(), &cluster.Request{Group: flowGroup, Version: "v1", Resource: tc.resource, Name: tc.object})
			if err != nil {
				t.Fatal(err)
			}
			annotation, spec := got.Object.Lookup("metadata", "annotations", autoUpdate), got.Object.Get("spec").String()
			if annotation.String() != tc.annotation || !strings.Contains(spec, tc.spec) {
				t.Errorf("the annotation is %s and the spec %s", annotation, spec)
			}
			if tc.resource == flowSchemas && !strings.Contains(got.Object.Get("status").String(), `"reason":"Found"`) {
				t.Errorf("the status is %s", got.Object.Get("status"))
			}
			before := revisionOf(t, c)
			if after := revisionOf(t, begin()); after != before {
				t.Errorf("another start has written: the revision was %s and is %s", before, after)
			}
		})
	}
}

// revisionOf returns the latest resourceVersion.
func revisionOf(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	list, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.List, Version: "v1", Resource: "namespaces"})
	if err != nil {
		t.Fatal(err)
	}
	return list.Object.Lookup("metadata", "resourceVersion").StringOr("")
}

// TestFlowControlIsThatOfKubeAPIServer compares the configuration of a new cluster with that of a new kube-apiserver 1.36.3,
// which was recorded without what differs between servers.
func TestFlowControlIsThatOfKubeAPIServer(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Bootstrap(t.Context(), c, netip.AddrPort{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/flowcontrol.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]int{}
	for line := range bytes.Lines(text) {
		want, err := document.Parse(line, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		resource := priorityLevels
		if want.Root.Get("kind").StringOr("") == "FlowSchema" {
			resource = flowSchemas
		}
		recorded[resource]++
		name := want.Root.Lookup("metadata", "name").StringOr("")
		got, err := c.Do(t.Context(), &cluster.Request{Group: flowGroup, Version: "v1", Resource: resource, Name: name})
		if err != nil {
			t.Error(err)
		} else if o := withoutOwn(got.Object); !document.Equal(o, want.Root) {
			t.Errorf("%s %s\ngot  %s\nwant %s", resource, name, o, want.Root)
		}
	}
	for resource, want := range recorded {
		list, err := c.Do(t.Context(), &cluster.Request{Verb: cluster.List, Group: flowGroup, Version: "v1", Resource: resource})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(list.Items()); got != want {
			t.Errorf("%d %s, want %d", got, resource, want)
		}
	}
}

// withoutOwn returns an object without the metadata and the times that differ between servers.
func withoutOwn(o document.Value) document.Value {
	for _, key := range []string{"uid", "resourceVersion", "creationTimestamp"} {
		o = o.Remove("metadata", key)
	}
	for path, key := range map[[2]string]string{{"metadata", "managedFields"}: "time", {"status", "conditions"}: "lastTransitionTime"} {
		var items document.ListBuilder
		for _, item := range o.Lookup(path[:]...).Items() {
			items.Append(item.Without(key))
		}
		if list := items.List(); list.Len() > 0 {
			o = o.Set(list, path[:]...)
		}
	}
	return o
}

// TestSeededObjectsAreThoseOfRequests creates each object of the configuration by requests, and compares it with the one that
// a new cluster has.
func TestSeededObjectsAreThoseOfRequests(t *testing.T) {
	config := cluster.Config{
		Now: func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) },
		UID: func() string { return "u" },
	}
	seeded, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := startFlowControl(t.Context(), seeded); err != nil {
		t.Fatal(err)
	}
	written, err := cluster.New(config)
	if err != nil {
		t.Fatal(err)
	}
	f := &flowControl{cluster: written}
	for _, o := range flowConfiguration() {
		d, err := document.Parse([]byte(o.text("")), document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := f.request(cluster.Create, o.resource, "")
		r.Document, r.FieldManager = &document.Document{Root: d.Root.Without("status").Remove("metadata", "managedFields")}, flowProducer
		if _, err := written.Do(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.updateStatus(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, o := range flowConfiguration() {
		r := f.request(cluster.Get, o.resource, o.name)
		got, err := seeded.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := written.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := got.Object.Remove("metadata", "resourceVersion"), want.Object.Remove("metadata", "resourceVersion"); !document.Equal(got, want) {
			t.Errorf("%s %s\ngot  %s\nwant %s", o.resource, o.name, got, want)
		}
	}
}
