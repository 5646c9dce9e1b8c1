package cluster_test

import (
	"context"
	"errors"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

func TestDoOneIsForOneObject(t *testing.T) {
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	request := func(verb cluster.Verb, body string) *cluster.Request {
		r := &cluster.Request{Verb: verb, Version: "v1", Resource: "configmaps", Namespace: "default", Body: []byte(body)}
		if verb == cluster.Get {
			r.Name = "a"
		}
		return r
	}
	if resp, err := c.DoOne(context.Background(), request(cluster.Create, `{"metadata":{"name":"a"}}`)); err != nil || resp.Code != 201 {
		t.Fatalf("create: %+v %v", resp, err)
	}
	if resp, err := c.DoOne(context.Background(), request(cluster.Get, "")); err != nil || resp.Object.Lookup("metadata", "name").StringOr("") != "a" {
		t.Errorf("get: %+v %v", resp, err)
	}
	for _, verb := range []cluster.Verb{cluster.List, cluster.Watch, cluster.DeleteCollection} {
		var st *cluster.Status
		if _, err := c.DoOne(context.Background(), request(verb, "")); !errors.As(err, &st) || st.Code != 405 {
			t.Errorf("%v: %v, want 405", verb, err)
		}
	}
}
