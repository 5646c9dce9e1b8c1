package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// schemas are the types of the built-in kinds, from the OpenAPI document of a server.
type schemas struct {
	types map[string]*schema // by name
	kinds map[string]string  // names of types by apiVersion and kind
}

// schema is the part of an OpenAPI schema that the generator reads.
type schema struct {
	Ref                  string             `json:"$ref"`
	AllOf                []*schema          `json:"allOf"`
	OneOf                []*schema          `json:"oneOf"`
	Type                 string             `json:"type"`
	Format               string             `json:"format"`
	Enum                 []any              `json:"enum"`
	Required             []string           `json:"required"`
	Properties           map[string]*schema `json:"properties"`
	Items                *schema            `json:"items"`
	AdditionalProperties *schema            `json:"additionalProperties"`
	Kinds                []kindName         `json:"x-kubernetes-group-version-kind"`

	name string
}

type kindName struct{ Group, Version, Kind string }

// readSchemas reads the documents of the paths of recorded cases, except for those of versions of
// groups that the server does not serve.
func readSchemas(send conformance.Send, paths []string) (*schemas, error) {
	s := &schemas{types: map[string]*schema{}, kinds: map[string]string{}}
	seen := map[string]bool{}
	for _, path := range paths {
		parts := strings.Split(path, "/")
		version := strings.Join(parts[:min(len(parts), 4)], "/")
		if strings.HasPrefix(path, "/api/") {
			version = "/api/v1"
		}
		if seen[version] {
			continue
		}
		seen[version] = true
		answer, err := send(conformance.Request{Method: http.MethodGet, Path: "/openapi/v3" + version})
		if err == nil && answer.Code == http.StatusNotFound {
			continue
		}
		if err == nil && answer.Code != http.StatusOK {
			err = fmt.Errorf("the server answers %d %s", answer.Code, answer.Body)
		}
		if err != nil {
			return nil, fmt.Errorf("OpenAPI of %s: %w", version, err)
		}
		var document struct {
			Components struct{ Schemas map[string]*schema }
		}
		if err := json.Unmarshal(answer.Body, &document); err != nil {
			return nil, err
		}
		for name, one := range document.Components.Schemas {
			one.name = name
			s.types[name] = one
			for _, k := range one.Kinds {
				apiVersion := strings.TrimPrefix(k.Group+"/"+k.Version, "/")
				s.kinds[apiVersion+" "+k.Kind] = name
			}
		}
	}
	return s, nil
}

// of returns the type of an object, nil if it is not known.
func (s *schemas) of(apiVersion, kind string) *schema { return s.types[s.kinds[apiVersion+" "+kind]] }

// resolve follows references.
func (s *schemas) resolve(one *schema) *schema {
	for one != nil {
		switch {
		case one.Ref != "":
			one = s.types[one.Ref[strings.LastIndex(one.Ref, "/")+1:]]
		case len(one.AllOf) == 1:
			one = one.AllOf[0]
		default:
			return one
		}
	}
	return nil
}
