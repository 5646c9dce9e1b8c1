package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestForksAreIndependent(t *testing.T) {
	ctx := context.Background()
	update := func(m *Memory[string], key, value string) {
		t.Helper()
		if _, err := m.Update(ctx, key, UpdateOptions{CreateMissing: true}, func(Item[string]) (string, error) { return value, nil }); err != nil {
			t.Fatal(err)
		}
	}
	m := NewMemory(MemoryOptions[string]{})
	for i := range 300 { // exceeds one block of history
		update(m, fmt.Sprintf("/a/%d", i%40), fmt.Sprint(i))
	}
	fork := m.Fork()
	second := fork.Fork()
	before, _ := m.Revision(ctx)
	for i := range 300 {
		update(fork, fmt.Sprintf("/a/%d", i%50), "fork")
		if i < 5 {
			update(m, "/a/0", "m")
		}
	}
	if _, err := second.Delete(ctx, "/a/1", DeleteOptions[string]{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m        *Memory[string]
		name     string
		revision int64
		count    int
		zero     string
	}{{m, "m", before + 5, 40, "m"}, {fork, "fork", before + 300, 50, "fork"}, {second, "second", before + 1, 39, "280"}} {
		revision, _ := c.m.Revision(ctx)
		count, _ := c.m.Count(ctx, "/a/")
		zero, err := c.m.Get(ctx, "/a/0", GetOptions{})
		if err != nil || revision != c.revision || int(count) != c.count || zero.Value != c.zero {
			t.Errorf("%s is at %d with %d keys and %q (%v), want %d, %d, %q", c.name, revision, count, zero.Value, err, c.revision, c.count, c.zero)
		}
	}
	var compacted *CompactedError
	if _, err := fork.List(ctx, "/a/", ListOptions[string]{Revision: before - 1, Match: Exact}); !errors.As(err, &compacted) {
		t.Errorf("a fork has history from before it: %v", err)
	}
	page, err := fork.List(ctx, "/a/", ListOptions[string]{Revision: before, Match: Exact})
	if err != nil || len(page.Items) != 40 {
		t.Errorf("at its beginning a fork has %d keys (%v)", len(page.Items), err)
	}
}

func TestWithKeepsRevisions(t *testing.T) {
	ctx := context.Background()
	m := NewMemory(MemoryOptions[string]{})
	if _, err := m.Create(ctx, "/a/here", "m"); err != nil { // revision 2
		t.Fatal(err)
	}
	with, err := m.With(Item[string]{Key: "/a/old", Value: "old", Revision: 2}, Item[string]{Key: "/a/new", Value: "new", Revision: 840},
		Item[string]{Key: "/a/any", Value: "any"}, Item[string]{Key: "/a/here", Value: "other", Revision: 7})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int64{"/a/old": 2, "/a/new": 840, "/a/any": 841, "/a/here": 7} {
		if item, err := with.Get(ctx, key, GetOptions{}); err != nil || item.Revision != want {
			t.Errorf("%s is at revision %d (%v), want %d", key, item.Revision, err, want)
		}
	}
	next, err := with.Update(ctx, "/a/old", UpdateOptions{}, func(Item[string]) (string, error) { return "next", nil })
	if err != nil || next.Revision != 842 {
		t.Errorf("the next write is at revision %d (%v), want 842", next.Revision, err)
	}
	if page, err := with.List(ctx, "/a/", ListOptions[string]{Revision: 841, Match: Exact}); err != nil || len(page.Items) != 4 {
		t.Errorf("at its beginning the store has %d keys (%v), want 4", len(page.Items), err)
	}
	if item, err := m.Get(ctx, "/a/here", GetOptions{}); err != nil || item.Value != "m" {
		t.Errorf("the store it was made from has %q (%v)", item.Value, err)
	}
	if _, err := m.With(Item[string]{Key: "", Value: "x"}); err == nil {
		t.Error("an empty key is taken")
	}
}
