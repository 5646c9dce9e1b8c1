// Package web embeds and serves the playground's page. `make web` builds the page into
// the folder embed; without it, the package has no page.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed embed
var files embed.FS

// ErrNotBuilt is returned if the program was built without the page.
var ErrNotBuilt = errors.New("this patchlab was built without the playground's page; build it with `make build`, which needs Node.js and npm")

// policy is the page's Content-Security-Policy without frame-ancestors, which a page
// cannot set in a meta element.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"

// encodings are the encodings in which files are stored, in order of preference. The
// engine that evaluates CEL rules is stored with brotli only.
var encodings = [...]struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// Handler returns a handler that serves the page. It returns ErrNotBuilt if there is no
// page.
func Handler() (http.Handler, error) { return handler(files) }

func handler(files fs.FS) (http.Handler, error) {
	page, err := fs.Sub(files, "embed/dist")
	if err != nil {
		return nil, err
	}
	if _, err := fs.Stat(page, "index.html.gz"); err != nil {
		return nil, ErrNotBuilt
	}
	return &server{page: page}, nil
}

type server struct {
	page  fs.FS
	etags sync.Map // by file name
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the playground's files can only be read", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	encoding, suffix := chooseEncoding(r.Header.Get("Accept-Encoding"))
	data, err := fs.ReadFile(s.page, name+suffix)
	if _, only := fs.Stat(s.page, name+".br"); err != nil && only == nil {
		w.Header().Set("Vary", "Accept-Encoding")
		http.Error(w, "this file can only be sent with brotli, which browsers accept over https and from the same machine", http.StatusNotAcceptable)
		return
	}
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy+"; frame-ancestors "+framers(r))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") { // their names contain a hash of their content
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Vary", "Accept-Encoding")
	etag := s.etag(name, suffix, encoding, data)
	h.Set("ETag", etag)
	if matches(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", contentType(name))
	if encoding == "" {
		if data, err = unpacked(data); err != nil {
			http.Error(w, "the page in this program is damaged: "+err.Error(), http.StatusInternalServerError)
			return
		}
	} else {
		h.Set("Content-Encoding", encoding)
	}
	h.Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // an error means that the client has disconnected
	}
}

// framers returns the value of frame-ancestors. With the query parameter embed any site
// may frame the page; there is no risk of clickjacking, because the page affects only
// its own state.
func framers(r *http.Request) string {
	if r.URL.Query().Has("embed") {
		return "*"
	}
	return "'none'"
}

// chooseEncoding returns the preferred encoding that a client accepts and the suffix of
// the files in it. If the client accepts none, it returns "" and the suffix of gzip
// files, which must be decompressed.
func chooseEncoding(accept string) (encoding, suffix string) {
	for _, e := range encodings {
		if accepts(accept, e.name) {
			return e.name, e.suffix
		}
	}
	return "", ".gz"
}

// accepts reports whether an Accept-Encoding header lists an encoding with a quality
// other than 0 (RFC 9110, section 12.5.3).
func accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), encoding) {
			continue
		}
		quality, given := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
		q, err := strconv.ParseFloat(quality, 64)
		return !given || err == nil && q > 0
	}
	return false
}

// etag returns the entity tag of a file in one encoding. Encodings have different tags,
// because their bytes differ.
func (s *server) etag(name, suffix, encoding string, data []byte) string {
	if known, ok := s.etags.Load(name + suffix + encoding); ok {
		return known.(string)
	}
	sum := sha256.Sum256(data)
	etag := `"` + hex.EncodeToString(sum[:12]) + "-" + encoding + `"`
	s.etags.Store(name+suffix+encoding, etag)
	return etag
}

// matches reports whether an If-None-Match header lists an entity tag.
func matches(header, etag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || strings.TrimPrefix(part, "W/") == etag {
			return true
		}
	}
	return false
}

// unpacked decompresses a file for a client that accepts no encoding.
func unpacked(data []byte) ([]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(plain)
}

// contentType returns the media type for a file name. It uses the system's tables only
// for extensions not listed here.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".wasm":
		return "application/wasm"
	case ".json":
		return "application/json"
	case ".bin":
		return "application/octet-stream"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}
