package cluster_test

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// TestOrderOfCauses replaces a Job by one without a selector and with another template, as `helm upgrade --force`
// does. The order of the causes is that of kube-apiserver 1.36.3.
func TestOrderOfCauses(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	job := func(verb cluster.Verb, name, image string) error {
		_, err := c.Do(context.Background(), &cluster.Request{Verb: verb, Group: "batch", Version: "v1", Resource: "jobs", Namespace: "n", Name: name,
			Body: []byte(`{"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"m","image":"` + image + `"}]}}}}`)})
		return err
	}
	if err := job(cluster.Create, "", "m:1"); err != nil {
		t.Fatal(err)
	}
	var st *cluster.Status
	if !errors.As(job(cluster.Update, "j", "m:2"), &st) || st.Details == nil {
		t.Fatalf("not refused with causes: %v", st)
	}
	var got []string
	for _, cause := range st.Details.Causes {
		got = append(got, cause.Type+" "+cause.Field)
	}
	want := []string{
		"FieldValueRequired spec.selector", "FieldValueInvalid spec.template.metadata.labels",
		"FieldValueRequired spec.selector", "FieldValueInvalid spec.template.metadata.labels",
		"FieldValueInvalid spec.selector", "FieldValueInvalid spec.template",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the causes are %q, want %q", got, want)
	}
}

// causeOrders has objects with several faults and the causes for which kube-apiserver 1.36.3 refuses
// them, in its order. One with "live" replaces that object.
//
//go:embed testdata/causeorder.jsonl
var causeOrders []byte

func TestOrderOfCausesIsRecorded(t *testing.T) {
	for line := range bytes.Lines(causeOrders) {
		d, err := document.Parse(line, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		q := newRequests(t, cluster.Config{Addresses: true})
		q.must(cluster.Create, "/api/v1/namespaces", `{"metadata":{"name":"o9"}}`)
		path, object, verb := d.Root.Get("path").StringOr(""), d.Root.Get("object"), cluster.Create
		if live := d.Root.Get("live"); live.Exists() {
			created := q.must(cluster.Create, path, live.String())
			object = object.Set(created.Lookup("metadata", "resourceVersion"), "metadata", "resourceVersion")
			path, verb = path+"/"+live.Lookup("metadata", "name").StringOr(""), cluster.Update
		}
		_, st := q.do(verb, path, object.String())
		if st == nil || st.Details == nil {
			t.Errorf("%s %s is not refused with causes: %v", path, object, st)
			continue
		}
		var got []string
		for _, c := range st.Details.Causes {
			got = append(got, strings.TrimPrefix(c.Type, "FieldValue")+" "+c.Field)
		}
		if want := d.Root.Get("causes").Strings(); !slices.Equal(got, want) {
			t.Errorf("%s %s:\ngot  %q\nwant %q", path, object, got, want)
		}
	}
}
