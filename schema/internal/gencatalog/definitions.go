package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
)

// readDefinitions reads the OpenAPI schemas of all types from the documents of a
// k8s.io/kubernetes module, by the types' OpenAPI names. The documents are published
// without enums, which an API server has in its documents: they are added from the Go
// source of the schemas in the same module.
func readDefinitions(dir string) (map[string]document.Value, error) {
	enums, err := readEnums(filepath.Join(dir, "pkg", "generated", "openapi", "zz_generated.openapi.go"))
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "api", "openapi-spec", "v3", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no OpenAPI v3 documents in %s (%v)", dir, err)
	}
	all := map[string]document.Value{}
	for _, f := range files {
		d, err := readDocument(f)
		if err != nil {
			return nil, err
		}
		for name, s := range d.Lookup("components", "schemas").Members() {
			all[name] = s
		}
	}
	swagger, err := readDocument(filepath.Join(dir, "api", "openapi-spec", "swagger.json"))
	if err != nil {
		return nil, err
	}
	for name, s := range all {
		// The kinds that all groups share, such as DeleteOptions, have the groups of the
		// document in OpenAPI v3 and all groups in v2.
		if gvks := swagger.Lookup("definitions", name, kindsKey); gvks.Exists() {
			s = s.With(kindsKey, gvks)
		}
		if all[name], err = enums.addTo(name, s); err != nil {
			return nil, err
		}
	}
	return all, nil
}

const kindsKey = "x-kubernetes-group-version-kind"

// encodeDefinitions writes the text that package definitions of the server embeds; the
// package describes the format.
func encodeDefinitions(all []*release) ([]byte, error) {
	names := map[string]bool{}
	var minors []string
	for _, r := range all {
		minors = append(minors, r.minor)
		for name := range r.definitions {
			names[name] = true
		}
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, strings.Join(minors, " "))
	// Sorted by the last part of the name, the versions of a type are next to each other.
	// They have most of their texts in common, which compresses well.
	order := slices.SortedFunc(maps.Keys(names), func(x, y string) int {
		_, a := splitName(x)
		_, b := splitName(y)
		return strings.Compare(a+" "+x, b+" "+y)
	})
	for _, name := range order {
		fmt.Fprintf(&b, "\n%s\n", name)
		properties := map[string]bool{}
		roots := make([]document.Value, len(all))
		for i, r := range all {
			s := r.definitions[name]
			roots[i] = s.Without("properties")
			for p := range s.Get("properties").Members() {
				properties[p] = true
			}
			if p := s.Get("properties"); p.Exists() && p.Len() == 0 {
				return nil, fmt.Errorf("%s has an empty object of properties, which the format cannot express", name)
			}
		}
		writeVersions(&b, minors, ".", roots)
		for _, p := range slices.Sorted(maps.Keys(properties)) {
			values := make([]document.Value, len(all))
			for i, r := range all {
				values[i] = r.definitions[name].Get("properties").Get(p)
			}
			writeVersions(&b, minors, p, values)
		}
	}
	return b.Bytes(), nil
}

// writeVersions writes a line for each range of versions that have the same value.
func writeVersions(b *bytes.Buffer, minors []string, name string, values []document.Value) {
	for i := 0; i < len(values); {
		end := i + 1
		for end < len(values) && document.Identical(values[i], values[end]) {
			end++
		}
		if values[i].Exists() {
			fmt.Fprintf(b, "%s-%s %s %s\n", minors[i], minors[end-1], name, values[i].JSON())
		}
		i = end
	}
}

func compressed(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
