package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	openapi "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"sigs.k8s.io/yaml"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// compareDocuments compares discovery and OpenAPI documents while CustomResourceDefinitions come, change and go.
func compareDocuments(o *options, p *pair) (*report, error) {
	r := newReport()
	for i := range o.cases {
		d := &documents{definer: newDefiner(o, i), group: fmt.Sprintf("g%dx%d.example.com", o.seed, i), server: p.theirs}
		d.careful = true
		steps, err := d.steps()
		if err != nil {
			return nil, err
		}
		c := conformance.Case{Name: fmt.Sprintf("documents/%d-%d", o.seed, i), Steps: steps}
		about := &pair{ours: d.relevant(p.ours), theirs: d.relevant(p.theirs), record: p.record, words: p.words, sleep: p.sleep}
		if err := about.compareBy(r, c, about.judgeDocument); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// documents generates a case with a group of its own.
type documents struct {
	*definer
	group  string
	server conformance.Send // says which definitions are valid
}

// judgeDocument counts responses by the kind of document.
func (p *pair) judgeDocument(want, got conformance.Case, i int) (group, example, difference string) {
	r := want.Steps[i].Request
	group = "definitions"
	if !strings.HasPrefix(r.Path, definitions) {
		group = strings.Join(strings.Split(r.Path, "/")[:min(4, strings.Count(r.Path, "/")+1)], "/")
		if strings.HasPrefix(r.Path, "/apis/") {
			group = "/apis/GROUP" + strings.Repeat("/VERSION", strings.Count(r.Path, "/")-2)
		}
		if strings.Contains(r.Accept, "as=") {
			group += " aggregated"
		}
		if strings.Contains(r.Accept, "protobuf") {
			group += " protobuf"
		}
	}
	return group, fmt.Sprintf("documents%s step %d\n%s %s %s", strings.ReplaceAll(group, " ", "-"), i, want.Name, r.Accept, brief(r)), p.responseDifference(want, got, i)
}

// The forms of documents.
const (
	aggregatedType     = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	aggregatedBetaType = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
	openapi2Type       = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
)

// steps generates requests that create, change and delete one or two definitions, and those for all documents after each.
func (d *documents) steps() (steps []conformance.Step, err error) {
	add := func(r conformance.Request) { steps = append(steps, conformance.Step{Request: r}) }
	read := func() {
		const settled = 5000 // milliseconds after which kube-apiserver has published a definition
		add(conformance.Request{Method: http.MethodGet, Path: "/apis/" + d.group, SleepMS: settled})
		for _, version := range []string{"v1", "v1beta1"} {
			add(conformance.Request{Method: http.MethodGet, Path: "/apis/" + d.group + "/" + version})
			add(conformance.Request{Method: http.MethodGet, Path: "/openapi/v3/apis/" + d.group + "/" + version})
		}
		for _, accept := range []string{"", aggregatedType, aggregatedBetaType} {
			add(conformance.Request{Method: http.MethodGet, Path: "/apis", Accept: accept})
		}
		add(conformance.Request{Method: http.MethodGet, Path: "/openapi/v3"})
		for _, accept := range []string{"", openapi2Type} {
			add(conformance.Request{Method: http.MethodGet, Path: "/openapi/v2", Accept: accept})
		}
	}
	names := []string{"as", "bs"}[:1+d.random.IntN(2)]
	for _, name := range names {
		object, err := d.valid(name)
		if err != nil {
			return nil, err
		}
		add(request(http.MethodPost, definitions, "", "application/json", encode(object)))
	}
	read()
	path := definitions + "/" + names[0] + "." + d.group
	for range 1 + d.random.IntN(2) {
		changed, err := d.change(names[0])
		if err != nil {
			return nil, err
		}
		add(request(http.MethodPatch, path, "", mergePatchType, encode(map[string]any{"spec": changed})))
		read()
	}
	add(request(http.MethodDelete, path, "", "", ""))
	read()
	if len(names) > 1 {
		add(request(http.MethodDelete, definitions+"/"+names[1]+"."+d.group, "", "", ""))
		read()
	}
	return steps, nil
}

// valid generates a definition that kube-apiserver accepts.
func (d *documents) valid(name string) (map[string]any, error) {
	for {
		definition := d.definition(name)
		definition.group = d.group
		object := definition.object()
		spec := object["spec"].(map[string]any)
		named := spec["names"].(map[string]any)
		if d.chance(2) {
			named["shortNames"] = []any{"s" + name}
		}
		if d.chance(2) {
			named["categories"] = []any{"all"}
		}
		if d.chance(3) {
			spec["scope"] = "Cluster"
		}
		answer, err := d.server(request(http.MethodPost, definitions, "dryRun=All", "application/json", encode(object)))
		if err != nil || answer.Code != http.StatusUnprocessableEntity && answer.Code != http.StatusBadRequest {
			return object, err
		}
	}
}

// change generates a change of the spec of a definition.
func (d *documents) change(name string) (map[string]any, error) {
	if d.chance(3) {
		return map[string]any{"names": map[string]any{"shortNames": []any{"t" + name}, "singular": "one" + name, "categories": []any{"some"}}}, nil
	}
	object, err := d.valid(name)
	if err != nil {
		return nil, err
	}
	versions := object["spec"].(map[string]any)["versions"].([]any)
	if d.chance(2) {
		versions[len(versions)-1].(map[string]any)["served"] = d.chance(2)
		versions[0].(map[string]any)["deprecated"] = true
	}
	return map[string]any{"versions": versions}, nil
}

// relevant returns a Send that keeps what concerns the group of the case in a document.
func (d *documents) relevant(send conformance.Send) conformance.Send {
	return func(r conformance.Request) (conformance.Answer, error) {
		answer, err := send(r)
		if err != nil || answer.Code != http.StatusOK || strings.HasPrefix(r.Path, definitions) {
			return answer, err
		}
		if strings.HasSuffix(r.Path, "/v2") && r.Accept == openapi2Type {
			if answer.Body, err = openapi2JSON(answer.Body); err != nil {
				return answer, err
			}
		}
		var document map[string]any
		if err := json.Unmarshal(answer.Body, &document); err != nil {
			return answer, fmt.Errorf("%s: %w", r.Path, err)
		}
		switch {
		case r.Path == "/apis":
			document = d.groups(document)
		case r.Path == "/openapi/v3":
			document = d.members(document["paths"], func(any) any { return "found" })
		case strings.HasPrefix(r.Path, "/openapi/v3/"):
			components, _ := document["components"].(map[string]any)
			document = map[string]any{"schemas": components["schemas"], "paths": verbs(document["paths"])}
		case r.Path == "/openapi/v2":
			document = d.members(document["definitions"], func(v any) any { return v })
		}
		sortResources(document)
		answer.Body = []byte(encode(document))
		return answer, nil
	}
}

// sortResources sorts the resources of each version, which kube-apiserver finds in a map of definitions.
func sortResources(value any) {
	switch value := value.(type) {
	case map[string]any:
		if resources, ok := value["resources"].([]any); ok {
			slices.SortFunc(resources, func(a, b any) int { return strings.Compare(encode(a), encode(b)) })
		}
		for _, member := range value {
			sortResources(member)
		}
	case []any:
		for _, item := range value {
			sortResources(item)
		}
	}
}

// groups keeps the entry of the group in a list of groups, which are in an order of the server's own.
func (d *documents) groups(list map[string]any) map[string]any {
	out := map[string]any{"kind": list["kind"], "apiVersion": list["apiVersion"]}
	for _, key := range []string{"groups", "items"} {
		entries, _ := list[key].([]any)
		for _, entry := range entries {
			group, _ := entry.(map[string]any)
			metadata, _ := group["metadata"].(map[string]any)
			if group["name"] == d.group || metadata["name"] == d.group {
				out["group"] = group
			}
		}
	}
	return out
}

// members keeps the members of a document whose name has the group, also in reverse order as in the names of schemas.
func (d *documents) members(document any, value func(any) any) map[string]any {
	parts := strings.Split(d.group, ".")
	slices.Reverse(parts)
	reversed := strings.Join(parts, ".")
	out := map[string]any{}
	all, _ := document.(map[string]any)
	for name, v := range all {
		if strings.Contains(name, d.group) || strings.Contains(name, reversed) {
			out[name] = value(v)
		}
	}
	return out
}

// verbs returns the methods of each path of a document.
func verbs(paths any) map[string]any {
	out := map[string]any{}
	all, _ := paths.(map[string]any)
	for path, item := range all {
		methods := []string{}
		operations, _ := item.(map[string]any)
		for method := range operations {
			if method != "parameters" {
				methods = append(methods, method)
			}
		}
		slices.Sort(methods)
		out[path] = methods
	}
	return out
}

// openapi2JSON converts a document of OpenAPI 2 in protobuf to JSON.
func openapi2JSON(message []byte) ([]byte, error) {
	var document openapi.Document
	if err := proto.Unmarshal(message, &document); err != nil {
		return nil, err
	}
	text, err := document.YAMLValue("")
	if err != nil {
		return nil, err
	}
	return yaml.YAMLToJSON(text)
}
