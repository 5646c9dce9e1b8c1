package cli

import (
	"net/url"
	"testing"
)

// TestFileURI: the name of a file is a relative URI, which no name turns into one with a scheme.
func TestFileURI(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.yaml": "a/b.yaml", "./a b.yaml": "a%20b.yaml", "../a.yaml": "../a.yaml", "<stdin>": "stdin", "": "stdin", "/tmp/a.yaml": "/tmp/a.yaml",
		"javascript:alert(1).yaml": "javascript%3Aalert%281%29.yaml", "./a:b/c.yaml": "a%3Ab/c.yaml", "a#b?\x1b\xff.yaml": "a%23b%3F%1B%FF.yaml",
	} {
		got := fileURI(name)
		if u, err := url.Parse(got); err != nil || u.Scheme != "" || u.Host != "" || got != want {
			t.Errorf("%q: %s, %v, want %s", name, got, err, want)
		}
	}
}
