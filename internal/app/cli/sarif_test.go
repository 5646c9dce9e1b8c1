package cli

import (
	"net/url"
	"testing"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/explain"
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

// TestFingerprint: a finding keeps its fingerprint when its line moves, and no other finding has it.
func TestFingerprint(t *testing.T) {
	const rule = "defaulted-key"
	at := func(line int, target patchlab.Target) locatedFinding {
		return locatedFinding{Finding: explain.Finding{Rule: rule, Path: document.Keys("spec", "ports")}, Target: target, Position: document.Position{Name: "all.yaml", Line: line}}
	}
	service := patchlab.Target{APIVersion: "v1", Kind: "Service", Namespace: "shop", Name: "web"}
	want := fingerprint(at(3, service))
	for _, test := range []struct {
		reason string
		same   bool
		other  locatedFinding
	}{
		{"its line has moved", true, at(9, service)},
		{"an object of the name in another namespace is another one", false, at(9, patchlab.Target{APIVersion: "v1", Kind: "Service", Namespace: "test", Name: "web"})},
		{"Knative has a kind of the same name", false, at(9, patchlab.Target{APIVersion: "serving.knative.dev/v1", Kind: "Service", Namespace: "shop", Name: "web"})},
		{"the version of a kind changes, not the object", true, at(3, patchlab.Target{APIVersion: "v2", Kind: "Service", Namespace: "shop", Name: "web"})},
	} {
		if got := fingerprint(test.other) == want; got != test.same {
			t.Errorf("%s: same fingerprint: %t, want %t", test.reason, got, test.same)
		}
	}
}
