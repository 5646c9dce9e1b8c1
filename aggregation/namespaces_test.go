package aggregation

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// shelf is an extension API server with the objects of one resource in the namespace lab, in pages of two.
type shelf struct {
	mu      sync.Mutex
	objects map[string]string // the finalizers by name, with commas
	verbs   string
	// refused is the response to deletions, "" for none; code is its status code.
	refused string
	code    int
	users   map[string]bool
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const root = "/apis/ext.example.com/v1"
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, root+"/namespaces/lab/things")
	switch {
	case r.URL.Path == "/apis":
		w.WriteHeader(http.StatusNotAcceptable)
	case r.URL.Path == root:
		_, _ = fmt.Fprintf(w, `{"resources":[{"name":"things","namespaced":true,"kind":"Thing","verbs":[%s]},{"name":"wide","kind":"Wide","verbs":["delete","list"]},
			{"name":"absent","namespaced":true,"kind":"Absent","verbs":["delete","deletecollection","list"]},{"name":"fixed","namespaced":true,"kind":"Fixed","verbs":["list"]}]}`, s.verbs)
	case path == r.URL.Path:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodDelete:
		s.users[r.Header.Get("X-Remote-User")] = true
		if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), `"propagationPolicy":"Background"`) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if s.refused != "" {
			w.WriteHeader(s.code)
			_, _ = io.WriteString(w, s.refused)
			return
		}
		maps.DeleteFunc(s.objects, func(name, finalizers string) bool {
			return finalizers == "" && (path == "" || path == "/"+name)
		})
	default:
		names := slices.Sorted(maps.Keys(s.objects))
		from, more := 0, ""
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
		to := min(from+2, len(names))
		if to < len(names) {
			more = fmt.Sprint(to)
		}
		var items []string
		for _, name := range names[from:to] {
			finalizers := ""
			if s.objects[name] != "" {
				finalizers = `"` + strings.ReplaceAll(s.objects[name], ",", `","`) + `"`
			}
			items = append(items, fmt.Sprintf(`{"metadata":{"name":%q,"finalizers":[%s]}}`, name, finalizers))
		}
		_, _ = fmt.Fprintf(w, `{"metadata":{"continue":%q},"items":[%s]}`, more, strings.Join(items, ","))
	}
}

// TestDeleteAll deletes what a namespace has in an extension API server. The messages are those of client-go's clients.
func TestDeleteAll(t *testing.T) {
	const all = `"delete","deletecollection","list"`
	some := map[string]string{"a": "", "b": "x,y", "c": "", "d": "x", "e": ""}
	for _, c := range []struct {
		why, verbs, refused string
		code                int
		left                []string
		finalizers          map[string]int
		failed              string
	}{
		{why: "all at once", verbs: all, left: []string{"b", "d"}, finalizers: map[string]int{"x": 2, "y": 1}},
		{why: "one by one", verbs: `"delete","list"`, left: []string{"b", "d"}, finalizers: map[string]int{"x": 2, "y": 1}},
		{why: "objects that cannot be deleted", verbs: `"list"`, left: []string{"a", "b", "c", "d", "e"}, finalizers: map[string]int{}},
		{why: "a refusal", verbs: all, refused: `{"kind":"Status","message":"things are kept"}`, code: 403, failed: "things are kept"},
		{why: "a service that cannot answer", verbs: all, refused: "no", code: 503, failed: "the server is currently unable to handle the request (delete things.ext.example.com)"},
		{why: "an internal error", verbs: all, refused: "no", code: 500, failed: `an error on the server ("no") has prevented the request from succeeding (delete things.ext.example.com)`},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := &shelf{objects: maps.Clone(some), verbs: c.verbs, refused: c.refused, code: c.code, users: map[string]bool{}}
			e := newExtension(t, s.ServeHTTP)
			a := newAggregator(t)
			a.create(t, services, external)
			a.create(t, apiServices, e.registration())
			eventually(t, func() string { return "the resources are not known" }, func() bool {
				b := a.Find("ext.example.com", "v1")
				if b == nil {
					return false
				}
				_, current := b.Resources()
				return current && b.Available()
			})
			left := a.DeleteAll(t.Context(), "lab")
			var failed string
			for _, err := range left.Failed {
				failed += err.Error()
			}
			counted := map[string]int{}
			if c.failed == "" && strings.Contains(c.verbs, "delete") {
				counted["things.ext.example.com"] = len(c.left)
			}
			if failed != c.failed || len(left.Undiscovered) > 0 || !maps.Equal(left.Resources, counted) {
				t.Errorf("got %+v, want %v and %q", left, counted, c.failed)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if c.failed == "" && !reflect.DeepEqual(slices.Sorted(maps.Keys(s.objects)), c.left) {
				t.Errorf("%v are left, want %v", s.objects, c.left)
			}
			if c.failed == "" && strings.Contains(c.verbs, "delete") && !maps.Equal(left.Finalizers, c.finalizers) {
				t.Errorf("the finalizers are %v, want %v", left.Finalizers, c.finalizers)
			}
			delete(s.users, "system:serviceaccount:kube-system:namespace-controller")
			if len(s.users) > 0 {
				t.Errorf("the users are %v", s.users)
			}
		})
	}
}

// TestDeleteAllUndiscovered: versions whose resources are not known are reported.
func TestDeleteAllUndiscovered(t *testing.T) {
	a := newAggregator(t)
	e := newExtension(t, func(http.ResponseWriter, *http.Request) {})
	a.create(t, apiServices, e.registration())
	a.awaitCondition(t, "no Service", "False ServiceNotFound", "")
	left := a.DeleteAll(t.Context(), "lab")
	if !slices.Equal(left.Undiscovered, []string{"ext.example.com/v1"}) || len(left.Failed) > 0 {
		t.Errorf("got %+v", left)
	}
}
