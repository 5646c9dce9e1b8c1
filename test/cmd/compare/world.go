package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// object is an object of JSON.
type object = map[string]any

// world generates a case: a namespace with objects that configure admission, and writes to
// which they apply.
type world struct {
	random *rand.Rand
	number int     // of the case
	owned  []owned // the kinds of a case of deletions
	// defined is the definition of one of them, if any.
	defined object
	name    string // of the namespace; the names of objects without a namespace end in it
	steps   []conformance.Step
	shared  []string            // paths of objects that are deleted at the end, because other cases would use them
	made    map[string][]string // paths of the objects that create has created, by resource
	// parameterKinds are kinds of parameters of policies, and conditions are expressions for them, beside those of all cases.
	parameterKinds []any
	conditions     []string
	confined       bool   // other cases run at the same time
	bothFamilies   bool   // Services have IPs of IPv4 and IPv6
	boxScope       string // of the definition of a case of admission
}

// newWorld returns the i-th case of a seed, without steps.
func newWorld(seed uint64, i int) *world {
	w := &world{random: rand.New(rand.NewPCG(seed, uint64(i))), made: map[string][]string{}, number: i}
	w.name = fmt.Sprintf("w-%010x", w.random.Uint64()&0xffffffffff)
	return w
}

// compareWorlds compares the cases that generate makes.
func compareWorlds(o *options, p *pair, form string, generate func(*world)) (*report, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	r := newReport()
	for i := range o.cases {
		w := newWorld(o.seed, i)
		generate(w)
		for _, path := range w.shared {
			w.send(http.MethodDelete, path, "", nil)
		}
		c := conformance.Case{Name: fmt.Sprintf("%s/%d-%d", form, o.seed, i), Steps: w.steps}
		if err := p.compareSteps(r, only, c); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// compareSteps sends a case to both servers and counts each response by its resource. A
// difference ends the case, as the later responses could follow from it.
func (p *pair) compareSteps(r *report, only *regexp.Regexp, c conformance.Case) error {
	return p.compareBy(r, c, func(want, got conformance.Case, i int) (group, example, difference string) {
		sent, w, g := want.Steps[i].Request, want.Steps[i].Response, got.Steps[i].Response
		if !sameParts(w, g) {
			difference = p.responseDifference(want, got, i)
		}
		if difference == "" && !slices.Equal(w.Warnings, g.Warnings) {
			difference = fmt.Sprintf("warnings of a refusal: want %q, got %q", w.Warnings, g.Warnings)
		}
		if !only.MatchString(sent.Path) && difference == "" {
			return "", "", ""
		}
		group = groupOf(sent.Path)
		return group, fmt.Sprintf("random/%s step %d\n%s %s", group, i, c.Name, brief(sent)), difference
	})
}

// sameParts reports whether two refusals have the same message except for the order of its
// parts, which kube-apiserver finds in a map.
func sameParts(a, b conformance.Response) bool {
	parts := func(r conformance.Response) []string {
		status, _ := r.Body.(map[string]any)
		text, _ := status["message"].(string)
		parts := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("[],", c) })
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		slices.Sort(parts)
		return parts
	}
	return a.Code == http.StatusForbidden && b.Code == a.Code && slices.Equal(parts(a), parts(b))
}

// groupOf returns the resource and the subresource of a path.
func groupOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	of := 2 // "api" and the version
	if strings.HasPrefix(path, "/apis/") {
		of = 3
	}
	if len(parts) <= of {
		return "discovery"
	}
	parts = parts[of:]
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	if len(parts) > 2 {
		return parts[0] + "." + parts[2]
	}
	return parts[0]
}

// send adds a request. body is nil for none.
func (w *world) send(method, path, query string, body any) {
	r := conformance.Request{Method: method, Path: path, Query: query}
	if body != nil {
		r.Body, r.ContentType = encode(body), "application/json"
	}
	w.steps = append(w.steps, conformance.Step{Request: r})
}

// settle waits until kube-apiserver observes the last writes.
func (w *world) settle(ms int) {
	w.steps = append(w.steps, conformance.Step{Request: conformance.Request{Method: http.MethodGet, Path: "/api/v1/namespaces/" + w.name, SleepMS: ms}})
}

// path returns the path of a resource: that in the world's namespace, or of a resource
// without namespaces, whose version ends in "!".
func (w *world) path(version, resource string) string {
	if global, ok := strings.CutSuffix(version, "!"); ok {
		return prefix(global) + "/" + resource
	}
	return prefix(version) + "/namespaces/" + w.name + "/" + resource
}

// create creates an object, sometimes as a dry run. It gives it a name unless it has a generateName.
func (w *world) create(version, resource string, out object) {
	meta := metadata(out)
	name, _ := meta["name"].(string)
	path := w.path(version, resource)
	if name == "" && meta["generateName"] == nil {
		name = fmt.Sprintf("%c%d", resource[0], len(w.steps))
		if strings.HasSuffix(version, "!") {
			name += "-" + w.name
		}
		meta["name"] = name
	}
	query := w.dryRun()
	if query == "" && name != "" {
		w.made[resource] = append(w.made[resource], path+"/"+name)
		if strings.HasSuffix(version, "!") {
			w.shared = append(w.shared, path+"/"+name)
		}
	}
	w.send(http.MethodPost, path, query, out)
}

// global creates an object without a namespace for the time of the case.
func (w *world) global(version, resource, name string, out object) {
	name += "-" + w.name
	metadata(out)["name"] = name
	path := w.path(version+"!", resource)
	w.send(http.MethodPost, path, "", out)
	w.shared = append(w.shared, path+"/"+name)
}

// metadata returns the metadata of an object, which it adds if there is none.
func metadata(o object) object {
	meta, _ := o["metadata"].(object)
	if meta == nil {
		meta = object{}
		o["metadata"] = meta
	}
	return meta
}

// merge sends a merge patch, sometimes as a dry run.
func (w *world) merge(path string, patch any) { w.patch(mergePatchType, path, w.dryRun(), patch) }

func (w *world) patch(contentType, path, query string, patch any) {
	w.send(http.MethodPatch, path, query, patch)
	w.steps[len(w.steps)-1].Request.ContentType = contentType
}

// dryRun returns the query of a dry run, or none.
func (w *world) dryRun() string {
	if w.in(12) {
		return "dryRun=All"
	}
	return ""
}

// in returns true once in n times.
func (w *world) in(n int) bool { return w.random.IntN(n) == 0 }

// one returns one of some values.
func one[T any](w *world, from ...T) T { return from[w.random.IntN(len(from))] }

// some sets a member once in n times.
func (w *world) some(o object, n int, key string, value any) {
	if w.in(n) {
		o[key] = value
	}
}

// list returns least to most values of a function.
func (w *world) list(least, most int, value func(i int) any) []any {
	out := []any{}
	for i := range least + w.random.IntN(most-least+1) {
		out = append(out, value(i))
	}
	return out
}
