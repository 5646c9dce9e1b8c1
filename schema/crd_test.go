package schema

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
)

func readCRD(t *testing.T, file string) *CRD {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := document.ParseYAML(data, document.Options{Name: file})
	if err != nil {
		t.Fatal(err)
	}
	crd, err := FromCRD(doc.Root)
	if err != nil {
		var bad *InvalidCRD
		if errors.As(err, &bad) {
			for _, e := range bad.Errors {
				t.Log(e)
			}
		}
		t.Fatal(err)
	}
	return crd
}

func TestCRDFiles(t *testing.T) {
	files, _ := filepath.Glob("testdata/crds/*.yaml")
	for _, f := range files {
		crd := readCRD(t, f)
		t.Log(crd.Name, len(crd.Kinds), crd.Kinds[0].Version, crd.Kinds[0].Scale)
	}
}
