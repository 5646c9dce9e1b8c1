package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// A benchObject is a stored object and two forms of each request that changes it,
// which are sent in turn, so that each request changes something.
type benchObject struct {
	name    string
	kind    schema.GroupVersionKind
	request cluster.Request
	crd     string
	object  string
	// configs are applied by "deployer"; merges and operations are patches.
	configs, merges, operations [2]string
}

func benchObjects(b *testing.B) []benchObject {
	deployment, err := os.ReadFile("../testdata/bench/deployment.json")
	if err != nil {
		b.Fatal(err)
	}
	image := func(n int) string { return fmt.Sprintf("registry.example.com/shop/worker:%d", n) }
	d := benchObject{
		name: "deployment", kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		request: cluster.Request{Group: "apps", Version: "v1", Resource: "deployments"},
		object:  string(deployment),
	}
	live := parsed(b, d.object)
	split, err := fieldmanager.Split(live)
	if err != nil {
		b.Fatal(err)
	}
	catalog, err := schema.Builtin("")
	if err != nil {
		b.Fatal(err)
	}
	kind, _ := catalog.Kind(d.kind)
	m, err := fieldmanager.New(fieldmanager.Config{APIVersion: "apps/v1", Kind: "Deployment", Type: kind.Type()})
	if err != nil {
		b.Fatal(err)
	}
	config, ok, err := m.Extract(split, "deployer")
	if err != nil || !ok {
		b.Fatal("deployer applied nothing", err)
	}
	for i := range 2 {
		containers := config.Lookup("spec", "template", "spec", "containers")
		next := containers.WithItem(1, containers.At(1).With("image", document.NewString(image(i))))
		d.configs[i] = config.Set(next, "spec", "template", "spec", "containers").String()
		d.merges[i] = fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":"seen %d"}},"spec":{"replicas":%d}}`, i, 5+i)
		d.operations[i] = `[{"op":"replace","path":"/spec/template/spec/containers/1/image","value":"` + image(i) + `"}]`
	}
	return []benchObject{d, benchList(100), benchList(1000), benchList(10000)}
}

const benchCRD = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"tables.lab.example.com"},
"spec":{"group":"lab.example.com","names":{"kind":"Table","plural":"tables"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"items":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"count":{"type":"integer","default":1},"value":{"type":"string","maxLength":100}}}}}}}}}}]}}`

func benchList(n int) benchObject {
	t := benchObject{
		name: fmt.Sprintf("items-%d", n), kind: schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Table"},
		request: cluster.Request{Group: "lab.example.com", Version: "v1", Resource: "tables"}, crd: benchCRD,
	}
	text := func(value string) string {
		var s strings.Builder
		s.WriteString(`{"apiVersion":"lab.example.com/v1","kind":"Table","metadata":{"name":"shop","namespace":"store"},"spec":{"items":[`)
		for i := range n {
			if i > 0 {
				s.WriteByte(',')
			}
			v := fmt.Sprintf("value %d", i)
			if i == n/2 {
				v = value
			}
			fmt.Fprintf(&s, `{"count":%d,"name":"item-%05d","value":"%s"}`, i%7, i, v)
		}
		return s.String() + "]}}"
	}
	t.object = text("first")
	for i := range 2 {
		t.configs[i] = text(fmt.Sprintf("other %d", i))
		t.merges[i] = fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":"seen %d"}}}`, i)
		t.operations[i] = fmt.Sprintf(`[{"op":"replace","path":"/spec/items/%d/value","value":"other %d"}]`, n/2, i)
	}
	return t
}

