package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"
)

// TestGeneratedFilesAreCurrent generates the catalog and the definitions from the module
// cache and compares them with the embedded ones: these are up to date, and the generator is
// deterministic. Of the definitions it compares the text, because releases of Go may differ
// in how they compress it.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	var all []*release
	for _, v := range strings.Split(releases, ",") {
		r, err := readRelease(v)
		switch {
		case err == nil:
		case strings.Contains(err.Error(), "GOPROXY=off"):
			t.Skipf("%s is not in the module cache (make catalog gets it): %v", v, err)
		default:
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
	file, err := os.Open("../../../server/internal/definitions/definitions.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	if want, err = io.ReadAll(text); err != nil {
		t.Fatal(err)
	}
	if got, err := encodeDefinitions(all); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the generator makes definitions of %d bytes that are not the %d embedded; run make catalog (%v)", len(got), len(want), err)
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
