package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// compareDefinitions compares CustomResourceDefinitions with random schemas and their custom resources.
func compareDefinitions(o *options, p *pair) (*report, error) {
	r := newReport()
	for i := range o.cases {
		g := newDefiner(o, i)
		if err := compareDefinition(p, r, g.definition(fmt.Sprintf("d%dx%d", o.seed, i))); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// compareDefinition creates a definition on both servers and, if kube-apiserver accepts it, sends the requests for its
// custom resources.
func compareDefinition(p *pair, r *report, d *definition) error {
	c := conformance.Case{Name: "definitions/customresourcedefinitions/" + d.plural, Steps: []conformance.Step{
		{Request: request(http.MethodPost, definitions, "fieldManager=first", "application/json", encode(d.object()))},
	}}
	if err := p.compare(r, "definitions", c); err != nil {
		return err
	}
	path := definitions + "/" + d.plural + "." + d.group
	created := true
	for _, send := range []conformance.Send{p.ours, p.theirs} {
		if err := established(send, path); err != nil {
			return err
		}
		answer, err := send(conformance.Request{Method: http.MethodGet, Path: path})
		if err != nil {
			return err
		}
		created = created && answer.Code == http.StatusOK
	}
	if created {
		if err := p.compare(r, "custom resources", conformance.Case{Name: "definitions/objects/" + d.plural, Steps: d.steps}); err != nil {
			return err
		}
	}
	for _, send := range []conformance.Send{p.ours, p.theirs} {
		if _, err := send(conformance.Request{Method: http.MethodDelete, Path: path}); err != nil {
			return err
		}
	}
	return nil
}

// definition is a random CustomResourceDefinition with requests for its custom resources.
type definition struct {
	group, plural string
	versions      []any
	steps         []conformance.Step
}

func (d *definition) object() map[string]any {
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": d.plural + "." + d.group},
		"spec": map[string]any{
			"group": d.group, "scope": "Namespaced", "names": map[string]any{"plural": d.plural, "kind": "K" + d.plural},
			"versions": d.versions,
		},
	}
}

// definer generates definitions.
type definer struct {
	mutator
	careful bool // values have the type of their schema
}

// newDefiner returns the generator of the i-th case of a seed.
func newDefiner(o *options, i int) *definer {
	return &definer{mutator: mutator{
		random: rand.New(rand.NewPCG(o.seed, uint64(i))), schemas: &schemas{}, seen: map[string][]any{}, texts: map[string]bool{},
	}}
}

func (g *definer) chance(n int) bool { return g.random.IntN(n) == 0 }

// definition generates a definition with one or two versions, and the requests for its objects.
func (g *definer) definition(plural string) *definition {
	d := &definition{group: "compare.example.com", plural: plural}
	status, scale := g.chance(2), g.chance(4)
	var roots []map[string]any
	names := []string{"v1"}
	if g.chance(3) {
		names = append(names, "v1beta1")
	}
	for i, name := range names {
		root := g.root(scale)
		if i > 0 && g.chance(2) {
			root = g.altered(roots[0])
		}
		roots = append(roots, root)
		d.versions = append(d.versions, g.version(name, root, i == 0, status, scale))
	}
	g.requests(d, names, roots, status, scale)
	return d
}

func (g *definer) version(name string, root map[string]any, storage, status, scale bool) map[string]any {
	v := map[string]any{"name": name, "served": true, "storage": storage, "schema": map[string]any{"openAPIV3Schema": root}}
	subresources := map[string]any{}
	if status {
		subresources["status"] = map[string]any{}
	}
	if scale {
		subresources["scale"] = map[string]any{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}
	}
	if len(subresources) > 0 {
		v["subresources"] = subresources
	}
	if g.chance(2) {
		v["additionalPrinterColumns"] = g.columns()
	}
	if g.chance(2) {
		v["selectableFields"] = g.selectable(root)
	}
	return v
}

// changed returns the versions of a definition, whose schemas are roots, after a change of one of them: of its schema, which
// is the most frequent one, of its subresources, or of whether it is served or stored.
func (g *definer) changed(versions []any, roots []map[string]any) []any {
	versions = deepCopy(versions).([]any)
	i := g.random.IntN(len(versions))
	was := versions[i].(map[string]any)
	subresources, _ := was["subresources"].(map[string]any)
	served, storage, status, scale := was["served"], was["storage"].(bool), subresources["status"] != nil, subresources["scale"] != nil
	switch g.random.IntN(8) {
	case 0:
		served = served != true
	case 1:
		for _, version := range versions {
			version.(map[string]any)["storage"] = false
		}
		storage = true
	case 2:
		status = !status
	case 3:
		scale = !scale
	default:
		roots[i] = g.altered(roots[i])
	}
	next := g.version(was["name"].(string), roots[i], storage, status, scale)
	next["served"] = served
	versions[i] = next
	return versions
}

// columns generates columns of tables, for fields of the type that they name and for others.
func (g *definer) columns() []any {
	var columns []any
	for i := range 1 + g.random.IntN(4) {
		column := map[string]any{
			"name": fmt.Sprintf("C%d", i), "type": pick(&g.mutator, []string{"string", "integer", "number", "boolean", "date"}),
			"jsonPath": "." + pick(&g.mutator, []string{"spec", "status"}) + "." + pick(&g.mutator, fieldNames) +
				pick(&g.mutator, []string{"", "", "", "[*]", "[0]", ".a", "[*].name", `[?(@.name=="a")].a`}),
		}
		if g.chance(4) {
			column["format"] = pick(&g.mutator, []string{"int32", "date-time", "password", "name"})
		}
		if g.chance(4) {
			column["priority"] = json.Number("1")
		}
		columns = append(columns, column)
	}
	return columns
}

// selectable generates selectable fields; most are scalar fields of the spec.
func (g *definer) selectable(root map[string]any) []any {
	spec := root["properties"].(map[string]any)["spec"].(map[string]any)
	properties, _ := spec["properties"].(map[string]any)
	fields := []any{}
	for _, name := range fieldNames {
		property, _ := properties[name].(map[string]any)
		scalar := slices.Contains([]any{"string", "integer", "boolean"}, property["type"])
		if scalar || g.chance(80) {
			fields = append(fields, map[string]any{"jsonPath": ".spec." + name})
		}
	}
	return fields
}
