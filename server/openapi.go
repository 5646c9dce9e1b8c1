package server

import (
	"bytes"
	"context"
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

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/protobuf"
	"github.com/patchlab-dev/patchlab/schema"
)

// documents caches OpenAPI documents. Kinds are immutable and are only replaced, so a document
// is valid as long as its kinds are registered.
type documents struct {
	mu   sync.Mutex
	made map[string]*apiDocument
}

type apiDocument struct {
	kinds []*schema.Kind
	hash  string
	once  sync.Once
	body  []byte
}

// openAPIPath returns the path of a group version's document.
func openAPIPath(groupVersion string) string {
	if strings.Contains(groupVersion, "/") {
		return "/openapi/v3/apis/" + groupVersion
	}
	return "/openapi/v3/api/" + groupVersion
}

// openAPI serves /openapi/v3, the documents below it, and /openapi/v2.
func (s *Server) openAPI(w *writer, r *http.Request, parts []string) {
	switch {
	case r.URL.Path == "/openapi/v3":
		s.openAPIIndex(w, r)
	case len(parts) > 0 && parts[0] == "v3" && strings.HasSuffix(r.URL.Path, "/"):
		w.WriteHeader(http.StatusNotFound)
	case len(parts) == 3 && parts[0] == "v3" && parts[1] == "api":
		s.openAPIDocument(w, r, "", parts[2])
	case len(parts) == 4 && parts[0] == "v3" && parts[1] == "apis":
		s.openAPIDocument(w, r, parts[2], parts[3])
	case len(parts) > 0 && parts[0] == "v3":
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Path == "/openapi/v2":
		s.openAPIv2(w, r)
	default:
		s.fail(w, r, errNoPage)
	}
}

// openAPIIndex lists the documents with their hashes, which make them cacheable without limit.
func (s *Server) openAPIIndex(w *writer, r *http.Request) {
	type location struct {
		URL string `json:"serverRelativeURL"`
	}
	paths := map[string]location{}
	for _, g := range s.groups() {
		for _, v := range g.versions {
			path := openAPIPath(schema.APIVersion(g.group, v.version))
			d := s.document(g.group, v.version, v.kinds)
			paths[strings.TrimPrefix(path, "/openapi/v3/")] = location{path + "?hash=" + d.hash}
		}
	}
	s.documents.keep(func(groupVersion string) bool {
		_, served := paths[strings.TrimPrefix(openAPIPath(groupVersion), "/openapi/v3/")]
		return served
	})
	body, err := json.Marshal(map[string]any{"paths": paths})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	serveDocument(w, r, "text/plain; charset=utf-8", "", body) // the type that kube-apiserver's aggregator sends
}