func parsed(b testing.TB, text string) document.Value {
	b.Helper()
	d, err := document.Parse([]byte(text), document.Options{MaxBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	return d.Root
}

// benchWork is one kind of request.
type benchWork struct {
	name    string
	format  cluster.Format
	manager string
	bodies  func(o *benchObject) [2]string
}

var benchWorks = []benchWork{
	{"apply", cluster.ApplyPatch, "deployer", func(o *benchObject) [2]string { return o.configs }},
	{"merge", cluster.MergePatch, "editor", func(o *benchObject) [2]string { return o.merges }},
	{"json", cluster.JSONPatch, "editor", func(o *benchObject) [2]string { return o.operations }},
}

// BenchmarkWrite compares a request to the pipeline, from the body's bytes to the
// bytes of the answer, with what its engines take alone.
func BenchmarkWrite(b *testing.B) {
	for _, o := range benchObjects(b) {
		for _, w := range benchWorks {
			b.Run(w.name+"/"+o.name+"/pipeline", func(b *testing.B) { o.pipeline(b, w) })
			b.Run(w.name+"/"+o.name+"/engines", func(b *testing.B) { o.engines(b, w) })
		}
	}
}

// serving returns a cluster that holds the object, owned by "deployer".
func (o *benchObject) serving(b *testing.B) (*cluster.Cluster, cluster.Request) {
	b.Helper()
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		b.Fatal(err)
	}
	send := func(r cluster.Request) {
		if _, err := c.Do(context.Background(), &r); err != nil {
			b.Fatal(err)
		}
	}
	if o.crd != "" {
		send(cluster.Request{Verb: cluster.Create, Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Body: []byte(o.crd)})
	}
	object := parsed(b, o.object)
	r := o.request
	r.Verb, r.Namespace, r.Name = cluster.Patch, object.Lookup("metadata", "namespace").StringOr("default"), object.Lookup("metadata", "name").StringOr("")
	if o.crd == "" { // with the managers that it has
		create := r
		create.Verb, create.Name, create.FieldManager = cluster.Create, "", "creator"
		create.Body = object.Remove("metadata", "resourceVersion").JSON()
		send(create)
	}
	apply := r
	apply.Format, apply.FieldManager, apply.Body, apply.Force = cluster.ApplyPatch, "deployer", []byte(o.configs[1]), new(bool)
	*apply.Force = true
	send(apply)
	return c, r
}

func (o *benchObject) pipeline(b *testing.B, w benchWork) {
	c, r := o.serving(b)
	defer c.Close()
	r.Format, r.FieldManager = w.format, w.manager
	if w.format == cluster.ApplyPatch {
		r.Force = new(bool)
		*r.Force = true
	}
	bodies := w.bodies(o)
	i := 0
	measured(b, func() error {
		i++
		q := r
		q.Body = []byte(bodies[i%2])
		resp, err := c.Do(context.Background(), &q)
		if err != nil {
			return err
		}
		resp.Object.JSON()
		return nil
	})
}

// engines does the same with a field manager that knows nothing but the type.
func (o *benchObject) engines(b *testing.B, w benchWork) {
	c, r := o.serving(b)
	defer c.Close()
	r.Verb = cluster.Get
	resp, err := c.Do(context.Background(), &r)
	if err != nil {
		b.Fatal(err)
	}
	live, err := fieldmanager.Split(resp.Object)
	if err != nil {
		b.Fatal(err)
	}
	kind, ok := c.Kinds().Kind(o.kind)
	if !ok {
		b.Fatal("no kind")
	}
	m, err := fieldmanager.New(fieldmanager.Config{APIVersion: kind.APIVersion(), Kind: kind.Kind, Type: kind.Type(), Custom: !kind.Builtin})
	if err != nil {
		b.Fatal(err)
	}
	bodies := w.bodies(o)
	i := 0
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	measured(b, func() error {
		i++
		now = now.Add(time.Second)
		body, err := document.ParseYAML(bytes.Clone([]byte(bodies[i%2])), document.Options{})
		if err != nil {
			return err
		}
		switch w.format {
		case cluster.ApplyPatch:
			live, err = m.Apply(live, body.Root, fieldmanager.ApplyOptions{FieldManager: w.manager, Force: true, Time: now})
		case cluster.MergePatch:
			var next document.Value
			if next, err = patch.Merge(live.Join(), body.Root, patch.Options{}); err == nil {
				live, err = m.Update(live, next, fieldmanager.UpdateOptions{FieldManager: w.manager, Time: now})
			}
		default:
			var next document.Value
			if next, err = patch.JSON(live.Join(), body.Root, patch.Options{}); err == nil {
				live, err = m.Update(live, next, fieldmanager.UpdateOptions{FieldManager: w.manager, Time: now})
			}
		}
		live.Join().JSON()
		return err
	})
}

// measured runs f and reports the processor time that it takes.
func measured(b *testing.B, f func() error) {
	b.Helper()
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "user-ns/op")
}

// processorTime is what this process has taken, in all its threads.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
