package web

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
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

// page returns a handler of a small page. Files compressed with brotli contain a marker
// instead, because Go's library cannot decompress them.
func page(t *testing.T) http.Handler {
	t.Helper()
	h, err := handler(fstest.MapFS{
		"embed/dist/index.html.gz":    packed(t, "<!doctype html>"),
		"embed/dist/index.html.br":    {Data: []byte("brotli of index.html")},
		"embed/dist/assets/e.wasm.gz": packed(t, "\x00asm"),
		"embed/dist/assets/e.wasm.br": {Data: []byte("brotli of e.wasm")},
		"embed/dist/assets/c.bin.gz":  packed(t, "PLC1"),
		"embed/dist/assets/c.bin.br":  {Data: []byte("brotli of c.bin")},
		"embed/dist/assets/p.json.gz": packed(t, "{}"),
		"embed/dist/assets/p.json.br": {Data: []byte("brotli of p.json")},
		"embed/dist/assets/r.wasm.br": {Data: []byte("brotli of r.wasm")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// get sends a request. headers alternates names and values.
func get(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://x"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHandlerServesThePage(t *testing.T) {
	h := page(t)
	for _, c := range []struct {
		method, path, accept string
		code                 int
		contentType          string
		encoding, body       string
		why                  string
	}{
		{"GET", "/", "", 200, "text/html; charset=utf-8", "", "<!doctype html>", "a client without compression gets the file unpacked"},
		{"GET", "/assets/e.wasm", "gzip, deflate, br, zstd", 200, "application/wasm", "br", "brotli of e.wasm", "a browser gets brotli"},
		{"GET", "/assets/c.bin", "br", 200, "application/octet-stream", "br", "brotli of c.bin", "the catalog"},
		{"GET", "/assets/p.json", "br", 200, "application/json", "br", "brotli of p.json", "the prepared answers"},
		{"GET", "/assets/e.wasm", "gzip, br;q=0", 200, "application/wasm", "gzip", "", "a client that refuses brotli gets gzip"},
		{"GET", "/", "gzip;q=0, br; q=0.0", 200, "text/html; charset=utf-8", "", "<!doctype html>", "a client that refuses all encodings gets the file unpacked"},
		{"GET", "/", "brotli", 200, "text/html; charset=utf-8", "", "<!doctype html>", "an encoding whose name contains br is not brotli"},
		{"HEAD", "/", "gzip", 200, "text/html; charset=utf-8", "gzip", "", "no body for HEAD"},
		{"GET", "/../../page.go", "", 404, "", "", "", "no file outside the page"},
		{"GET", "/index.html.gz", "", 404, "", "", "", "a compressed file has no path of its own"},
		{"POST", "/", "", 405, "", "", "", "no encoding is accepted"},
	} {
		w := get(h, c.method, c.path, "Accept-Encoding", c.accept)
		if w.Code != c.code || c.contentType != "" && w.Header().Get("Content-Type") != c.contentType {
			t.Errorf("%s: %d %s", c.why, w.Code, w.Header().Get("Content-Type"))
		}
		if c.code != http.StatusOK {
			continue
		}
		if got := w.Header().Get("Content-Encoding"); got != c.encoding {
			t.Errorf("%s: encoding %q", c.why, got)
		}
		if got := w.Body.String(); c.encoding != "gzip" && got != c.body {
			t.Errorf("%s: %q", c.why, got)
		}
		if w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: no Vary header, so a cache would serve one encoding to all clients", c.why)
		}
		if n := w.Header().Get("Content-Length"); c.method == "GET" && n != strconv.Itoa(w.Body.Len()) {
			t.Errorf("%s: length %s of %d", c.why, n, w.Body.Len())
		}
	}
}

func TestCacheControlOfMutableFiles(t *testing.T) {
	h := page(t)
	first := get(h, "GET", "/", "Accept-Encoding", "br")
	etag := first.Header().Get("ETag")
	if first.Header().Get("Cache-Control") != "no-cache" || len(etag) < 10 {
		t.Fatalf("%v", first.Header())
	}
	for _, given := range []string{etag, "W/" + etag, `"other", ` + etag, "*"} {
		if w := get(h, "GET", "/", "Accept-Encoding", "br", "If-None-Match", given); w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != etag {
			t.Errorf("If-None-Match %s: %d", given, w.Code)
		}
	}
	for _, accept := range []string{"gzip", ""} {
		if w := get(h, "GET", "/", "Accept-Encoding", accept, "If-None-Match", etag); w.Code != http.StatusOK {
			t.Errorf("another encoding with the same entity tag: %d", w.Code)
		}
	}
	tags := map[string]bool{}
	for _, accept := range []string{"br", "gzip", ""} { // the last two are of one file
		tags[get(h, "GET", "/", "Accept-Encoding", accept).Header().Get("ETag")] = true
	}
	if len(tags) != 3 {
		t.Errorf("the entity tags of three encodings are %v", tags)
	}
	if got := get(h, "GET", "/assets/e.wasm").Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("assets: %s", got)
	}
}

func TestOnlyEmbeddedPageMayBeFramed(t *testing.T) {
	h := page(t)
	for path, want := range map[string]string{"/": "'none'", "/?embed": "*", "/?embed=object&readonly": "*", "/?x=embed": "'none'"} {
		got := get(h, "GET", path).Header().Get("Content-Security-Policy")
		if !strings.HasSuffix(got, "; frame-ancestors "+want) || !strings.HasPrefix(got, "default-src 'none'; ") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestHandlerReturnsErrNotBuilt(t *testing.T) {
	if _, err := handler(fstest.MapFS{"embed/README.md": {}}); !errors.Is(err, ErrNotBuilt) {
		t.Errorf("%v, want ErrNotBuilt", err)
	}
}

// TestPolicyHeaderEqualsMetaElement checks that the header and the page's meta element have the same
// policy, so that the page also works on hosts that do not set the header.
func TestPolicyHeaderEqualsMetaElement(t *testing.T) {
	if !strings.Contains(index, `content="`+policy+`"`) {
		t.Errorf("index.html does not have the policy %s", policy)
	}
}

// TestFileWithBrotliOnly checks that a file without a gzip version is sent to clients that
// accept brotli, and that others learn why they do not get it.
func TestFileWithBrotliOnly(t *testing.T) {
	for accept, want := range map[string]struct {
		code int
		body string
	}{
		"gzip, br": {http.StatusOK, "brotli of r.wasm"},
		"gzip":     {http.StatusNotAcceptable, "over https"},
		"":         {http.StatusNotAcceptable, "over https"},
	} {
		w := get(page(t), "GET", "/assets/r.wasm", "Accept-Encoding", accept)
		if w.Code != want.code || !strings.Contains(w.Body.String(), want.body) || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: %d %q, Vary %q", accept, w.Code, w.Body, w.Header().Get("Vary"))
		}
	}
}
