package fieldmanager_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
)

func TestApplyRefusesRequests(t *testing.T) {
	m := managerOf("")
	live := deployed(m)
	unsplit := fieldmanager.Object{Value: live.Join()}
	for _, c := range []struct {
		reason  string
		live    fieldmanager.Object
		config  document.Value
		manager string
		want    error
	}{
		{"no field manager", live, parsed(scaler), "", fieldmanager.ErrRequest},
		{"a live object with managedFields, whose owners would be lost", unsplit, parsed(scaler), "bob", fieldmanager.ErrRequest},
		{"a configuration with managedFields", live, live.Join(), "alice", fieldmanager.ErrRequest},
		{"another kind", live, parsed(scaler).With("kind", document.NewString("StatefulSet")), "bob", fieldmanager.ErrRequest},
		{"another version", live, parsed(scaler).With("apiVersion", document.NewString("apps/v1beta1")), "bob", fieldmanager.ErrRequest},
		{"another name", live, parsed(webApp).Set(document.NewString("api"), "metadata", "name"), "alice", fieldmanager.ErrName},
		{"another namespace", live, parsed(webApp).Set(document.NewString("other"), "metadata", "namespace"), "alice", fieldmanager.ErrName},
		{"a conflict is reported before a name mismatch", live, parsed(scaler).Set(document.NewString("api"), "metadata", "name"), "bob", fieldmanager.ErrConflict},
		{"an unknown field", live, parsed(scaler).Set(document.NewInt(1), "spec", "replica"), "bob", fieldmanager.ErrType},
	} {
		_, err := m.Apply(c.live, c.config, fieldmanager.ApplyOptions{FieldManager: c.manager, Time: now})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, err, c.want)
		}
	}
	if _, err := m.Apply(live, parsed(webApp).Remove("metadata", "name"), fieldmanager.ApplyOptions{FieldManager: "alice", Time: now}); err != nil {
		t.Errorf("a configuration without a name: %v", err)
	}
}

func TestZeroManager(t *testing.T) {
	var m fieldmanager.Manager
	if _, err := m.Apply(fieldmanager.Object{}, parsed(webApp), fieldmanager.ApplyOptions{FieldManager: "a"}); err == nil {
		t.Error("Apply has no error")
	}
	next := parsed(webApp)
	if after, err := m.Update(fieldmanager.Object{}, next, fieldmanager.UpdateOptions{FieldManager: "a"}); err == nil || !document.Equal(after.Value, next) {
		t.Errorf("Update returns %v, %v", after, err)
	}
	if _, _, err := m.Extract(fieldmanager.Object{Value: next}, "a"); err == nil {
		t.Error("Extract has no error")
	}
	if _, err := m.FieldPath(next, document.Keys("spec")); err == nil {
		t.Error("FieldPath has no error")
	}
	m.Parts(fieldmanager.Object{Value: next}, func(fieldmanager.Part) { t.Error("Parts calls its function") })
	if _, err := m.Observed(nil).Apply(fieldmanager.Object{}, next, fieldmanager.ApplyOptions{FieldManager: "a"}); err == nil {
		t.Error("Apply of an observed manager has no error")
	}
}

