package server

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
)

// TestDeadlineEqualsContextWithDeadline checks that the context of a request behaves like that of context.WithDeadline,
// whether anything waits for its end or not.
func TestDeadlineEqualsContextWithDeadline(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		at := time.Now().Add(time.Second)
		for _, waits := range []bool{false, true} {
			parent, cancelParent := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
			late, cancelled, ended := withDeadline(parent, at), withDeadline(parent, at.Add(time.Hour)), withDeadline(parent, at.Add(time.Hour))
			child, cancelChild := context.WithCancel(late)
			defer cancelChild()
			for _, d := range []*deadline{late, cancelled, ended} {
				if waits {
					d.Done()
				}
				if err := d.Err(); err != nil || d.Value(key{}) != "value" {
					t.Errorf("before its end: %v, %v", err, d.Value(key{}))
				}
			}
			if end, ok := late.Deadline(); !ok || !end.Equal(at) {
				t.Errorf("deadline: %v", end)
			}
			time.Sleep(time.Until(at))
			synctest.Wait()
			if err := late.Err(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("after the deadline: %v", err)
			}
			if err := child.Err(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a derived context after the deadline: %v", err)
			}
			ended.end()
			cancelParent()
			for _, d := range []*deadline{cancelled, ended} {
				if err := d.Err(); !errors.Is(err, context.Canceled) {
					t.Errorf("after it was cancelled or ended: %v", err)
				}
				<-d.Done()
			}
			late.end()
			cancelled.end()
			at = time.Now().Add(time.Second)
		}
	})
}

// A request whose time limit has passed is answered as kube-apiserver's filter answers it, whatever its handler has found:
// a plugin of admission, for example, makes the end of its context an internal error. Without a limit, an error stays what
// it is.
func TestErrorsAfterTheTimeLimit(t *testing.T) {
	const timedOut = `{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}`
	for _, c := range []struct {
		why    string
		status *cluster.Status
		query  string
		want   string
		media  string
	}{
		{"an internal error", &cluster.Status{Code: 500, Reason: cluster.ReasonInternal, Message: "Internal error occurred: no answer"}, "?timeout=1ns", timedOut, "text/plain; charset=utf-8"},
		{"a conflict", &cluster.Status{Code: 409, Reason: cluster.ReasonConflict, Message: "it has changed"}, "?timeout=1ns", timedOut, "text/plain; charset=utf-8"},
		{"an internal error in time", &cluster.Status{Code: 500, Reason: cluster.ReasonInternal, Message: "Internal error occurred: no answer"}, "",
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Internal error occurred: no answer","reason":"InternalError","code":500}`, "application/json"},
	} {
		f := newFake(t)
		f.answer = func(context.Context, *cluster.Request) (*cluster.Response, error) { return nil, c.status }
		s := New(f, Options{})
		for _, method := range []string{"POST", "GET"} {
			w := ask(s, method, configMaps+c.query, "{}")
			if got := strings.TrimSpace(w.Body.String()); got != c.want || w.Header().Get("Content-Type") != c.media {
				t.Errorf("%s %s: got %s (%s)\nwant %s", method, c.why, got, w.Header().Get("Content-Type"), c.want)
			}
		}
	}
}
