// Package web holds the playground's page for the command that serves it. The page
// is put into the folder embed by `make web`; without that there is none.
package web

import (
	"compress/gzip"
	"embed"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed embed
var files embed.FS

// ErrNotBuilt says that the program was built without the page.
var ErrNotBuilt = errors.New("this patchlab was built without the playground's page; build it with `make build`, which needs Node.js and npm")

// policy is the page's Content-Security-Policy with what a page cannot ask for itself.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

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
	return &server{page}, nil
}

type server struct{ page fs.FS }

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
	f, err := s.page.Open(name + ".gz")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") { // their names change with what is in them
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Add("Vary", "Accept-Encoding")
	if r.Method == http.MethodHead {
		return
	}
	send(w, r, f)
}

// send sends a compressed file, unpacked for the rare client that asks for that.
func send(w http.ResponseWriter, r *http.Request, f io.Reader) {
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.Copy(w, f) // a client that goes away is no failure of ours
		return
	}
	plain, err := gzip.NewReader(f)
	if err != nil {
		http.Error(w, "the page in this program is damaged: "+err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.Copy(w, plain)
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
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}
