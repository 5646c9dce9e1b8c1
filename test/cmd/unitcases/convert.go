package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/schema"
)

// recording is a Recording of the package in record.go.txt.
type recording struct {
	Function, APIVersion, Kind, Part string
	Object, Old                      map[string]any
}

// convert writes a case for each recording of a kind that the Kubernetes version serves, and
// returns their number.
func convert(recordings, kubernetes, to string) (count int, err error) {
	minor := strings.Split(strings.TrimPrefix(kubernetes, "v"), ".")
	if len(minor) < 2 {
		return 0, fmt.Errorf("%q is not a version of Kubernetes such as v1.36.3", kubernetes)
	}
	catalog, err := schema.Builtin(minor[0] + "." + minor[1])
	if err != nil {
		return 0, err
	}
	files, err := filepath.Glob(filepath.Join(recordings, "*.jsonl"))
	if err != nil {
		return 0, err
	}
	out, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	written := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return count, err
		}
		for line := range strings.Lines(string(data)) {
			var r recording
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				return count, fmt.Errorf("%s: %w", file, err)
			}
			group, version, _ := schema.SplitAPIVersion(r.APIVersion)
			kind, ok := catalog.Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: r.Kind})
			if !ok || kind.Resource == "" || kind.OffByDefault {
				continue
			}
			c, err := r.toCase(kind)
			if err != nil {
				return count, err
			}
			if written[c.Name] {
				continue
			}
			written[c.Name] = true
			count++
			if err := json.NewEncoder(out).Encode(c); err != nil {
				return count, err
			}
		}
	}
	return count, nil
}

// toCase returns a create or, with a previous state, that and an update. Objects that are not in
// a namespace of their own are deleted before and after it.
func (r *recording) toCase(kind *schema.Kind) (c conformance.Case, err error) {
	status := strings.Contains(r.Function, "Status")
	sum, err := json.Marshal([]any{r.Object, r.Old, status})
	if err != nil {
		return c, err
	}
	id := fmt.Sprintf("%x", sha256.Sum256(sum))[:10]
	collection := "/apis/" + r.APIVersion
	if kind.Group == "" {
		collection = "/api/" + r.APIVersion
	}
	namespace := ""
	if kind.Namespaced {
		namespace = "u-" + id
		collection += "/namespaces/" + namespace
	}
	collection += "/" + kind.Resource
	c = conformance.Case{Name: "unit/" + kind.Resource + "-" + id, Note: strings.TrimSpace(r.Function + " " + r.Part)}
	meta := prepared(r.Object, namespace)
	if r.Old == nil {
		if meta["name"] == nil && meta["generateName"] == nil {
			meta["name"] = "obj"
		}
		create, err := requestOf("POST", collection, r.Object)
		create.Request.Query = "dryRun=All"
		c.Steps = []conformance.Step{create}
		return c, err
	}
	was := prepared(r.Old, namespace)
	name, _ := meta["name"].(string)
	if name == "" {
		name = "obj"
	}
	meta["name"], was["name"], meta["resourceVersion"] = name, name, "$RV1$"
	object := collection + "/" + url.PathEscape(name)
	create, err := requestOf("POST", collection, r.Old)
	if err != nil {
		return c, err
	}
	update, err := requestOf("PUT", object+subresource(r.Function, r.Kind), r.Object)
	c.Steps = []conformance.Step{create, update}
	if !kind.Namespaced {
		remove := conformance.Step{Request: conformance.Request{Method: "DELETE", Path: object}}
		c.Steps = []conformance.Step{remove, create, update, remove}
	}
	return c, err
}

// prepared removes from an object what a client cannot set, moves it and its references to itself
// to a namespace, and returns its metadata.
func prepared(object map[string]any, namespace string) map[string]any {
	meta, ok := object["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		object["metadata"] = meta
	}
	for _, name := range []string{"uid", "creationTimestamp", "generation", "resourceVersion", "selfLink", "managedFields", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		delete(meta, name)
	}
	for _, name := range []string{"involvedObject", "regarding"} {
		if ref, ok := object[name].(map[string]any); ok && ref["namespace"] != nil && ref["namespace"] == meta["namespace"] {
			ref["namespace"] = namespace
		}
	}
	delete(meta, "namespace")
	return meta
}

// subresource returns the path, below an object, of the subresource whose updates a function
// validates.
func subresource(function, kind string) string {
	switch {
	case strings.Contains(function, "StatusUpdate"):
		return "/status"
	case strings.Contains(function, "Approval"):
		return "/approval"
	case kind == "Pod" && strings.Contains(function, "Ephemeral"):
		return "/ephemeralcontainers"
	case kind == "Pod" && strings.Contains(function, "Resize"):
		return "/resize"
	}
	return ""
}

func requestOf(method, path string, object map[string]any) (conformance.Step, error) {
	body, err := json.Marshal(object)
	return conformance.Step{Request: conformance.Request{Method: method, Path: path, ContentType: "application/json", Body: string(body)}}, err
}
