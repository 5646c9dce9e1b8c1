package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server/internal/definitions"
)

// documents caches OpenAPI documents. Kinds are immutable and are only replaced, so a document
// is valid as long as its kinds are registered.
type documents struct {
	mu   sync.Mutex
	made map[string]*apiDocument // of v3, by path
	v2   map[string]*apiDocument // by media type
}

type apiDocument struct {
	kinds []*schema.Kind
	hash  string
	made  time.Time
	once  sync.Once
	body  []byte
}

// openAPI serves /openapi/v3, the documents below it, and /openapi/v2.
func (s *Server) openAPI(w *writer, r *http.Request, parts []string) {
	path, isDocument := strings.CutPrefix(r.URL.Path, openAPIRoot)
	switch {
	case r.URL.Path == "/openapi/v3":
		s.openAPIIndex(w, r)
	case isDocument:
		s.openAPIDocument(w, r, path)
	case len(parts) > 0 && parts[0] == "v3":
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Path == "/openapi/v2":
		s.openAPIv2(w, r)
	default:
		s.fail(w, r, errNoPage)
	}
}

// openAPIRoot is the path of the OpenAPI v3 documents. A document describes the paths below
// the rest of its path: /openapi/v3/apis/apps/v1 describes /apis/apps/v1.
const openAPIRoot = "/openapi/v3/"

// contents is what an OpenAPI v3 document describes: the kinds of a group version or, without
// a version, a single path with information about the server.
type contents struct {
	path           string // below openAPIRoot
	group, version string
	kinds          []*schema.Kind
}

// custom reports whether the kinds are those of CustomResourceDefinitions. The API server
// does not describe the paths of their group and version.
func (c contents) custom() bool {
	return slices.ContainsFunc(c.kinds, func(k *schema.Kind) bool { return !k.Builtin })
}

// openAPIContents returns the contents of all documents.
func (s *Server) openAPIContents() []contents {
	all := []contents{{path: "api"}, {path: "apis"}, {path: "version"}}
	if s.options.Tokens != nil {
		all = append(all, contents{path: strings.TrimPrefix(issuerPath, "/")}, contents{path: strings.TrimPrefix(keysPath, "/")})
	}
	for _, g := range s.groups() {
		described := g.group != "" // the path /apis/GROUP
		for _, v := range g.versions {
			path := strings.TrimPrefix(groupVersionPath(g.group, v.version), "/")
			c := contents{path, g.group, v.version, v.kinds}
			all = append(all, c)
			described = described && !c.custom()
		}
		if described {
			all = append(all, contents{path: "apis/" + g.group, group: g.group})
		}
	}
	return all
}

// openAPIIndex lists the documents with their hashes, which make them cacheable without limit.
func (s *Server) openAPIIndex(w *writer, r *http.Request) {
	type location struct {
		URL string `json:"serverRelativeURL"`
	}
	paths := map[string]location{}
	for _, c := range s.openAPIContents() {
		paths[c.path] = location{openAPIRoot + c.path + "?hash=" + s.document(c).hash}
	}
	s.documents.keep(func(path string) bool {
		_, served := paths[path]
		return served
	})
	own := func(path string) bool { _, has := paths[path]; return has }
	for path, d := range s.delegatedDocuments(own) {
		paths[path] = location{d.url}
	}
	body, err := json.Marshal(map[string]any{"paths": paths})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	// The list is modified now, as in kube-apiserver, but is always sent: a client whose list is of the same
	// second would miss a definition that was created since, as kubectl explain does with its cache.
	w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
	serveDocument(w, r, "text/plain; charset=utf-8", "", time.Time{}, body) // the type that kube-apiserver's aggregator sends
}

// serveDocument answers with a document as net/http serves files: with 304 if the client has it
// already, and in parts. etag may be empty, and made the zero time, by which no client has it.
func serveDocument(w *writer, r *http.Request, contentType, etag string, made time.Time, body []byte) {
	w.Header().Set("Content-Type", contentType)
	if etag != "" {
		w.Header().Set("ETag", etag)
	}
	http.ServeContent(w, r, "", made, bytes.NewReader(body))
}

