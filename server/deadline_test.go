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

// A request that fails because its time limit has passed is answered with 504, even if a plugin of admission, for
// example, makes the end of its context an internal error. Other internal errors stay what they are.
func TestInternalErrorsAfterTheTimeLimit(t *testing.T) {
	f := newFake(t)
	f.answer = func(ctx context.Context, _ *cluster.Request) (*cluster.Response, error) {
		return nil, &cluster.Status{Code: 500, Reason: cluster.ReasonInternal, Message: "Internal error occurred: no answer"}
	}
	s := New(f, Options{})
	for url, want := range map[string]string{
		"?timeout=1ns": `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: request did not complete within requested timeout - context deadline exceeded","reason":"Timeout","details":{},"code":504}`,
		"":             `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Internal error occurred: no answer","reason":"InternalError","code":500}`,
	} {
		for _, method := range []string{"POST", "GET"} {
			if got := strings.TrimSpace(ask(s, method, configMaps+url, "{}").Body.String()); got != want {
				t.Errorf("%s %s: got %s\nwant %s", method, url, got, want)
			}
		}
	}
}
