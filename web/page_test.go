package web

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

//go:embed index.html
var index string

func packed(t *testing.T, text string) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

func TestHandlerServesThePage(t *testing.T) {
	h, err := handler(fstest.MapFS{
		"embed/dist/index.html.gz":    packed(t, "<!doctype html>"),
		"embed/dist/assets/e.wasm.gz": packed(t, "\x00asm"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, path, accept string
		code                 int
		contentType, body    string
		why                  string
	}{
		{"GET", "/", "", 200, "text/html; charset=utf-8", "<!doctype html>", "a client without compression gets the file unpacked"},
		{"GET", "/assets/e.wasm", "gzip, br", 200, "application/wasm", "packed", "a browser gets it as it lies there"},
		{"HEAD", "/", "gzip", 200, "text/html; charset=utf-8", "", "no body for HEAD"},
		{"GET", "/../../page.go", "", 404, "", "", "nothing outside of the page"},
		{"GET", "/index.html.gz", "", 404, "", "", "the packed file has no address of its own"},
		{"POST", "/", "", 405, "", "", "nothing is taken"},
	} {
		r := httptest.NewRequest(c.method, "http://x"+c.path, nil)
		r.Header.Set("Accept-Encoding", c.accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.code || c.contentType != "" && w.Header().Get("Content-Type") != c.contentType {
			t.Errorf("%s: %d %s", c.why, w.Code, w.Header().Get("Content-Type"))
		}
		if c.code != http.StatusOK {
			continue
		}
		if w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%s: no policy", c.why)
		}
		got := w.Body.String()
		if c.body == "packed" {
			if w.Header().Get("Content-Encoding") != "gzip" || strings.HasPrefix(got, "\x00asm") {
				t.Errorf("%s: encoding %q", c.why, w.Header().Get("Content-Encoding"))
			}
		} else if got != c.body {
			t.Errorf("%s: %q", c.why, got)
		}
	}
}

func TestWithoutAPageThereIsAClearError(t *testing.T) {
	if _, err := handler(fstest.MapFS{"embed/README.md": {}}); !errors.Is(err, ErrNotBuilt) {
		t.Errorf("%v, want ErrNotBuilt", err)
	}
}

// TestPolicyIsThePages: the header and the page's own policy must say the same,
// so that the page works where nobody sets the header.
func TestPolicyIsThePages(t *testing.T) {
	own := strings.TrimSuffix(policy, "; frame-ancestors 'none'")
	if !strings.Contains(index, own) {
		t.Errorf("index.html does not have the policy %s", own)
	}
}
