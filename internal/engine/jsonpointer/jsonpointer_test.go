package jsonpointer

import (
	"slices"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		pointer string
		want    []string
		why     string
	}{
		{"", nil, "the whole object"},
		{"/", []string{""}, "the empty key"},
		{"/a/0/b", []string{"a", "0", "b"}, "keys and indexes"},
		{"/a/", []string{"a", ""}, "a slash at the end begins an empty key"},
		{"/a~1b/c~0d", []string{"a/b", "c~d"}, "the two escapes"},
		{"/~01", []string{"~1"}, "an escaped tilde does not begin another escape"},
		{"/~2/~", []string{"~2", "~"}, "other tildes stand for themselves"},
		{"a/b", []string{"b"}, "what precedes the first slash is ignored"},
		{"a", nil, "there is no slash"},
	} {
		if got := slices.Collect(Tokens(c.pointer)); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q: %s", c.pointer, got, c.want, c.why)
		}
	}
}

func TestOf(t *testing.T) {
	path := document.Keys("metadata", "annotations", "example.com/a~b").Item(2).Child("")
	const want = "/metadata/annotations/example.com~1a~0b/2/"
	if got := Of(path); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzEncode checks that every key is the token of its encoded form, and the only one.
func FuzzEncode(f *testing.F) {
	for _, key := range []string{"", "a", "~", "/", "~1", "~01", "a/b~c", "~~//"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if got := slices.Collect(Tokens("/" + Encode(key))); !slices.Equal(got, []string{key}) {
			t.Errorf("%q becomes %q", key, got)
		}
	})
}