func (s *Server) openAPIDocument(w *writer, r *http.Request, path string) {
	all := s.openAPIContents()
	i := slices.IndexFunc(all, func(c contents) bool { return c.path == path })
	if d, ok := s.delegatedDocuments(func(string) bool { return i >= 0 })[path]; ok {
		s.delegate(w, r, place{}, d.backend)
		return
	}
	if i < 0 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Vary", "Accept")
	if acceptedDocument(r, "application/json") == "" {
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	d := s.document(all[i])
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", `"`+d.hash+`"`)
	switch hash := r.URL.Query().Get("hash"); hash {
	case "":
	case d.hash:
		w.Header().Set("Cache-Control", "public, immutable")
		w.Header().Set("Expires", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
	default:
		http.Redirect(w, r, openAPIRoot+path+"?hash="+d.hash, http.StatusMovedPermanently)
		return
	}
	d.once.Do(func() { d.body = s.describe(all[i]).JSON() })
	serveDocument(w, r, "application/json", "", d.made, d.body)
}

// acceptedDocument returns the first of the media types of an OpenAPI document that the client
// accepts, "" for none. Parameters other than the quality have no effect.
func acceptedDocument(r *http.Request, types ...string) string {
	header := r.Header.Get("Accept")
	if header == "" {
		return types[0]
	}
	for _, c := range clauses(nil, header) {
		for _, kind := range types {
			if c.kind == kind || c.kind == "application/*" || c.kind == "*/*" {
				return kind
			}
		}
	}
	return ""
}

// documentRevision is part of the hashes of the documents of built-in kinds. It must be
// incremented when such a document changes, because clients keep documents on disk by their
// hash. It need not be for new definitions: they have a checksum.
const documentRevision = 1

// document returns the document with the given contents, and creates it if there is none or
// its kinds have been replaced. For built-in kinds the hash is that of what determines the
// document: the Kubernetes version, the published schemas and documentRevision.
func (s *Server) document(c contents) *apiDocument {
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	if d := s.documents.made[c.path]; d != nil && slices.Equal(d.kinds, c.kinds) {
		return d
	}
	d := &apiDocument{kinds: slices.Clone(c.kinds), made: time.Now()}
	h := sha256.New()
	fmt.Fprintln(h, c.path)
	builtin := true
	for _, k := range c.kinds {
		fmt.Fprintln(h, k.Resource)
		builtin = builtin && k.Builtin
	}
	if catalog := s.cluster.Kinds().Catalog(); builtin && catalog != nil {
		fmt.Fprintln(h, catalog.Version(), definitions.Checksum(), documentRevision)
	} else {
		d.once.Do(func() { d.body = s.describe(c).JSON() })
		h.Write(d.body)
	}
	d.hash = strings.ToUpper(hex.EncodeToString(h.Sum(nil)))
	if s.documents.made == nil {
		s.documents.made = map[string]*apiDocument{}
	}
	s.documents.made[c.path] = d
	return d
}

// keep removes the documents that are no longer served.
func (d *documents) keep(served func(path string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.made, func(path string, _ *apiDocument) bool { return !served(path) })
}

// describer returns an empty describer for the server's Kubernetes version.
func (s *Server) describer() *describer {
	d := &describer{version: schema.DefaultVersion, prefix: refPrefix, seen: map[string]bool{}, written: s.writtenSchema}
	if d.catalog = s.cluster.Kinds().Catalog(); d.catalog != nil {
		d.version = d.catalog.Version()
	}
	return d
}

// describe creates an OpenAPI v3 document.
func (s *Server) describe(c contents) document.Value {
	d := s.describer()
	d.of = c
	var paths document.ObjectBuilder
	d.add(&paths, c)
	info := s.apiInfo()
	if c.custom() {
		info = object("title", text("Kubernetes CRD Swagger"), "version", text("v0.1.0"))
	}
	return object(
		"openapi", text("3.0.0"),
		"info", info,
		"paths", paths.Object(),
		"components", object("schemas", d.schemas.Object()),
	)
}

// writtenSchema returns the schema of a custom resource as it is in the CRD, including
// descriptions and rules, which types do not have; absent if there is none.
func (s *Server) writtenSchema(k *schema.Kind) document.Value {
	crd, ok := s.cluster.Kinds().CRD(k.Resource + "." + k.Group)
	if !ok {
		return document.Value{} // the kind comes from an OpenAPI document
	}
	for _, v := range crd.Object.Lookup("spec", "versions").Items() {
		if v.Get("name").StringOr("") == k.Version {
			return v.Lookup("schema", "openAPIV3Schema")
		}
	}
	return document.Value{}
}

func (s *Server) apiInfo() document.Value {
	version := "unversioned"
	if catalog := s.cluster.Kinds().Catalog(); catalog != nil {
		version = catalog.Version()
	}
	return object("title", text("Kubernetes"), "version", text(version))
}

// openAPIv2Protobuf is the media type with which kubectl requests OpenAPI v2. In an older
// spelling the dot in "v2.v1" is an @.
const openAPIv2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// openAPIv2 serves one document for all kinds, in protobuf or JSON. kubectl requests it whenever
// it validates a List.
func (s *Server) openAPIv2(w *writer, r *http.Request) {
	w.Header()["Vary"] = []string{"Accept-Encoding", "Accept"}
	kind := acceptedDocument(r, "application/json", openAPIv2Protobuf, strings.Replace(openAPIv2Protobuf, "v2.v1", "v2@v1", 1))
	if kind == "" {
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	if kind != "application/json" {
		kind = openAPIv2Protobuf
	}
	all := s.openAPIContents()
	d := s.documentV2(kind, all)
	d.once.Do(func() {
		doc := s.describeV2(all)
		if kind == openAPIv2Protobuf {
			d.body = protobuf.OpenAPI(doc)
		} else {
			d.body = doc.JSON()
		}
		d.hash = etagOf(d.body)
	})
	serveDocument(w, r, kind, d.hash, d.made, d.body)
}

// documentV2 returns the OpenAPI v2 document in a media type, which is a new one if kinds have
// been replaced.
func (s *Server) documentV2(mediaType string, all []contents) *apiDocument {
	var kinds []*schema.Kind
	for _, c := range all {
		kinds = append(kinds, c.kinds...)
	}
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	if d := s.documents.v2[mediaType]; d != nil && slices.Equal(d.kinds, kinds) {
		return d
	}
	if s.documents.v2 == nil {
		s.documents.v2 = map[string]*apiDocument{}
	}
	d := &apiDocument{kinds: kinds, made: time.Now()}
	s.documents.v2[mediaType] = d
	return d
}

// describeV2 creates the OpenAPI v2 document.
func (s *Server) describeV2(all []contents) document.Value {
	d := s.describer()
	d.prefix, d.v2 = "#/definitions/", true
	var paths document.ObjectBuilder
	for _, c := range all {
		d.add(&paths, c)
	}
	return object("swagger", text("2.0"), "info", s.apiInfo(), "paths", paths.Object(), "definitions", d.schemas.Object())
}

// object returns an object of alternating keys and values; absent values are left out. (A slice of pairs would be
// typed, but the compiler would move each value to the heap, as the key beside it reaches the object.)
func object(members ...any) document.Value {
	var b document.ObjectBuilder
	for i := 0; i+1 < len(members); i += 2 {
		b.Set(members[i].(string), members[i+1].(document.Value))
	}
	return b.Object()
}

func text(s string) document.Value { return document.NewString(s) }

// textOr returns a string value, absent for "".
func textOr(s string) document.Value {
	if s == "" {
		return document.Value{}
	}
	return document.NewString(s)
}

// number returns a number value, absent for nil.
func number(f *float64) document.Value {
	if f == nil {
		return document.Value{}
	}
	if i := int64(*f); float64(i) == *f {
		return document.NewInt(i)
	}
	return document.NewFloat(*f)
}

func count(i *int64) document.Value {
	if i == nil {
		return document.Value{}
	}
	return document.NewInt(*i)
}

// yes returns true, absent for false.
func yes(b bool) document.Value {
	if !b {
		return document.Value{}
	}
	return document.NewBool(true)
}

// literal parses a JSON value; the result is absent if the text is invalid.
func literal(json string) document.Value {
	if json == "" {
		return document.Value{}
	}
	d, err := document.Parse([]byte(json), document.Options{})
	if err != nil {
		return document.Value{}
	}
	return d.Root
}
