package patchlab

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLiveObjectsAreIndexed compares the candidates for documents without a kind or a name with a search of
// all live objects, and counts the candidates: the work for one document must not grow with the number of
// objects that have other names and kinds.
func TestLiveObjectsAreIndexed(t *testing.T) {
	var text strings.Builder
	const names = 200
	for i := range names {
		for _, kind := range []string{"ConfigMap", "Secret"} {
			for _, namespace := range []string{"a", "b", ""} {
				fmt.Fprintf(&text, "---\n{apiVersion: v1, kind: %s, metadata: {name: n%d, namespace: %q}}\n", kind, i, namespace)
			}
		}
	}
	text.WriteString("---\n{apiVersion: v1, kind: Secret, metadata: {}}\n")
	l, err := readLive(Bytes(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	search := func(matches func(o liveObject) bool) (found []int) {
		for i, o := range l.all {
			if matches(o) {
				found = append(found, i)
			}
		}
		return found
	}
	examined := 0
	for i := range names {
		name := fmt.Sprint("n", i)
		examined += len(l.withName(name))
		for _, namespace := range []string{"", "a", "c"} {
			found, elsewhere := l.named(name, namespace)
			isNamed := func(o liveObject) bool { return o.Value.Lookup("metadata", "name").StringOr("") == name }
			all := search(isNamed)
			want := search(func(o liveObject) bool {
				return isNamed(o) && (namespace == "" || o.namespace == "" || o.namespace == namespace)
			})
			if !slices.Equal(found, want) || elsewhere != len(all)-len(want) {
				t.Fatalf("%s in %q: %v and %d elsewhere, want %v and %d", name, namespace, found, elsewhere, want, len(all)-len(want))
			}
		}
	}
	if examined != len(l.all)-1 {
		t.Errorf("the documents with a name examine %d objects, want %d", examined, len(l.all)-1)
	}
	for _, kind := range []string{"ConfigMap", "Secret", "Pod"} {
		want := search(func(o liveObject) bool { return o.Kind() == kind })
		if found := l.ofKind("", kind); !slices.Equal(found, want) {
			t.Errorf("%s: %v, want %v", kind, found, want)
		}
	}
	if found, elsewhere := l.named("", "a"); len(found)+elsewhere != len(l.all) {
		t.Errorf("%d and %d elsewhere of %d objects match a document without a name", len(found), elsewhere, len(l.all))
	}
}
