package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// tables generates objects of built-in kinds with random status, which are read as tables.
type tables struct {
	*generator
	resources []string            // the collections of recorded objects, without namespaces
	bases     map[string][]base   // recorded objects that were accepted, by collection
	versions  map[string][]string // by the path of the group
}

// compareTables compares the tables of random objects.
func compareTables(o *options, p *pair) (*report, error) {
	g, err := newTables(o, p.theirs)
	if err != nil {
		return nil, err
	}
	p.ours, p.theirs = unversioned(p.ours), unversioned(p.theirs)
	r := newReport()
	for i := range o.cases {
		if err := p.compareBy(r, g.table(i), p.judgeTable); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// unversioned returns a Send that removes the resourceVersion of tables and lists.
func unversioned(send conformance.Send) conformance.Send {
	return func(r conformance.Request) (conformance.Answer, error) {
		answer, err := send(r)
		answer.Body = withoutListVersion(answer.Body)
		return answer, err
	}
}

// withoutListVersion removes the resourceVersion of a table or a list, which is that of the newest object of the
// server or of a resource.
func withoutListVersion(body []byte) []byte {
	list, _ := decode(body).(map[string]any)
	metadata, _ := list["metadata"].(map[string]any)
	_, items := list["items"]
	_, rows := list["rows"]
	if metadata == nil || !items && !rows {
		return body
	}
	delete(metadata, "resourceVersion")
	return []byte(encode(list))
}

// judgeTable counts tables by resource, and the writes and lists of metadata between them together.
func (p *pair) judgeTable(want, got conformance.Case, i int) (group, example, difference string) {
	r := want.Steps[i].Request
	group = "other requests"
	if strings.Contains(r.Accept, "Table") {
		group = groupOf(r.Path)
	}
	example = fmt.Sprintf("%s step %d\n%s %s", want.Name, i, r.Accept, brief(r))
	return group, example, p.responseDifference(want, got, i)
}

func newTables(o *options, theirs conformance.Send) (*tables, error) {
	g, err := newGenerator(o, theirs)
	if err != nil {
		return nil, err
	}
	t := &tables{generator: g, bases: map[string][]base{}, versions: map[string][]string{}}
	for _, b := range g.bases {
		create := b.steps[0]
		name := (manifest{object: b.bodies[0]}).text("metadata", "name")
		if !b.valid || name == "" || isControlled(create.Path) || strings.Contains(create.Query, "dryRun") {
			continue
		}
		group, version, _ := split(create.Path)
		resource := group + "/" + version + "/" + groupOf(create.Path)
		t.bases[resource] = append(t.bases[resource], b)
	}
	t.resources = slices.Sorted(maps.Keys(t.bases))
	answer, err := theirs(conformance.Request{Method: http.MethodGet, Path: "/apis"})
	if err != nil {
		return nil, err
	}
	var groups struct {
		Groups []struct {
			Name     string
			Versions []struct{ Version string }
		}
	}
	if err := json.Unmarshal(answer.Body, &groups); err != nil {
		return nil, fmt.Errorf("the groups: %w", err)
	}
	for _, group := range groups.Groups {
		for _, v := range group.Versions {
			t.versions["/apis/"+group.Name] = append(t.versions["/apis/"+group.Name], v.Version)
		}
	}
	return t, nil
}

// split returns the group of a path, as a path, the version and the rest.
func split(path string) (group, version, rest string) {
	n := 3
	if strings.HasPrefix(path, "/apis/") {
		n = 4
	}
	parts := strings.SplitAfterN(path, "/", n+1)
	group = strings.TrimSuffix(strings.Join(parts[:n-1], ""), "/")
	return group, strings.TrimSuffix(parts[n-1], "/"), parts[n]
}

// table returns the i-th case of the seed: an object whose status and metadata change, and the tables with it.
func (t *tables) table(i int) conformance.Case {
	t.random = rand.New(rand.NewPCG(t.seed, uint64(i)))
	b := pick(&t.mutator, t.bases[pick(&t.mutator, t.resources)])
	create, object := b.steps[0], b.bodies[0]
	c := conformance.Case{Name: fmt.Sprintf("tables/%s/%d-%d", groupOf(create.Path), t.seed, i)}
	add := func(r conformance.Request) { c.Steps = append(c.Steps, conformance.Step{Request: r}) }
	name := (manifest{object: object}).text("metadata", "name")
	if t.random.IntN(2) == 0 {
		if changed, _ := t.mutate(object, b.types[0]); (manifest{object: changed}).text("metadata", "name") == name {
			create.Body = encode(changed)
		}
	}
	path := create.Path + "/" + url.PathEscape(name)
	patch := func(path string, body any) { add(request(http.MethodPatch, path, "", mergePatchType, encode(body))) }
	add(create)
	status := t.schemas.resolve(b.types[0]).Properties["status"]
	for range 1 + t.random.IntN(4) {
		switch n := t.random.IntN(8); {
		case n < 5 && status != nil:
			patch(path+"/status", map[string]any{"status": t.filled(site{typ: status, key: b.types[0].name + ".status"}, 0)})
		case n == 5:
			changed, _ := t.mutate(object, b.types[0])
			if difference, _ := mergePatch(object, changed); len(difference) > 0 {
				patch(path, difference)
			}
		case n == 6:
			patch(path, map[string]any{"metadata": map[string]any{"labels": map[string]any{"node-role.kubernetes.io/" + pick(&t.mutator, []string{"", "a", "b"}): "", "kubernetes.io/role": "c"}}})
		case n == 7:
			patch(path, map[string]any{"metadata": map[string]any{"finalizers": []any{"example.com/f"}}})
			add(request(http.MethodDelete, path, "gracePeriodSeconds="+pick(&t.mutator, []string{"0", "30"}), "", ""))
		}
		for range 2 {
			add(t.read(create.Path, path, name))
		}
	}
	patch(path, map[string]any{"metadata": map[string]any{"finalizers": nil}})
	add(request(http.MethodDelete, path, "gracePeriodSeconds=0", "", ""))
	return t.elsewhere(c, b.hash)
}

// read returns a request for a table of an object, or of a list that has only this one.
func (t *tables) read(collection, object, name string) conformance.Request {
	r := conformance.Request{Method: http.MethodGet, Path: object, Accept: pick(&t.mutator, []string{
		tableType, tableType, tableType + ",application/json", "application/json;as=Table;v=v1beta1;g=meta.k8s.io", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
	})}
	query := url.Values{}
	if t.random.IntN(2) == 0 {
		r.Path = collection
		query.Set("fieldSelector", "metadata.name="+name)
	} else {
		r.Accept = strings.ReplaceAll(r.Accept, "MetadataList", "Metadata")
	}
	if include := pick(&t.mutator, []string{"", "", "None", "Metadata", "Object"}); include != "" {
		query.Set("includeObject", include)
	}
	r.Query = query.Encode()
	if group, _, rest := split(r.Path); len(t.versions[group]) > 1 {
		r.Path = group + "/" + pick(&t.mutator, t.versions[group]) + "/" + rest
	}
	return r
}

// filled generates a value in which most fields are set, most of them to values that are valid.
func (t *tables) filled(s site, depth int) any {
	typ := t.schemas.resolve(s.typ)
	seen := t.seen[s.key]
	switch {
	case typ == nil || len(typ.Enum) > 0 || len(typ.OneOf) > 0 || strings.HasSuffix(typ.name, "Quantity"):
	case typ.Type == "array":
		list := []any{}
		for range t.random.IntN(4) {
			list = append(list, t.filled(site{typ: typ.Items, key: s.key}, depth+1))
		}
		return list
	case typ.Type == "object" && len(typ.Properties) > 0:
		object := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(typ.Properties)) {
			if depth < 7 && (slices.Contains(typ.Required, k) || t.random.IntN(3) > 0) {
				object[k] = t.filled(site{typ: typ.Properties[k], key: typ.name + "." + k}, depth+1)
			}
		}
		return object
	case typ.Type == "integer" && t.random.IntN(8) > 0:
		return json.Number(pick(&t.mutator, []string{"0", "1", "2", "3", "7", "80", "1000"}))
	case typ.Format == "date-time":
		return pick(&t.mutator, []any{nil, "2020-01-01T00:00:00Z", "2020-01-01T02:00:00Z", "2021-03-04T00:00:00Z", "2050-01-01T00:00:00Z"})
	case typ.Type == "string" && typ.Format == "" && len(seen) > 0 && t.random.IntN(4) > 0:
		return pick(&t.mutator, seen)
	case typ.Type == "string" && typ.Format == "" && t.random.IntN(2) > 0:
		return pick(&t.mutator, []string{"", "a", "Ready", "True", "False", "10.0.0.1", "fd00::1"})
	}
	return t.value(site{typ: s.typ, key: s.key}, depth)
}
