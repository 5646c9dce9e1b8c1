package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// Concurrent read-modify-write updates lose nothing: the later one fails with a conflict.
func TestConcurrentUpdatesAreNeverLost(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, maps, `{"metadata":{"name":"c"},"data":{"n":"0"}}`)
	const clients, each = 8, 25
	run(t, clients, func(int) error {
		for done := 0; done < each; {
			live, err := q.c.Do(context.Background(), configMap(cluster.Get, "c", ""))
			if err != nil {
				return err
			}
			n, err := strconv.Atoi(live.Object.Lookup("data", "n").StringOr(""))
			if err != nil {
				return err
			}
			next := live.Object.Set(document.NewString(strconv.Itoa(n+1)), "data", "n")
			_, err = q.c.Do(context.Background(), configMap(cluster.Update, "c", next.String()))
			var st *cluster.Status
			switch {
			case err == nil:
				done++
			case errors.As(err, &st) && st.Reason == cluster.ReasonConflict:
			default:
				return err
			}
		}
		return nil
	})
	if got := q.must(cluster.Get, maps+"/c", "").Lookup("data", "n").StringOr(""); got != strconv.Itoa(clients*each) {
		t.Errorf("the sum is %s, want %d", got, clients*each)
	}
}

// Concurrent patches without a resourceVersion never conflict, and none is lost; neither are
// applies by different managers.
func TestConcurrentPatchesAreNeverLost(t *testing.T) {
	q := newRequests(t, cluster.Config{})
	q.must(cluster.Create, maps, `{"metadata":{"name":"c"}}`)
	watch, st := q.do(cluster.Watch, maps, "", func(r *cluster.Request) { r.ResourceVersion = "1" })
	if st != nil {
		t.Fatal(st)
	}
	defer watch.Events.Stop()
	const clients, each = 6, 20
	run(t, clients, func(i int) error {
		for j := range each {
			r := configMap(cluster.Patch, "c", fmt.Sprintf(`{"data":{"k%d-%d":"v"}}`, i, j))
			r.Format = cluster.MergePatch
			if i%2 == 1 {
				data := ""
				for k := range j + 1 {
					data += fmt.Sprintf(",\"k%d-%d\":\"v\"", i, k)
				}
				r = configMap(cluster.Patch, "c", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{`+data[1:]+`}}`)
				r.Format, r.FieldManager = cluster.ApplyPatch, fmt.Sprint("m", i)
			}
			if _, err := q.c.Do(context.Background(), r); err != nil {
				return err
			}
		}
		return nil
	})
	object := q.must(cluster.Get, maps+"/c", "")
	if got := object.Get("data").Len(); got != clients*each {
		t.Errorf("%d keys are left of %d", got, clients*each)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	last, events := int64(0), 0
	for {
		e, err := watch.Events.Next(done)
		if err != nil {
			break
		}
		version, err := strconv.ParseInt(e.Object.Lookup("metadata", "resourceVersion").StringOr(""), 10, 64)
		if err != nil || version <= last {
			t.Fatalf("after version %d comes %s", last, e.Object.Lookup("metadata", "resourceVersion"))
		}
		last = version
		events++
	}
	if want := 1 + clients*each; events != want {
		t.Errorf("the watch saw %d events, want %d", events, want)
	}
}

// Definitions are created and deleted while their objects are created, and no object of a deleted
// definition remains.
func TestConcurrentDefinitions(t *testing.T) {
	const group = "x.example.com"
	q := newRequests(t, cluster.Config{})
	do := func(r *cluster.Request) { _, _ = q.c.Do(context.Background(), r) }
	for round := range 100 {
		run(t, 4, func(i int) error {
			for range 10 {
				do(&cluster.Request{Verb: cluster.Create, Group: "apiextensions.k8s.io", Version: "v1",
					Resource: "customresourcedefinitions", Body: []byte(thingCRD("things", "Thing", simpleSpec, ""))})
				object := []byte(fmt.Sprintf(`{"apiVersion":"x.example.com/v1","kind":"Thing","metadata":{"name":"t%d"}}`, i))
				if i%2 == 0 {
					do(&cluster.Request{Verb: cluster.Create, Group: group, Version: "v1", Resource: "things", Namespace: "n", Body: object})
				} else {
					do(&cluster.Request{Verb: cluster.Patch, Format: cluster.ApplyPatch, Group: group, Version: "v1", Resource: "things", Namespace: "n",
						Name: fmt.Sprintf("t%d", i), Body: object, Options: cluster.Options{FieldManager: "m"}})
				}
				do(&cluster.Request{Verb: cluster.Delete, Group: "apiextensions.k8s.io", Version: "v1",
					Resource: "customresourcedefinitions", Name: "things.x.example.com"})
			}
			return nil
		})
		if _, st := q.do(cluster.Delete, crds+"/things.x.example.com", ""); st != nil && st.Code != 404 {
			t.Fatal(st)
		}
		q.must(cluster.Create, crds, thingCRD("things", "Thing", simpleSpec, ""))
		if left := q.must(cluster.List, things, "").Get("items"); left.Len() > 0 {
			t.Fatalf("round %d: %s", round, left)
		}
		if _, st := q.do(cluster.Delete, crds+"/things.x.example.com", ""); st != nil {
			t.Fatal(st)
		}
	}
}

func configMap(verb cluster.Verb, name, body string) *cluster.Request {
	return &cluster.Request{Verb: verb, Version: "v1", Resource: "configmaps", Namespace: "n", Name: name, Body: []byte(body), UserAgent: "test"}
}

// run runs clients concurrently and reports their errors.
func run(t *testing.T, clients int, client func(i int) error) {
	t.Helper()
	var group sync.WaitGroup
	failed := make(chan error, clients)
	for i := range clients {
		group.Go(func() {
			if err := client(i); err != nil {
				failed <- err
			}
		})
	}
	group.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
}

// Every write ends a pod whose grace period is over. A deletion that has marked a pod in this way
// succeeds also if another request ends it, and so does an eviction.
func TestDeletionIsNotLostToAnotherWrite(t *testing.T) {
	const pods = "/api/v1/namespaces/n/pods"
	for _, c := range []struct {
		verb       cluster.Verb
		path, body string
		code       int
	}{
		{cluster.Delete, pods + "/p", "", 200},
		{cluster.Delete, pods + "/p", `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}`, 200},
		{cluster.Create, pods + "/p/eviction", `{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p"},"deleteOptions":{"gracePeriodSeconds":0}}`, 201},
	} {
		for range 20 {
			q := newRequests(t, cluster.Config{})
			q.must(cluster.Create, pods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
			watch, st := q.do(cluster.Watch, pods, "")
			if st != nil {
				t.Fatal(st)
			}
			ended := make(chan *cluster.Status, 1)
			go func() { // as a kubelet: ends the pod as soon as it is marked
				for {
					e, err := watch.Events.Next(t.Context())
					if err != nil || e.Object.Lookup("metadata", "deletionTimestamp").Exists() {
						break
					}
				}
				_, st := q.do(cluster.Patch, pods+"/p/status", `{"status":{"message":"ended"}}`)
				ended <- st
			}()
			response, st := q.do(c.verb, c.path, c.body)
			if st != nil || response.Code != c.code {
				t.Fatalf("%s %s: %v, want %d", c.verb, c.path, st, c.code)
			}
			<-ended
			watch.Events.Stop()
			if _, st := q.do(cluster.Get, pods+"/p", ""); st == nil || st.Code != 404 {
				t.Fatalf("%s %s: the pod is still there: %v", c.verb, c.path, st)
			}
		}
	}
}
