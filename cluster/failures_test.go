//go:build !js

package cluster

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/store"
)

// faulty is a store in which single operations fail, or something happens before they return.
type faulty struct {
	store.Store[*Record]
	list, update error
	watched      func()
}

func (f *faulty) List(ctx context.Context, scope string, o store.ListOptions[*Record]) (store.Page[*Record], error) {
	if f.list != nil {
		return store.Page[*Record]{}, f.list
	}
	return f.Store.List(ctx, scope, o)
}

func (f *faulty) Update(ctx context.Context, key string, o store.UpdateOptions, change store.UpdateFunc[*Record]) (store.Item[*Record], error) {
	if f.update != nil {
		return store.Item[*Record]{}, f.update
	}
	return f.Store.Update(ctx, key, o, change)
}

func (f *faulty) Watch(ctx context.Context, scope string, o store.WatchOptions) (store.Watcher[*Record], error) {
	w, err := f.Store.Watch(ctx, scope, o)
	if watched := f.watched; watched != nil {
		f.watched = nil
		watched()
	}
	return w, err
}

func newFaulty(t *testing.T) (*Cluster, *faulty) {
	t.Helper()
	f := &faulty{Store: NewStore()}
	c, err := New(Config{Store: f})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, f
}

func define(t *testing.T, c *Cluster, plural, kind string) {
	t.Helper()
	_, err := c.Do(t.Context(), &Request{Verb: Create, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Body: []byte(
		`{"metadata":{"name":"` + plural + `.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"` + plural + `","kind":"` + kind + `"},` +
			`"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)})
	if err != nil {
		t.Fatal(err)
	}
}

// While the other definitions of a group cannot be listed, no name counts as free and no version as gone.
func TestNamesAreNotFreeIfTheOthersAreUnknown(t *testing.T) {
	c, f := newFaulty(t)
	if err := c.RegisterVersions(t.Context()); err != nil {
		t.Fatal(err)
	}
	define(t, c, "things", "Thing")
	f.list = &store.UnavailableError{Err: errors.New("the leader is gone")}
	define(t, c, "others", "Thing")
	f.list = nil
	names := func(name string) string {
		got, err := c.Do(t.Context(), &Request{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return got.Object.Lookup("status", "acceptedNames", "kind").StringOr("")
	}
	if names("things.example.com") != "Thing" || names("others.example.com") != "" {
		t.Errorf("things has the kind %q, others %q", names("things.example.com"), names("others.example.com"))
	}
	if _, err := c.Do(t.Context(), &Request{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices", Name: "v1.example.com"}); err != nil {
		t.Errorf("the APIService of the group: %v", err)
	}
}

// A binding whose outcome is not known is answered like any other write.
func TestBindingWithUnknownOutcome(t *testing.T) {
	c, f := newFaulty(t)
	pod := &Request{Verb: Create, Version: "v1", Resource: "pods", Namespace: "n", Body: []byte(`{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)}
	if _, err := c.Do(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	f.update = &store.UnavailableError{Err: errors.New("the leader is gone"), Unknown: true}
	bind := &Request{Verb: Create, Version: "v1", Resource: "pods", Subresource: "binding", Namespace: "n", Name: "p",
		Body: []byte(`{"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{"kind":"Node","name":"node"}}`)}
	var status *Status
	if _, err := c.Do(t.Context(), bind); !errors.As(err, &status) || status.Code != 504 {
		t.Errorf("%v, want 504", err)
	}
}

// A watch that is opened while the definition of its objects is deleted ends, too.
func TestWatchEndsWithADefinitionThatIsDeletedMeanwhile(t *testing.T) {
	c, f := newFaulty(t)
	define(t, c, "things", "Thing")
	f.watched = func() {
		if _, err := c.Do(t.Context(), &Request{Verb: Delete, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: "things.example.com"}); err != nil {
			t.Error(err)
		}
	}
	watch, err := c.Do(t.Context(), &Request{Verb: Watch, Group: "example.com", Version: "v1", Resource: "things", Namespace: "n"})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Events.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		if _, err := watch.Events.Next(ctx); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v, want the end of the stream", err)
		}
	}
}

// The object before a change has the resourceVersion that it had then.
func TestChangesHaveTheVersionBefore(t *testing.T) {
	c, _ := newFaulty(t)
	changes, err := c.Changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Stop()
	m := &Request{Verb: Create, Version: "v1", Resource: "configmaps", Namespace: "n", Body: []byte(`{"metadata":{"name":"m"}}`)}
	created, err := c.Do(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	m = &Request{Verb: Patch, Version: "v1", Resource: "configmaps", Namespace: "n", Name: "m", Format: MergePatch, Body: []byte(`{"data":{"a":"b"}}`)}
	if _, err := c.Do(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	for {
		change, _, err := changes.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if change.Previous.Exists() {
			if got, want := meta(change.Previous, "resourceVersion"), meta(created.Object, "resourceVersion"); got != want {
				t.Errorf("resourceVersion %q, want %q", got, want)
			}
			return
		}
	}
}

func TestRangesOfClusterIPs(t *testing.T) {
	for text, valid := range map[string]bool{
		"":                                   true,
		"10.0.0.0/16":                        true,
		"10.0.0.0/29":                        true,
		"10.0.0.0/30":                        false, // less than eight addresses
		"fd00::/64":                          true,
		"fd00::/125":                         true,
		"fd00::/63":                          false, // larger than kube-apiserver accepts
		"fd00::/126":                         false,
		"10.0.0.0/16 fd00::/108":             true,
		"fd00::/108 10.0.0.0/16":             true,
		"10.0.0.0/16 10.1.0.0/16":            false, // one IP family
		"fd00::/108 fd01::/108":              false,
		"10.0.0.0/16 fd00::/108 10.1.0.0/16": false,
	} {
		var ranges []netip.Prefix
		for _, one := range strings.Fields(text) {
			ranges = append(ranges, netip.MustParsePrefix(one))
		}
		if _, err := New(Config{Addresses: true, ServiceRanges: ranges}); (err == nil) != valid {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := New(Config{Addresses: true, ServiceRanges: make([]netip.Prefix, 1)}); err == nil {
		t.Error("the zero Prefix is accepted")
	}
}
