package cluster_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
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
