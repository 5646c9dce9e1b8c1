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
	s := served(t, "")
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

// TestOpenAPIKindsOfAllGroups checks which groups the type DeleteOptions, which all groups
// share, lists in a document. They are those that kube-apiserver and, for versions other than
// 1.36, Kubernetes' published documents list.
func TestOpenAPIKindsOfAllGroups(t *testing.T) {
	for _, c := range []struct {
		version, path string
		want          int
		reason        string
	}{
		{"1.36", "/openapi/v3/api/v1", 1, "the core group"},
		{"1.36", "/openapi/v3/apis/apps/v1", 2, "the core group and the document's own"},
		{"1.36", "/openapi/v2", 60, "all groups"},
		{"1.35", "/openapi/v3/apis/apps/v1", 62, "before 1.36, documents list all groups"},
	} {
		doc := body(t, ask(served(t, c.version), "GET", c.path, ""))
		schemas := doc.Get("definitions")
		if !schemas.Exists() {
			schemas = doc.Lookup("components", "schemas")
		}
		if got := schemas.Get(metaPackage + "DeleteOptions").Get(kindsKey).Len(); got != c.want {
			t.Errorf("Kubernetes %s, %s: %d groups, want %d (%s)", c.version, c.path, got, c.want, c.reason)
		}
	}
}

// documentsDigest is the digest of the documents of all built-in kinds with documentRevision.
const documentsDigest = "7bcf7a103a7cf2020c9288b948450f2b9e4ecfa56fe2d60b3911cd5115e3e450"

// TestDocumentRevision fails if a document of built-in kinds has changed. Clients would use
// the document that they have on disk, because its hash would be the same.
func TestDocumentRevision(t *testing.T) {
	s := served(t, "")
	h := sha256.New()
	hashes := map[string]string{}
	for path, location := range body(t, ask(s, "GET", "/openapi/v3", "")).Get("paths").Members() {
		url := location.Get("serverRelativeURL").StringOr("")
		hashes[path] = url
		h.Write(ask(s, "GET", url, "").Body.Bytes())
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != documentsDigest {
		t.Errorf("the documents have the digest %s, not documentsDigest: increment documentRevision, unless the definitions have changed, and set documentsDigest", got)
	}
	older := body(t, ask(served(t, "1.35"), "GET", "/openapi/v3", "")).Get("paths")
	for _, path := range []string{"api/v1", "apis/apps/v1", "apis/apps", "version"} {
		if url := older.Get(path).Get("serverRelativeURL").StringOr(""); url == "" || url == hashes[path] {
			t.Errorf("%s: %q in Kubernetes 1.35, which is also that of 1.36", path, url)
		}
	}
}

// served returns the server of a cluster with the built-in kinds of a Kubernetes version.
func served(t *testing.T, version string) *Server {
	t.Helper()
	c, err := cluster.New(cluster.Config{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return New(c, Options{})
}
