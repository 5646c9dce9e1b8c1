package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// compareRandom compares random cases.
func compareRandom(o *options, p *pair) (*report, error) {
	g, err := newGenerator(o, p.theirs)
	if err != nil {
		return nil, err
	}
	r := newReport()
	for i := range o.cases {
		c, ok := g.next(i)
		if !ok {
			continue
		}
		want, got, err := p.ask(c)
		if errors.Is(err, errDropped) {
			r.note("cases to which kube-apiserver closed the connection")
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := p.judge(r, want, got); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// judge compares the last write of a case, or the create before it if that is refused.
func (p *pair) judge(r *report, want, got conformance.Case) error {
	if want.Steps[0].Response.Code >= 400 {
		want.Steps, got.Steps = want.Steps[:1], got.Steps[:1]
	}
	code := 0
	for _, s := range want.Steps {
		if s.Request.Method != http.MethodDelete {
			code = s.Response.Code
		}
	}
	cleanWant, cleanGot := clean(want), clean(got)
	verdict, why := conformance.Verdict(cleanWant, cleanGot)
	for i := range cleanWant.Steps {
		if difference := conformance.HooksDifference(cleanWant.Steps[i].Response.Hooks, cleanGot.Steps[i].Response.Hooks); difference != "" && p.agrees(verdict) {
			verdict, why = "reviews", fmt.Sprintf("step %d %s", i, difference)
		}
	}
	if p.agrees(verdict) {
		r.add(resourceOf(want.Name), code, want.Name, "")
		return nil
	}
	example := want.Name + " (" + want.Note + ")"
	for _, s := range want.Steps {
		if s.Request.Method != http.MethodDelete {
			example += "\n" + brief(s.Request)
		}
	}
	r.add(resourceOf(want.Name), code, example+"\n", verdict+" "+why)
	return p.keep(want)
}

// generator derives new cases from recorded ones, deterministically for a seed.
type generator struct {
	mutator
	seed  uint64
	bases []base
}

// base is a recorded case with its decoded bodies.
type base struct {
	steps  []conformance.Request
	bodies []map[string]any // nil for a body that is not an object
	types  []*schema
	hash   string // of the namespace or the name
	valid  bool   // the create was accepted
}

var hashPattern = regexp.MustCompile(`c-([0-9a-f]{10})|gc?([0-9a-f]{10})|([0-9a-f]{10})$`)

func newGenerator(o *options, theirs conformance.Send) (*generator, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(o.recordings, "*.jsonl.gz"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.recordings, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no recordings (*.jsonl.gz): name their folder with -recordings, or run the command in the folder test", o.recordings)
	}
	var cases []conformance.Case
	for _, file := range files {
		some, err := conformance.Read(file)
		if err != nil {
			return nil, err
		}
		cases = append(cases, some...)
	}
	var paths []string
	for _, c := range cases {
		paths = append(paths, c.Steps[0].Request.Path)
	}
	types, err := readSchemas(theirs, paths)
	if err != nil {
		return nil, err
	}
	g := &generator{seed: o.seed, mutator: mutator{schemas: types, seen: map[string][]any{}, texts: map[string]bool{}}}
	for _, c := range cases {
		if b, ok := g.base(c); ok {
			for i, body := range b.bodies {
				g.gather(body, b.types[i])
			}
			if only.MatchString(b.steps[0].Path) {
				g.bases = append(g.bases, b)
			}
		}
	}
	if len(g.bases) == 0 {
		return nil, errors.New("no recorded case matches -only")
	}
	return g, nil
}

// base decodes a recorded case that starts with a create.
func (g *generator) base(c conformance.Case) (base, bool) {
	b := base{valid: c.Steps[0].Response.Code == http.StatusCreated}
	match := hashPattern.FindStringSubmatch(c.Name)
	if match == nil {
		match = hashPattern.FindStringSubmatch(c.Steps[0].Request.Path + c.Steps[0].Request.Body)
	}
	if match == nil || c.Steps[0].Request.Method != http.MethodPost {
		return b, false
	}
	b.hash = match[1] + match[2] + match[3]
	for _, s := range c.Steps {
		if s.Request.Method == http.MethodDelete || s.Request.Method == http.MethodGet {
			continue
		}
		body, _ := decode([]byte(s.Request.Body)).(map[string]any)
		one := manifest{object: body}
		typ := g.schemas.of(one.text("apiVersion"), one.text("kind"))
		if typ == nil && len(b.types) > 0 {
			typ = b.types[0]
		}
		b.steps, b.bodies, b.types = append(b.steps, s.Request), append(b.bodies, body), append(b.types, typ)
	}
	return b, b.bodies[0] != nil && b.types[0] != nil
}

// next returns the i-th case of the seed, without responses.
func (g *generator) next(i int) (conformance.Case, bool) {
	g.random = rand.New(rand.NewPCG(g.seed, uint64(i)))
	b := pick(&g.mutator, g.bases)
	object := b.bodies[0]
	create := b.steps[0]
	resource := create.Path[strings.LastIndex(create.Path, "/")+1:]
	c := conformance.Case{Name: fmt.Sprintf("random/%s/%d-%d", resource, g.seed, i)}
	add := func(r conformance.Request) { c.Steps = append(c.Steps, conformance.Step{Request: r}) }
	form := g.random.IntN(4)
	switch {
	case form == 0 && b.valid && create.Query == "":
		add(create)
		changed, note := g.several(object, b.types[0])
		r, ok := g.update(create, object, changed)
		if !ok {
			return c, false
		}
		c.Note = note
		add(r)
	case form == 1 && len(b.steps) > 1 && b.valid && b.bodies[len(b.bodies)-1] != nil:
		last := len(b.steps) - 1
		for _, r := range b.steps[:last] {
			add(r)
		}
		r := b.steps[last]
		changed, note := g.several(b.bodies[last], b.types[last])
		r.Body, c.Note = encode(changed), "second step "+note
		add(r)
	default:
		changed, note := g.several(object, b.types[0])
		create.Body, c.Note = encode(changed), note
		add(create)
		object = changed
	}
	if name := (manifest{object: object}).text("metadata", "name"); name != "" && !strings.Contains(create.Query, "dryRun") {
		add(conformance.Request{Method: http.MethodDelete, Path: create.Path + "/" + url.PathEscape(name)})
	}
	return g.elsewhere(c, b.hash), true
}

// several makes one to three changes.
func (g *generator) several(object map[string]any, typ *schema) (map[string]any, string) {
	object, note := g.mutate(object, typ)
	for range max(0, g.random.IntN(8)-5) {
		changed, more := g.mutate(object, typ)
		object, note = changed, note+"; "+more
	}
	return object, note
}

// update returns a request that changes an object that was created, by one of the verbs.
func (g *generator) update(create conformance.Request, from, to map[string]any) (conformance.Request, bool) {
	name := manifest{object: from}.text("metadata", "name")
	path := create.Path + "/" + url.PathEscape(name)
	switch n := g.random.IntN(10); {
	case name == "":
		return conformance.Request{}, false
	case n < 5 && !isControlled(path):
		to = deepCopy(to).(map[string]any)
		if meta, ok := to["metadata"].(map[string]any); ok && meta["resourceVersion"] == nil {
			meta["resourceVersion"] = "$RV1$"
		}
		return request(http.MethodPut, path, "", "application/json", encode(to)), true
	case n < 7:
		patch, _ := mergePatch(from, to)
		return request(http.MethodPatch, path, "", mergePatchType, encode(patch)), true
	case n == 7:
		patch, _ := mergePatch(from, to)
		return request(http.MethodPatch, path, "", strategicPatchType, encode(patch)), true
	case n == 8:
		var patch []any
		for _, k := range []string{"metadata", "spec", "data", "status"} {
			if to[k] != nil && !reflect.DeepEqual(from[k], to[k]) {
				patch = append(patch, map[string]any{"op": "add", "path": "/" + k, "value": to[k]})
			}
		}
		if patch == nil {
			return conformance.Request{}, false
		}
		return request(http.MethodPatch, path, "", jsonPatchType, encode(patch)), true
	}
	return request(http.MethodPatch, path, "fieldManager=ap&force=true", applyPatchType, encode(to)), true
}

// mergePatch returns the JSON merge patch between two objects, and whether they differ.
func mergePatch(from, to map[string]any) (map[string]any, bool) {
	patch := map[string]any{}
	for k, v := range to {
		old, was := from[k]
		a, isA := old.(map[string]any)
		b, isB := v.(map[string]any)
		if was && isA && isB {
			if inner, differ := mergePatch(a, b); differ {
				patch[k] = inner
			}
		} else if !was || !reflect.DeepEqual(old, v) {
			patch[k] = v
		}
	}
	for k := range from {
		if _, kept := to[k]; !kept {
			patch[k] = nil
		}
	}
	return patch, len(patch) > 0
}

// elsewhere gives a case names of its own.
func (g *generator) elsewhere(c conformance.Case, hash string) conformance.Case {
	fresh := fmt.Sprintf("%010x", g.random.Uint64()&0xffffffffff)
	c.Steps = slices.Clone(c.Steps)
	for i := range c.Steps {
		r := &c.Steps[i].Request
		r.Path, r.Query = strings.ReplaceAll(r.Path, hash, fresh), strings.ReplaceAll(r.Query, hash, fresh)
		r.Body = string(bytes.ReplaceAll([]byte(r.Body), []byte(hash), []byte(fresh)))
	}
	return c
}
