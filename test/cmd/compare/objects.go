package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// compareObjects compares the objects of folders.
func compareObjects(o *options, p *pair, folders []string) (*report, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	c := &objects{
		pair: p, only: only, report: newReport(), limit: o.limit,
		resources: &resources{send: p.theirs, found: map[string]map[string]resource{}},
	}
	for _, folder := range folders {
		if err := c.folder(folder); err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
	}
	return c.report, nil
}

// objects is a comparison of manifests.
type objects struct {
	*pair
	only      *regexp.Regexp
	report    *report
	limit     int
	resources *resources
	cases     int
}

func (o *objects) folder(folder string) error {
	all, others, err := readManifests(folder)
	if err != nil {
		return err
	}
	o.report.notes["documents without apiVersion, kind and name, or not YAML"] += others
	group := filepath.Base(folder)
	for _, m := range all {
		if m.isCRD() {
			if err := o.definition(group, m); err != nil {
				return err
			}
		}
	}
	n := 0
	for _, m := range all {
		if m.isCRD() || o.limit > 0 && n >= o.limit {
			continue
		}
		n++
		if err := o.object(group, m); err != nil {
			return fmt.Errorf("%s: %w", m.file, err)
		}
	}
	return nil
}

// definition creates a CustomResourceDefinition and waits until both servers serve it.
func (o *objects) definition(group string, m manifest) error {
	path := definitions + "/" + m.text("metadata", "name")
	if answer, err := o.theirs(conformance.Request{Method: http.MethodGet, Path: path}); err != nil || answer.Code == http.StatusOK {
		o.report.note("CustomResourceDefinitions that another file has created")
		return err
	}
	body := encode(m.object)
	c := conformance.Case{Name: group + "/customresourcedefinitions", Note: m.file, Steps: []conformance.Step{
		{Request: request(http.MethodPost, definitions, "fieldManager=first", "application/json", body)},
	}}
	if err := o.compare(o.report, group, c); err != nil {
		return err
	}
	for _, send := range []conformance.Send{o.ours, o.theirs} {
		if err := established(send, path); err != nil {
			return err
		}
	}
	c.Steps = append(applied(path, body), conformance.Step{
		Request: request(http.MethodPatch, path, "fieldManager=first", mergePatchType, `{"metadata":{"labels":{"compared":"yes"}}}`),
	})
	return o.compare(o.report, group, c)
}

// established waits until a CustomResourceDefinition is served; a refused one never is.
func established(send conformance.Send, path string) error {
	for range 100 {
		answer, err := send(conformance.Request{Method: http.MethodGet, Path: path})
		if err != nil || answer.Code == http.StatusNotFound {
			return err
		}
		var object struct {
			Status struct {
				Conditions []struct{ Type, Status string }
			}
		}
		if err := json.Unmarshal(answer.Body, &object); err != nil {
			return err
		}
		for _, c := range object.Status.Conditions {
			if c.Type == "Established" && c.Status == "True" || c.Type == "NamesAccepted" && c.Status == "False" {
				return nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("%s is not established after five seconds", path)
}

// object compares the requests that write an object. It is written in a namespace of its
// own.
func (o *objects) object(group string, m manifest) error {
	r, ok, err := o.resources.of(m.text("apiVersion"), m.text("kind"))
	if err != nil {
		return err
	}
	if !ok {
		o.report.note("objects of kinds that are not served")
		return nil
	}
	object := maps.Clone(m.object)
	path := prefix(m.text("apiVersion"))
	if r.Namespaced {
		o.cases++
		sum := sha256.Sum256([]byte(fmt.Sprint(group, m.file, o.cases)))
		namespace := "c-" + hex.EncodeToString(sum[:5])
		metadata := maps.Clone(object["metadata"].(map[string]any))
		metadata["namespace"] = namespace
		object["metadata"] = metadata
		path += "/namespaces/" + namespace
	}
	path += "/" + r.Name
	if !o.only.MatchString(path) {
		return nil
	}
	query := "fieldManager=first"
	if strings.HasPrefix(m.text("apiVersion"), "admissionregistration.k8s.io/") {
		query += "&dryRun=All" // a policy or webhook would apply to the requests that follow
	}
	return o.compare(o.report, group, conformance.Case{
		Name: group + "/" + r.Name, Note: m.file,
		Steps: written(path, path+"/"+url.PathEscape(m.text("metadata", "name")), query, encode(object), strings.Contains(m.text("apiVersion"), ".") && !strings.Contains(m.text("apiVersion"), ".k8s.io/")),
	})
}

// written returns the requests that create, apply, patch, replace and delete an object.
func written(collection, path, query, body string, dotted bool) []conformance.Step {
	steps := []conformance.Step{{Request: request(http.MethodPost, collection, query, "application/json", body)}}
	if strings.Contains(query, "dryRun") {
		return steps
	}
	steps = append(steps, applied(path, body)...)
	add := func(method, query, contentType, body string) {
		steps = append(steps, conformance.Step{Request: request(method, path, query, contentType, body)})
	}
	add(http.MethodPatch, query, mergePatchType, `{"metadata":{"labels":{"compared":"yes"},"annotations":{"compared.example.com/a":"1"}},"spec":{"compared":null}}`)
	add(http.MethodPatch, query, jsonPatchType, `[{"op":"add","path":"/metadata/labels/second","value":"1"}]`)
	if !dotted {
		add(http.MethodPatch, query, strategicPatchType, `{"metadata":{"labels":{"third":"1","second":null},"finalizers":null}}`)
	}
	add(http.MethodPut, "fieldManager=third", "application/json", body)
	add(http.MethodPatch, "fieldManager=third&force=true", applyPatchType, body)
	add(http.MethodDelete, "", "", "")
	return steps
}

// applied returns the requests of a second manager that applies an object twice.
func applied(path, body string) []conformance.Step {
	one := conformance.Step{Request: request(http.MethodPatch, path, "fieldManager=second", applyPatchType, body)}
	return []conformance.Step{one, one}
}