// TestTypesAsJSON checks that encoding and decoding yields the same value.
func TestTypesAsJSON(t *testing.T) {
	m := managerOf("")
	live := deployed(m)
	_, err := m.Apply(live, parsed(strings.Replace(webApp, "web:1", "web:2", 1)), fieldmanager.ApplyOptions{FieldManager: "bob", Time: now})
	var conflicts *fieldmanager.Conflicts
	if !errors.As(err, &conflicts) {
		t.Fatal(err)
	}
	in := struct {
		Live      fieldmanager.Object
		Empty     fieldmanager.Object
		Managed   fieldmanager.Managed
		Nobody    fieldmanager.Managed
		Entry     fieldmanager.Entry
		Owner     fieldmanager.Owner
		Conflicts *fieldmanager.Conflicts
		Set       fieldmanager.Set
	}{Live: live, Managed: live.Managed, Conflicts: conflicts, Owner: conflicts.List[0].Owner}
	for _, e := range live.Managed.Entries() {
		in.Entry, in.Set = e, e.Fields
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out := in
	out.Live, out.Managed, out.Entry, out.Set, out.Conflicts, out.Owner = fieldmanager.Object{}, fieldmanager.Managed{}, fieldmanager.Entry{}, fieldmanager.Set{}, nil, fieldmanager.Owner{}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(out)
	if err != nil || string(again) != string(text) {
		t.Errorf("%v\n got %s\nwant %s", err, again, text)
	}
	if out.Conflicts.Error() != conflicts.Error() || out.Owner != in.Owner || !out.Entry.Time.Equal(now) || !out.Set.Equal(in.Set) || out.Live.Managed.Len() != 1 {
		t.Errorf("read back as %+v", out)
	}
	for _, bad := range []string{`{"Live":{"metadata":{"managedFields":5}}}`, `{"Managed":{}}`, `{"Entry":{"operation":"Steal"}}`, `{"Set":{"x":{}}}`} {
		if err := json.Unmarshal([]byte(bad), &out); !errors.Is(err, fieldmanager.ErrManagedFields) {
			t.Errorf("%s: %v, want ErrManagedFields", bad, err)
		}
	}
}

func TestOperationsOfSets(t *testing.T) {
	path := func(text string) document.Path {
		p, err := document.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, err := fieldmanager.NewSet(path(".spec.ports[protocol=TCP,port=80].name"), path(".spec.replicas"))
	if err != nil {
		t.Fatal(err)
	}
	if !a.Has(path(`.spec.ports[port=80,protocol="TCP"].name`)) {
		t.Errorf("the order of key fields matters in %s", a)
	}
	if a.Has(path(".spec")) || a.Has(path(".spec.ports[port=80]")) || a.Has(nil) {
		t.Errorf("%s has fields that were not inserted", a)
	}
	b := a.Remove(path(".spec.replicas"), path(".spec"))
	if b.Len() != 1 || !a.Contains(b) || b.Contains(a) || !b.Union(a).Equal(a) || !a.Minus(b).Has(path(".spec.replicas")) || a.Intersect(b).String() != b.String() {
		t.Errorf("%s and %s", a, b)
	}
	if a.Equal(b) || b.Equal(a) || a.Empty() || !a.Minus(a).Empty() || !a.Minus(a).Equal(fieldmanager.Set{}) {
		t.Errorf("%s and %s are equal, or one is empty", a, b)
	}
	if got := a.Below(path(".spec")); got.Len() != 2 || !got.Has(path(".replicas")) {
		t.Errorf("below .spec: %s", got)
	}
	for _, p := range []document.Path{nil, {}, document.Keys("spec").Item(-1)} {
		if _, err := a.Insert(p); !errors.Is(err, fieldmanager.ErrField) {
			t.Errorf("%v: %v, want ErrField", p, err)
		}
	}
}

// TestConflictHasTheStoredTime checks that the time of a conflict has whole seconds, like
// the stored entry.
func TestConflictHasTheStoredTime(t *testing.T) {
	m := managerOf("")
	live, err := m.Apply(fieldmanager.Object{}, parsed(webApp), fieldmanager.ApplyOptions{FieldManager: "alice", Time: now.Add(time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	var stored fieldmanager.Object
	if err := stored.UnmarshalJSON(live.Join().JSON()); err != nil {
		t.Fatal(err)
	}
	for i, e := range stored.Managed.Entries() {
		for j, f := range live.Managed.Entries() {
			if i == j && !e.Time.Equal(f.Time) {
				t.Errorf("the time in memory is %s, stored %s", f.Time, e.Time)
			}
		}
	}
}
