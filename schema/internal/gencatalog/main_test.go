package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestCatalogIsCurrent generates the catalog from the module cache and compares it with the
// embedded one byte for byte: the embedded catalog is up to date, and the generator is
// deterministic.
func TestCatalogIsCurrent(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	var all []*release
	for _, v := range strings.Split(releases, ",") {
		if _, err := moduleDir("k8s.io/kubernetes", "v"+v); err != nil {
			t.Skipf("not in the module cache (make catalog gets it): %v", err)
		}
		r, err := readRelease(v)
		if err != nil {
			t.Fatalf("%s: %v", v, err)
		}
		all = append(all, r)
	}
	want, err := os.ReadFile("../../catalog.bin")
	if err != nil {
		t.Fatal(err)
	}
	if got := encode(all); !bytes.Equal(got, want) {
		t.Errorf("the generator makes %d bytes that are not the %d embedded; run make catalog", len(got), len(want))
	}
}

func TestOffsets(t *testing.T) {
	got := offsets([]string{"ab", "", "cde"})
	if want := []byte{0, 0, 0, 2, 0, 0, 2, 0, 0, 5, 0, 0}; !bytes.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestSplitName(t *testing.T) {
	for name, want := range map[string][2]string{
		"io.k8s.api.apps.v1.Deployment": {"io.k8s.api.apps.v1", "Deployment"},
		"Deployment":                    {"", "Deployment"},
		"":                              {"", ""},
	} {
		if pkg, short := splitName(name); pkg != want[0] || short != want[1] {
			t.Errorf("%q is %q and %q", name, pkg, short)
		}
	}
}
