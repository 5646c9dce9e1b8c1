package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// resources finds the resource of a kind by the discovery of a server.
type resources struct {
	send  conformance.Send
	found map[string]map[string]resource // by version, then by kind
}

// resource is an entry of the discovery.
type resource struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`
}

// of returns the resource of a kind. A version that is not known is asked for again, as a
// CustomResourceDefinition may have added it.
func (r *resources) of(apiVersion, kind string) (resource, bool, error) {
	if one, ok := r.found[apiVersion][kind]; ok {
		return one, true, nil
	}
	answer, err := r.send(conformance.Request{Method: http.MethodGet, Path: prefix(apiVersion), Accept: "application/json"})
	if err != nil || answer.Code == http.StatusNotFound {
		return resource{}, false, err
	}
	var list struct {
		Resources []resource `json:"resources"`
	}
	if err := json.Unmarshal(answer.Body, &list); err != nil {
		return resource{}, false, fmt.Errorf("discovery of %s: %w", apiVersion, err)
	}
	kinds := map[string]resource{}
	for _, one := range list.Resources {
		// The name of a subresource has a slash.
		if _, taken := kinds[one.Kind]; !taken && !strings.Contains(one.Name, "/") {
			kinds[one.Kind] = one
		}
	}
	r.found[apiVersion] = kinds
	one, ok := kinds[kind]
	return one, ok, nil
}

// prefix returns the path of a version.
func prefix(apiVersion string) string {
	if apiVersion == "v1" {
		return "/api/v1"
	}
	return "/apis/" + apiVersion
}
