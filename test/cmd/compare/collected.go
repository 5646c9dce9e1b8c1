package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// compareCollected compares what controllers make of objects with owners and finalizers: the objects that exist once both
// servers are quiet after each write.
func compareCollected(o *options, p *pair) (*report, error) {
	r := newReport()
	const atOnce = 100 // cases spend most of their time waiting
	for first := 0; first < o.cases; first += atOnce {
		var cases []*collected
		for i := first; i < min(first+atOnce, o.cases); i++ {
			cases = append(cases, newCollected(o, p, i))
		}
		for phase := range collectedPhases {
			if err := inEach(cases, func(c *collected) error { return c.write(phase) }); err != nil {
				return nil, err
			}
			const tries = 8 // kube-controller-manager repeats what failed after a while
			for try := range tries {
				p.wait(time.Duration(o.seconds) * time.Second / 2)
				if err := inEach(cases, (*collected).read); err != nil {
					return nil, err
				}
				if try > 0 && !slices.ContainsFunc(cases, func(c *collected) bool { return c.unsettled }) {
					break
				}
			}
			for _, c := range cases {
				c.judge(r, phase)
			}
			cases = slices.DeleteFunc(cases, func(c *collected) bool { return c.differs })
		}
	}
	return r, nil
}

// wait waits until the controllers have done their work.
func (p *pair) wait(d time.Duration) {
	if p.sleep == nil {
		time.Sleep(d)
		return
	}
	p.sleep(d)
}

// inEach calls a function for several cases at once.
func inEach(cases []*collected, do func(*collected) error) error {
	var group errgroup.Group
	group.SetLimit(8)
	for _, c := range cases {
		group.Go(func() error { return do(c) })
	}
	return group.Wait()
}

// collectedPhases is the number of phases of a case: first the namespace and the definition, then the objects, then
// single writes.
const collectedPhases = 8

// collected is a case: the writes of each phase, and what was read after the last one.
type collected struct {
	*world
	title     string
	phases    [][]conformance.Step
	servers   [2]conformance.Send // first kube-apiserver
	seen      [2]string           // the objects, in JSON
	unsettled bool                // the objects have changed since they were read before, or differ
	differs   bool
}

func newCollected(o *options, p *pair, i int) *collected {
	w := newWorld(o.seed, i)
	for range 3 {
		w.owned = append(w.owned, one(w, ownedKinds...))
	}
	if w.in(2) {
		w.define()
	}
	c := &collected{world: w, title: fmt.Sprintf("collected/%d-%d", o.seed, i), servers: [2]conformance.Send{remember(p.theirs), remember(p.ours)}}
	w.namespace(w.name)
	if w.in(3) {
		hard := object{"pods": "9", "count/configmaps": "9", "count/jobs.batch": "9", "requests.cpu": "9"}
		w.send(http.MethodPost, w.path("v1", "resourcequotas"), "", object{"apiVersion": "v1", "kind": "ResourceQuota", "metadata": object{"name": "q"}, "spec": object{"hard": hard}})
	}
	c.phases, w.steps = append(c.phases, w.steps), nil
	for range 9 {
		p := w.place()
		p.namespace = w.name
		if slices.Contains(w.made[p.resource], p.name) {
			continue // which of the two exists depends on when the first one is collected
		}
		w.made[p.resource] = append(w.made[p.resource], p.name)
		out := w.collectable(p)
		if w.in(2) {
			delete(metadata(out), "finalizers")
		}
		w.send(http.MethodPost, p.collection(), "", out)
	}
	for range collectedPhases - 1 {
		c.phases = append(c.phases, w.steps)
		w.steps = nil
		w.disturb()
	}
	return c
}

// group is the group of the definition of a case.
func (w *world) group() string { return w.name + ".example.com" }

func (w *world) definition() string {
	return prefix("apiextensions.k8s.io/v1") + "/customresourcedefinitions/things." + w.group()
}

