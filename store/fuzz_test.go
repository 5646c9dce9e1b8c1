package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/store"
)

// FuzzContinue checks that any continue token returns an error or items of the
// requested prefix.
func FuzzContinue(f *testing.F) {
	m := store.NewMemory(store.MemoryOptions[int]{})
	for i, key := range []string{"/p/a", "/p/b", "/p/c", "/q/a"} {
		if _, err := m.Create(f.Context(), key, i); err != nil {
			f.Fatal(err)
		}
	}
	page, err := m.List(f.Context(), "/p/", store.ListOptions[int]{Limit: 1})
	if err != nil {
		f.Fatal(err)
	}
	for _, token := range []string{page.Continue, "", "x", "djE6LTE6Yg", "djE6MTAwOmI", "djE6LTI6Yg", "djE6MTpcdWZmZmY"} {
		f.Add(token, "/p/")
	}
	f.Add(page.Continue, "/p/b")
	f.Fuzz(func(t *testing.T, token, scope string) {
		page, err := m.List(t.Context(), scope, store.ListOptions[int]{Continue: token, Limit: 2})
		if err != nil {
			for _, known := range []error{store.ErrInvalidContinue, store.ErrInvalidKey, store.ErrFuture, store.ErrCompacted} {
				if errors.Is(err, known) {
					return
				}
			}
			t.Fatalf("an error of no known kind: %v", err)
		}
		for _, i := range page.Items {
			if i.Key != scope && !strings.HasPrefix(i.Key, scope) {
				t.Fatalf("%s is not in %s", i.Key, scope)
			}
		}
		if page.Remaining < 0 || page.Continue == "" && page.Remaining != 0 {
			t.Fatalf("%d items remain, the token is %q", page.Remaining, page.Continue)
		}
	})
}

// FuzzKey checks that a key is either rejected or can be read, listed by each of its
// prefixes and deleted.
func FuzzKey(f *testing.F) {
	for _, key := range []string{"/registry/apps/deployments/default/web", "", "/", "//", "/a/", "/a/../b", "/\x00", "/ü", "/a b", "/.a"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		m := store.NewMemory(store.MemoryOptions[int]{})
		if _, err := m.Create(t.Context(), key, 1); err != nil {
			if !errors.Is(err, store.ErrInvalidKey) {
				t.Fatal(err)
			}
			return
		}
		scopes := []string{"", key}
		for i := range key {
			if key[i] == '/' {
				scopes = append(scopes, key[:i+1])
			}
		}
		for _, scope := range scopes {
			page, err := m.List(t.Context(), scope, store.ListOptions[int]{})
			if err != nil || len(page.Items) != 1 || page.Items[0].Key != key {
				t.Fatalf("list of %q: %v, %v", scope, page, err)
			}
		}
		if _, err := m.Delete(t.Context(), key, store.DeleteOptions[int]{}); err != nil {
			t.Fatal(err)
		}
	})
}
