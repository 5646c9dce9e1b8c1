// In a browser, the engines have no watches.

//go:build !js || watches

package cluster

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestListFromAnyVersionHasNoLimit(t *testing.T) {
	c := configMaps(t)
	for version, want := range map[string]int{"": 1, "0": 2} {
		r := &Request{Verb: List, Version: "v1", Resource: "configmaps", Options: Options{ResourceVersion: version, Limit: 1}}
		resp, err := c.Do(context.Background(), r)
		if err != nil || resp.Object.Get("items").Len() != want {
			t.Errorf("resourceVersion %q: %v, %s", version, err, resp.Object)
		}
	}
}

// TestFieldSelectorOfAPage has the answers of kube-apiserver 1.36.3 to lists with the continue token
// of another one: a field selector does not narrow the scope to which the token is relative.
func TestFieldSelectorOfAPage(t *testing.T) {
	c := configMaps(t)
	list := func(namespace string, o Options) (names string, next string) {
		t.Helper()
		resp, err := c.Do(context.Background(), &Request{Verb: List, Version: "v1", Resource: "configmaps", Namespace: namespace, Options: o})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range resp.Object.Get("items").Items() {
			names += meta(item, "name")
		}
		return names, meta(resp.Object, "continue")
	}
	for _, name := range []string{"c", "d"} {
		r := &Request{Verb: Create, Version: "v1", Resource: "configmaps", Namespace: "n", Body: []byte(`{"metadata":{"name":"` + name + `"}}`)}
		if _, err := c.Do(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []struct {
		why, namespace, first, selector string
		limit                           int64
		want                            string
		more                            bool
	}{
		{"an object after the token", "n", "", "metadata.name=d", 0, "d", false},
		{"an object before it", "n", "", "metadata.name=a", 0, "", false},
		{"further objects are looked at", "n", "", "metadata.name=c", 1, "c", true},
		{"an object and its namespace", "", "", "metadata.name=c,metadata.namespace=n", 1, "c", true},
		{"the token of a narrowed list is relative to the namespace", "", "metadata.namespace=n", "metadata.namespace=n", 2, "ab", true},
	} {
		_, token := list(s.namespace, Options{Limit: 2, FieldSelector: s.first})
		names, next := list(s.namespace, Options{Limit: s.limit, Continue: token, FieldSelector: s.selector})
		if names != s.want || (next != "") != s.more {
			t.Errorf("%s: got %q, continue %q", s.why, names, next)
		}
	}
}

// A resourceVersion with a limit means that version, but not for the list of a single object.
func TestVersionOfASingleObject(t *testing.T) {
	c := configMaps(t)
	r := &Request{Verb: Update, Version: "v1", Resource: "configmaps", Namespace: "n", Name: "a", Body: []byte(`{"metadata":{"name":"a"},"data":{"k":"v"}}`)}
	if _, err := c.Do(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	for selector, want := range map[string]string{"metadata.name=a": "v", "metadata.name!=b": "", "metadata.namespace=n": ""} {
		r := &Request{Verb: List, Version: "v1", Resource: "configmaps", Options: Options{ResourceVersion: "2", Limit: 5, FieldSelector: selector + ",metadata.namespace=n"}}
		resp, err := c.Do(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Object.Get("items").At(0).Lookup("data", "k").StringOr(""); got != want {
			t.Errorf("%s: data.k is %q, want %q", selector, got, want)
		}
	}
}

func TestWatchFromAnyVersionSendsInitialBookmark(t *testing.T) {
	c := configMaps(t)
	for version, want := range map[string]string{"": "ADDED ADDED BOOKMARK", "0": "ADDED ADDED BOOKMARK", "1": "ADDED"} {
		r := &Request{Verb: Watch, Version: "v1", Resource: "configmaps", Options: Options{ResourceVersion: version, Bookmarks: true}}
		resp, err := c.Do(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for range strings.Fields(want) {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			e, err := resp.Events.Next(ctx)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Type)
			if e.Type == "BOOKMARK" && !e.Object.Get("metadata").Get("annotations").Get(initialEnd).Exists() {
				t.Errorf("resourceVersion %q: the bookmark does not mark the end of the initial events: %s", version, e.Object)
			}
		}
		resp.Events.Stop()
		if strings.Join(got, " ") != want {
			t.Errorf("resourceVersion %q: got %v, want %s", version, got, want)
		}
	}
	r := &Request{Verb: Watch, Version: "v1", Resource: "configmaps", Options: Options{Continue: "x"}}
	if _, err := c.Do(context.Background(), r); err == nil || !strings.Contains(err.Error(), "continue") {
		t.Errorf("a watch with continue: %v", err)
	}
}

// A list whose continue token has expired can be continued with the token in the error.
func TestListContinuesAfterCompaction(t *testing.T) {
	c := configMaps(t)
	list := func(token string) (*Response, error) {
		return c.Do(context.Background(), &Request{Verb: List, Version: "v1", Resource: "configmaps", Options: Options{Limit: 1, Continue: token}})
	}
	first, err := list("")
	if err != nil {
		t.Fatal(err)
	}
	revision, err := c.store.Revision(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(context.Background(), &Request{Verb: Delete, Version: "v1", Resource: "configmaps", Namespace: "n", Name: "a"}); err != nil {
		t.Fatal(err)
	}
	if err := c.store.Compact(context.Background(), revision+1); err != nil {
		t.Fatal(err)
	}
	var st *Status
	if _, err = list(first.Object.Lookup("metadata", "continue").StringOr("")); !errors.As(err, &st) || st.Code != 410 ||
		!strings.HasPrefix(st.Message, "The provided continue parameter is too old to display a consistent list result.") {
		t.Fatalf("got %v, want 410", err)
	}
	exact := &Request{Verb: List, Version: "v1", Resource: "configmaps", Options: Options{ResourceVersion: "1", ResourceVersionMatch: "Exact"}}
	var old *Status
	if _, err := c.Do(context.Background(), exact); !errors.As(err, &old) || old.Message != "The resourceVersion for the provided list is too old." {
		t.Errorf("a list of an old version: %v", err)
	}
	rest, err := list(st.Object().Lookup("metadata", "continue").StringOr(""))
	if err != nil || rest.Object.Get("items").Len() != 1 || meta(rest.Object.Get("items").At(0), "name") != "b" {
		t.Errorf("the rest is %v, %v", rest, err)
	}
}

// A continue token has a resourceVersion, so that no other one may be given, valid or not. An invalid token is reported
// first.
func TestVersionOfAContinuedList(t *testing.T) {
	c := configMaps(t)
	valid := base64.RawURLEncoding.EncodeToString([]byte("v1:5:default/a"))
	for _, tc := range []struct{ version, token, want string }{
		{"5", valid, "specifying resource version is not allowed when using continue"},
		{"a", valid, "specifying resource version is not allowed when using continue"},
		{"5", "=", "invalid continue token: continue key is not valid: illegal base64 data at input byte 0"},
		{"a", "=", "invalid continue token: continue key is not valid: illegal base64 data at input byte 0"},
		{"0", "=", "invalid continue token: continue key is not valid: illegal base64 data at input byte 0"},
	} {
		version, want := tc.version, tc.want
		r := &Request{Verb: List, Version: "v1", Resource: "configmaps", Options: Options{Continue: tc.token, ResourceVersion: version}}
		var st *Status
		if _, err := c.Do(context.Background(), r); !errors.As(err, &st) || st.Message != want {
			t.Errorf("%s: %v, want %s", version, err, want)
		}
	}
}

// An unknown field selector is refused in the words of kube-apiserver 1.36.3, which differ
// between kinds.
func TestUnknownFieldSelector(t *testing.T) {
	c := configMaps(t)
	for _, w := range []struct{ group, version, resource, message string }{
		{"", "v1", "configmaps", `"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{"apps", "v1", "deployments", `"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{"", "v1", "pods", `field label not supported: spec.x`},
		{"certificates.k8s.io", "v1", "certificatesigningrequests", `field label not supported: spec.x`},
		{"batch", "v1", "jobs", `field label "spec.x" not supported for Job`},
		{"resource.k8s.io", "v1", "resourceslices", `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.x`},
	} {
		_, err := c.Do(context.Background(), &Request{Verb: List, Group: w.group, Version: w.version, Resource: w.resource, Options: Options{FieldSelector: "spec.x=1"}})
		var st *Status
		if !errors.As(err, &st) || st.Code != 400 || st.Message != w.message {
			t.Errorf("%s: got %v, want %s", w.resource, err, w.message)
		}
	}
}
