package definitions

import (
	"bytes"
	"compress/gzip"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// TestEveryBuiltinKindIsDefined checks that each version of the catalog has the definitions
// of all its kinds, and of every type that these refer to.
func TestEveryBuiltinKindIsDefined(t *testing.T) {
	if want := schema.Versions(); !slices.Equal(load().versions, want) {
		t.Fatalf("definitions of %v, the catalog has %v", load().versions, want)
	}
	for _, version := range load().versions {
		catalog, err := schema.Builtin(version)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for k := range catalog.Kinds() {
			name := k.Type().Name
			if Schema(version, name).Get("description").StringOr("") == "" {
				t.Errorf("Kubernetes %s: %s has no definition, or one without a description", version, name)
			}
			follow(t, version, name, seen)
		}
		if len(seen) < 500 {
			t.Errorf("Kubernetes %s: only %d definitions", version, len(seen))
		}
	}
}

// follow reports the types without a definition that a type refers to.
func follow(t *testing.T, version, name string, seen map[string]bool) {
	if seen[name] {
		return
	}
	seen[name] = true
	s := Schema(version, name)
	if !s.Exists() {
		t.Errorf("Kubernetes %s: no definition of %s", version, name)
	}
	var walk func(v document.Value)
	walk = func(v document.Value) {
		if ref, ok := v.Get("$ref").Text(); ok {
			follow(t, version, strings.TrimPrefix(ref, "#/components/schemas/"), seen)
		}
		for i := range v.Len() {
			walk(v.At(i))
		}
	}
	walk(s)
}

// TestSchemaOfVersion checks that a schema has the properties and texts of its version.
func TestSchemaOfVersion(t *testing.T) {
	const container = "io.k8s.api.core.v1.Container"
	for _, c := range []struct {
		version, name, property, reason string
		want                            bool
	}{
		{"1.30", container, "restartPolicyRules", "added in 1.34", false},
		{"1.34", container, "restartPolicyRules", "added in 1.34", true},
		{"1.37", container, "restartPolicyRules", "in all versions since", true},
		{"", container, "name", "no version", false},
		{"1.30", container, "name", "in all versions", true},
		{"1.29", container, "name", "not a version of the catalog", false},
		{"1.36", "io.k8s.api.core.v1.Nothing", "name", "not a type", false},
	} {
		if got := Schema(c.version, c.name).Get("properties").Get(c.property).Exists(); got != c.want {
			t.Errorf("%s in Kubernetes %q has the property %s: %v, want %v (%s)", c.name, c.version, c.property, got, c.want, c.reason)
		}
	}
	policy := Schema("1.36", container).Get("properties").Get("imagePullPolicy")
	if got := policy.Get("enum").String(); got != `["Always","IfNotPresent","Never"]` {
		t.Errorf("imagePullPolicy has the enum %s", got)
	}
	if got := policy.Get("description").StringOr(""); !strings.Contains(got, "\n - `\"Never\"` means") {
		t.Errorf("the description of imagePullPolicy does not explain its values: %s", got)
	}
}

// TestChecksum checks that Checksum is that of the text.
func TestChecksum(t *testing.T) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	h := crc32.NewIEEE()
	if _, err := io.Copy(h, r); err != nil {
		t.Fatal(err)
	}
	if got, want := Checksum(), h.Sum32(); got != want {
		t.Errorf("checksum %d, want %d", got, want)
	}
}

// BenchmarkRead measures what the first OpenAPI document of a server costs in addition.
func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		read()
	}
}