// define adds a kind that the case defines.
func (w *world) define() {
	version, scope := w.group()+"/v1", one(w, "Namespaced", "Namespaced", "Cluster")
	if scope == "Cluster" {
		version += "!"
	}
	w.owned = append(w.owned, owned{version, "things", "Thing", func(w *world, o object) { o["spec"] = one(w, "1", "2") }})
	w.owned = append(w.owned, w.owned[len(w.owned)-1])
	w.defined = object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": "things." + w.group()}, "spec": object{"group": w.group(), "scope": scope,
		"names": object{"kind": "Thing", "plural": "things"}, "versions": []any{object{"name": "v1", "served": true, "storage": true, "schema": object{"openAPIV3Schema": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}}
	w.createDefinition()
}

func (w *world) createDefinition() {
	collection := w.definition()
	w.send(http.MethodPost, collection[:strings.LastIndex(collection, "/")], "", w.defined)
}

// collectable returns an object that ends without a kubelet.
func (w *world) collectable(p place) object {
	out := w.ownedObject(p)
	metadata(out)["labels"].(object)["case"] = w.name
	if p.resource == "clusterroles" {
		out["rules"] = []any{object{"apiGroups": []any{""}, "resources": []any{one(w, "pods", "nodes")}, "verbs": []any{one(w, "get", "list")}}}
		w.some(out, 4, "aggregationRule", object{"clusterRoleSelectors": []any{object{"matchLabels": object{"case": w.name, "l": one(w, "1", "2")}}}})
	}
	if spec, ok := out["spec"].(object); ok && p.resource == "pods" {
		delete(spec, "nodeName")
		spec["automountServiceAccountToken"] = false
	}
	return out
}

// disturb adds a write whose consequences depend on the controllers.
func (w *world) disturb() {
	p := w.place()
	p.namespace = w.name
	switch n := w.random.IntN(16); {
	case n < 7:
		query, body := w.deleteOptions(p.path(), p.path())
		w.send(http.MethodDelete, p.path(), query, body)
	case n < 9:
		w.patch(mergePatchType, p.path(), "", object{"metadata": object{"finalizers": one[any](w, nil, w.finalizers())}})
	case n < 11:
		w.patch(mergePatchType, p.path(), "", object{"metadata": object{"ownerReferences": one[any](w, nil, w.owners(), w.owners())}})
	case n < 12 && !p.isGlobal():
		query, body := w.deleteOptions(p.path(), p.path())
		w.send(http.MethodDelete, p.collection(), query, body)
	case n < 13:
		w.send(http.MethodPost, p.collection(), "", w.collectable(p))
	case n < 14 && w.defined != nil:
		if w.in(2) {
			w.createDefinition()
			return
		}
		query, body := w.deleteOptions(w.definition(), p.path())
		w.send(http.MethodDelete, w.definition(), query, body)
	case n < 15:
		query, body := w.deleteOptions("/api/v1/namespaces/"+w.name, p.path())
		w.send(http.MethodDelete, "/api/v1/namespaces/"+w.name, query, body)
	default:
		w.patch(mergePatchType, "/api/v1/namespaces/"+w.name, "", object{"metadata": object{"finalizers": one[any](w, nil, []any{"example.com/n"})}})
	}
}

func (c *collected) write(phase int) error {
	for _, step := range c.phases[phase] {
		for _, send := range c.servers {
			if _, err := send(step.Request); err != nil {
				return err
			}
		}
	}
	return nil
}

// paths returns the paths under which all objects of the case are read.
func (c *collected) paths() []string {
	paths := []string{"/api/v1/namespaces/" + c.name, c.path("v1", "serviceaccounts"), c.path("v1", "resourcequotas")}
	kinds := ownedKinds
	if c.defined != nil {
		paths = append(paths, c.definition())
		kinds = append(slices.Clone(kinds), c.owned[len(c.owned)-1])
	}
	for _, of := range kinds {
		collection := place{owned: of, namespace: c.name}.collection()
		if !of.isGlobal() {
			paths = append(paths, collection)
			continue
		}
		for _, name := range []string{"a", "b", "c"} {
			paths = append(paths, collection+"/"+name+"-"+c.name)
		}
	}
	return paths
}

// read reads all objects of the case.
func (c *collected) read() error {
	c.unsettled = false
	for i, send := range c.servers {
		var all []any
		for _, path := range c.paths() {
			answer, err := send(conformance.Request{Method: http.MethodGet, Path: path})
			if err != nil {
				return err
			}
			body, _ := decode(answer.Body).(object)
			items, isList := body["items"].([]any)
			if !isList {
				items = []any{body}
			}
			for _, item := range items {
				all = append(all, settled(item))
			}
		}
		if seen := encode(all); seen != c.seen[i] {
			c.seen[i], c.unsettled = seen, true
		}
	}
	c.unsettled = c.unsettled || c.seen[0] != c.seen[1]
	return nil
}

// settled returns a value without what depends on the number and the times of writes.
func settled(value any) any {
	switch value := value.(type) {
	case object:
		out := object{}
		for k, v := range value {
			switch k {
			case "resourceVersion", "time", "lastTransitionTime", "creationTimestamp", "deletionTimestamp":
				v = "$" + k + "$"
			}
			out[k] = settled(v)
		}
		if status, ok := out["status"].(object); ok && status["used"] != nil {
			delete(out["metadata"].(object), "managedFields") // a quota's usage is written by either of two
		}
		if list, ok := out["managedFields"].([]any); ok {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(encode(a), encode(b)) })
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = settled(v)
		}
		return out
	}
	return value
}

// judge compares the objects of both servers.
func (c *collected) judge(r *report, phase int) {
	answers := [2]conformance.Case{}
	for i, seen := range c.seen {
		answers[i].Steps = []conformance.Step{{Response: conformance.Response{Code: http.StatusOK, Body: decode([]byte(seen))}}}
	}
	verdict, why := conformance.Verdict(answers[0], answers[1])
	if verdict == conformance.Agrees {
		why = ""
	}
	c.differs = why != ""
	example := fmt.Sprintf("collected/phase %s %d", c.title, phase)
	if c.differs {
		for _, steps := range c.phases[:phase+1] {
			for _, step := range steps {
				example += "\n" + brief(step.Request)
			}
		}
		example += "\nwant " + c.seen[0] + "\ngot  " + c.seen[1] + "\n"
	}
	r.add(fmt.Sprint("after ", phase), http.StatusOK, example, why)
}