// serveDocument answers with a document as net/http serves files: with 304 if the client has it
// already, and in parts. etag may be empty.
func serveDocument(w *writer, r *http.Request, contentType, etag string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	if etag != "" {
		w.Header().Set("ETag", etag)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

func (s *Server) openAPIDocument(w *writer, r *http.Request, group, version string) {
	kinds := s.kindsOf(group, version)
	if kinds == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Vary", "Accept")
	if acceptedDocument(r, "application/json") == "" {
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	d := s.document(group, version, kinds)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", `"`+d.hash+`"`)
	switch hash := r.URL.Query().Get("hash"); hash {
	case "":
	case d.hash:
		w.Header().Set("Cache-Control", "public, immutable")
		w.Header().Set("Expires", s.options.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
	default:
		http.Redirect(w, r, openAPIPath(schema.APIVersion(group, version))+"?hash="+d.hash, http.StatusMovedPermanently)
		return
	}
	d.once.Do(func() { d.body = s.describe(group, version, kinds).JSON() })
	serveDocument(w, r, "application/json", "", d.body)
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

// document returns the document of a group version, and creates it if there is none or its
// kinds have been replaced. For built-in kinds the hash is that of the Kubernetes version,
// which determines them.
func (s *Server) document(group, version string, kinds []*schema.Kind) *apiDocument {
	key := schema.APIVersion(group, version)
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	if d := s.documents.made[key]; d != nil && slices.Equal(d.kinds, kinds) {
		return d
	}
	d := &apiDocument{kinds: slices.Clone(kinds)}
	h := sha256.New()
	fmt.Fprintln(h, key)
	builtin := true
	for _, k := range kinds {
		fmt.Fprintln(h, k.Resource)
		builtin = builtin && k.Builtin
	}
	if catalog := s.cluster.Kinds().Catalog(); builtin && catalog != nil {
		fmt.Fprintln(h, catalog.Version())
	} else {
		d.once.Do(func() { d.body = s.describe(group, version, kinds).JSON() })
		h.Write(d.body)
	}
	d.hash = strings.ToUpper(hex.EncodeToString(h.Sum(nil)))
	if s.documents.made == nil {
		s.documents.made = map[string]*apiDocument{}
	}
	s.documents.made[key] = d
	return d
}

// keep removes the documents of versions that are no longer served.
func (d *documents) keep(served func(groupVersion string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.made, func(groupVersion string, _ *apiDocument) bool { return !served(groupVersion) })
}

// describe creates the OpenAPI v3 document of a group version.
func (s *Server) describe(group, version string, kinds []*schema.Kind) document.Value {
	d := describer{catalog: s.cluster.Kinds().Catalog(), prefix: "#/components/schemas/", seen: map[string]bool{}}
	d.written = s.writtenSchema
	var paths document.ObjectBuilder
	for _, k := range kinds {
		d.kind(k)
		d.paths(&paths, k)
	}
	return object(
		"openapi", text("3.0.0"),
		"info", s.apiInfo(),
		"paths", paths.Object(),
		"components", object("schemas", d.schemas.Object()),
	)
}

// writtenSchema returns the schema of a custom resource as it is in the CRD, including
// descriptions, which types do not have; absent if there is none.
func (s *Server) writtenSchema(k *schema.Kind) document.Value {
	response, err := s.cluster.Do(context.Background(), &cluster.Request{
		Verb: cluster.Get, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: k.Resource + "." + k.Group,
	})
	if err != nil {
		return document.Value{} // the kind does not come from a CRD in the cluster
	}
	for _, v := range response.Object.Lookup("spec", "versions").Items() {
		if v.Get("name").StringOr("") == k.Version {
			return v.Lookup("schema", "openAPIV3Schema")
		}
	}
	return document.Value{}
}

func (s *Server) apiInfo() document.Value {
	version := "unversioned"
	if catalog := s.cluster.Kinds().Catalog(); catalog != nil {
		version = "v" + catalog.Version()
	}
	return object("title", text("Kubernetes"), "version", text(version))
}

// openAPIv2Protobuf is the media type with which kubectl requests OpenAPI v2. In an older
// spelling the dot in "v2.v1" is an @.
const openAPIv2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// openAPIv2 serves one document for all kinds, in protobuf or JSON. kubectl validates objects
// with it.
func (s *Server) openAPIv2(w *writer, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	kind := acceptedDocument(r, "application/json", openAPIv2Protobuf, strings.Replace(openAPIv2Protobuf, "v2.v1", "v2@v1", 1))
	if kind == "" {
		w.WriteHeader(http.StatusNotAcceptable)
		return
	}
	binary := kind != "application/json"
	d := describer{catalog: s.cluster.Kinds().Catalog(), prefix: "#/definitions/", seen: map[string]bool{}, v2: true}
	var paths document.ObjectBuilder
	for _, g := range s.groups() {
		for _, v := range g.versions {
			for _, k := range v.kinds {
				d.kind(k)
				if !binary {
					d.paths(&paths, k)
				}
			}
		}
	}
	doc := object("swagger", text("2.0"), "info", s.apiInfo(), "paths", paths.Object(), "definitions", d.schemas.Object())
	contentType, body := "application/json", []byte(nil)
	if binary {
		contentType, body = openAPIv2Protobuf, protobuf.OpenAPI(doc)
	} else {
		body = doc.JSON()
	}
	serveDocument(w, r, contentType, etagOf(body), body)
}

// object returns an object of alternating keys and values; absent values are left out.
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

func texts(items []string) document.Value {
	values := make([]document.Value, len(items))
	for i, s := range items {
		values[i] = document.NewString(s)
	}
	return document.NewList(values...)
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
