// Package definitions holds the OpenAPI schemas of the types of built-in kinds, as an API
// server publishes them: with descriptions, enums, defaults and extensions.
//
// The schemas are those of Kubernetes (Apache License 2.0). schema/internal/gencatalog
// writes them, for the same Kubernetes versions as the catalog of kinds, into a text that
// is embedded in compressed form ('gunzip -c definitions.gz' prints it). Its first line
// lists the versions. The schema of a type follows as a paragraph:
//
//	io.k8s.api.apps.v1.DeploymentStrategy
//	1.30-1.37 . {"description":"DeploymentStrategy describes how to …","type":"object"}
//	1.30-1.37 type {"description":"Type of deployment. …","enum":["Recreate","RollingUpdate"],"type":"string"}
//
// The first line is the type's OpenAPI name. Each other line has the first and the last
// version in which it holds, the name of a property, and the schema of this property. The
// property "." is the type's own schema without its properties. Schemas are those of
// OpenAPI v3, which OpenAPI v2 can be derived from. If the schema of a property changes
// between versions, it has several lines. Most do not change, so that all versions take
// little more space than one.
package definitions

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/patchlab-dev/patchlab/document"
)

//go:embed definitions.gz
var compressed []byte

// Checksum identifies the embedded text. It is read from the end of the compressed file and
// does not decompress it.
func Checksum() uint32 {
	return binary.LittleEndian.Uint32(compressed[len(compressed)-8:])
}

// text is the decompressed text, indexed by types.
type text struct {
	versions   []string          // oldest first
	paragraphs map[string]string // by type: the lines after the name
}

// load reads the text when the first schema is requested. It stays in memory (2 MB), because
// clients request the OpenAPI documents one by one.
var load = sync.OnceValue(read)

func read() *text {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		panic(err) // the embedded file is damaged
	}
	var b strings.Builder
	b.Grow(int(binary.LittleEndian.Uint32(compressed[len(compressed)-4:]))) // the length of the text
	if _, err := io.Copy(&b, r); err != nil {
		panic(err) // as above
	}
	head, rest, _ := strings.Cut(b.String(), "\n\n")
	t := &text{versions: strings.Fields(head), paragraphs: map[string]string{}}
	for paragraph := range strings.SplitSeq(rest, "\n\n") {
		name, lines, _ := strings.Cut(paragraph, "\n")
		t.paragraphs[name] = lines
	}
	return t
}

// Schema returns the OpenAPI v3 schema of a type in a Kubernetes minor version.
// The value is absent if there is no such type or version.
func Schema(version, name string) document.Value {
	t := load()
	at := slices.Index(t.versions, version)
	var root document.Value
	var properties document.ObjectBuilder
	for line := range strings.Lines(t.paragraphs[name]) {
		versions, rest, _ := strings.Cut(line, " ")
		first, last, _ := strings.Cut(versions, "-")
		if at < slices.Index(t.versions, first) || at > slices.Index(t.versions, last) {
			continue
		}
		property, json, _ := strings.Cut(rest, " ")
		parsed, err := document.Parse([]byte(json), document.Options{})
		if err != nil {
			panic(err) // the generator has written what it has parsed
		}
		if property == "." {
			root = parsed.Root
		} else {
			properties.Set(property, parsed.Root)
		}
	}
	if properties.Len() > 0 {
		root = root.With("properties", properties.Object())
	}
	return root
}
