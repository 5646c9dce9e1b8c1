//go:build !js

package cluster_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// The history is kept for one interval at least and two at most: after that, a list that began before
// gets 410 with a token with which it can go on, and so does a watch, without one.
func TestCompactEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const interval = 5 * time.Minute
		q := newRequests(t, cluster.Config{})
		go q.c.CompactEvery(t.Context(), interval)
		for _, name := range [...]string{"a", "b", "c"} {
			q.must(cluster.Create, maps, `{"metadata":{"name":"`+name+`"}}`)
		}
		first := q.must(cluster.List, maps, "", func(r *cluster.Request) { r.Limit = 1 })
		next := func(token string) (*cluster.Response, *cluster.Status) {
			return q.do(cluster.List, maps, "", func(r *cluster.Request) { r.Limit, r.Continue = 1, token })
		}
		token, version := first.Lookup("metadata", "continue").StringOr(""), first.Lookup("metadata", "resourceVersion").StringOr("")
		watched := func() cluster.Event {
			response, st := q.do(cluster.Watch, maps, "", func(r *cluster.Request) { r.ResourceVersion = version })
			if st != nil {
				t.Fatal(st)
			}
			defer response.Events.Stop()
			e, err := response.Events.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		q.must(cluster.Create, maps, `{"metadata":{"name":"d"}}`)
		time.Sleep(interval + time.Second)
		synctest.Wait()
		if _, st := next(token); st != nil {
			t.Errorf("the next page after one interval: %v", st)
		}
		if e := watched(); e.Object.Lookup("metadata", "name").StringOr("") != "d" {
			t.Errorf("a watch after one interval: %v", e.Object)
		}
		time.Sleep(interval)
		synctest.Wait()
		_, st := next(token)
		if st == nil || st.Code != 410 || st.Continue == "" {
			t.Fatalf("the next page after two intervals: %v", st)
		}
		if page, st := next(st.Continue); st != nil || page.Items()[0].Lookup("metadata", "name").StringOr("") != "b" {
			t.Errorf("the next page with the token of the error: %v, %v", page, st)
		}
		if e := watched(); e.Object.Lookup("metadata", "name").StringOr("") != "d" {
			t.Errorf("a watch after two intervals, from the latest writes: %v", e.Object)
		}
		for i := range cluster.WatchCompacted {
			q.must(cluster.Create, maps, `{"metadata":{"name":"e`+strconv.Itoa(i)+`"}}`)
		}
		if e := watched(); e.Object.Lookup("metadata", "name").StringOr("") != "d" {
			t.Errorf("a watch before the writes are compacted: %v", e.Object)
		}
		time.Sleep(2 * interval)
		synctest.Wait()
		if e := watched(); e.Object.Get("code").String() != "410" {
			t.Errorf("a watch after two intervals, from more writes: %v", e.Object)
		}
	})
}

// An interval of 0 keeps the history.
func TestCompactNever(t *testing.T) {
	for _, interval := range [...]time.Duration{0, -time.Second} {
		q := newRequests(t, cluster.Config{})
		q.c.CompactEvery(t.Context(), interval) // returns
		q.must(cluster.Create, maps, `{"metadata":{"name":"a"}}`)
	}
}
