package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/cluster"
)

// digest returns the digest of all schemas in the JSON of an OpenAPI document, apart from
// those of custom resources.
func digest(t *testing.T, document []byte) string {
	t.Helper()
	var d struct {
		Definitions map[string]any // in v2
		Components  struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	schemas := d.Definitions
	if schemas == nil {
		schemas = d.Components.Schemas
	}
	for name := range schemas {
		if !strings.HasPrefix(name, "io.k8s.") {
			delete(schemas, name)
		}
	}
	text, err := json.Marshal(schemas)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// TestOpenAPISchemasAreThoseOfTheAPIServer compares all schemas of built-in kinds with those
// that kube-apiserver v1.36.3 served, by the digests of the schemas in each document.
func TestOpenAPISchemasAreThoseOfTheAPIServer(t *testing.T) {
	recorded, err := os.ReadFile("testdata/openapi-digests.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]string // by path
	if err := json.Unmarshal(recorded, &want); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	s := New(c, Options{})
	for path, location := range body(t, ask(s, "GET", "/openapi/v3", "")).Get("paths").Members() {
		url, _, _ := strings.Cut(location.Get("serverRelativeURL").StringOr(""), "?")
		if want[url] == "" {
			t.Errorf("the index lists %s, which kube-apiserver does not have", path)
		}
	}
	if len(want) < 40 {
		t.Fatalf("%d documents are recorded", len(want))
	}
	for url, digestThere := range want {
		w := ask(s, "GET", url, "")
		if w.Code != 200 {
			t.Errorf("%s: status %d, want 200", url, w.Code)
			continue
		}
		if got := digest(t, w.Body.Bytes()); got != digestThere {
			t.Errorf("%s: the schemas have the digest %s, those of kube-apiserver %s", url, got, digestThere)
		}
	}
}
