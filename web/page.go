// Package web holds the playground's page for the command that serves it. The page
// is put into the folder embed by `make web`; without that there is none.
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

// ErrNotBuilt says that the program was built without the page.
var ErrNotBuilt = errors.New("this patchlab was built without the playground's page; build it with `make build`, which needs Node.js and npm")

// policy is the page's Content-Security-Policy but for who may frame it, which a page
// cannot say itself.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"

// encodings are the forms in which each file is kept, the best first. Every file has
// all of them.
var encodings = [...]struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// Handler serves the page. It fails with ErrNotBuilt where there is none.
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
	etags sync.Map // of the files' names
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
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy+"; frame-ancestors "+framers(r))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") { // their names change with what is in them
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
		_, _ = w.Write(data) // a client that goes away is no failure of ours
	}
}

// framers says which sites may show the page in a frame: any, where the address asks
// for the page as a part of another one. Nothing of it acts on anything but its own
// text, so that a click that is not meant harms nobody.
func framers(r *http.Request) string {
	if r.URL.Query().Has("embed") {
		return "*"
	}
	return "'none'"
}

// chooseEncoding returns the best encoding that a client accepts and the suffix of the
// files in it; "" and gzip's suffix, to be unpacked, where it accepts none.
func chooseEncoding(accept string) (encoding, suffix string) {
	for _, e := range encodings {
		if accepts(accept, e.name) {
			return e.name, e.suffix
		}
	}
	return "", ".gz"
}

// accepts reports whether a header Accept-Encoding names an encoding with a quality
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

// etag returns the entity tag of a file in one form: forms differ in their bytes.
func (s *server) etag(name, suffix, encoding string, data []byte) string {
	if known, ok := s.etags.Load(name + suffix + encoding); ok {
		return known.(string)
	}
	sum := sha256.Sum256(data)
	etag := `"` + hex.EncodeToString(sum[:12]) + "-" + encoding + `"`
	s.etags.Store(name+suffix+encoding, etag)
	return etag
}

// matches reports whether a header If-None-Match names an entity tag.
func matches(header, etag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || strings.TrimPrefix(part, "W/") == etag {
			return true
		}
	}
	return false
}

// unpacked is a file for the rare client that accepts no encoding.
func unpacked(data []byte) ([]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(plain)
}

// contentType does not ask the machine's own tables but for what is not known here.
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
