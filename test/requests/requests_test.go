package requests

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/patchlab-dev/patchlab"
	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/server"
	"github.com/patchlab-dev/patchlab/store"
)

// A work is a kind of request.
type work struct {
	name    string
	format  cluster.Format
	media   string
	patch   patch.Type
	manager string
	bodies  func(o *benchObject) [2]string
}

var works = []work{
	{"apply", cluster.ApplyPatch, "application/apply-patch+yaml", patch.TypeAuto, "deployer", func(o *benchObject) [2]string { return o.configs }},
	{"merge", cluster.MergePatch, "application/merge-patch+json", patch.TypeMerge, "editor", func(o *benchObject) [2]string { return o.merges }},
	{"json", cluster.JSONPatch, "application/json-patch+json", patch.TypeJSON, "editor", func(o *benchObject) [2]string { return o.operations }},
}

// BenchmarkRequest compares implementations of one change, from the bytes of the body
// to the bytes of the resulting object. Two bodies alternate, so that each changes the
// object. The implementations are
//
//	cluster  a request to a cluster that holds the object (Cluster.Do)
//	serve    the same through the server, without a network
//	engines  merging or patching a parsed object and tracking its owners:
//	         the minimum for the two above. It keeps as many results as
//	         the cluster's store, so that garbage collection costs the same
//	lab      Lab.Apply or Lab.Patch, with the live object as bytes
//	texts    engines, with the live object as bytes
func BenchmarkRequest(b *testing.B) {
	for _, o := range benchObjects(b) {
		for _, w := range works {
			for _, way := range []struct {
				name string
				run  func(*testing.B, *benchObject, work)
			}{{"cluster", throughCluster}, {"serve", throughServer}, {"engines", throughEngines}, {"lab", throughLab}, {"texts", throughTexts}} {
				b.Run(w.name+"/"+o.name+"/"+way.name, func(b *testing.B) { way.run(b, &o, w) })
			}
		}
	}
}

// serving returns a cluster that holds the object, owned by "deployer", and a patch
// request for it.
func (o *benchObject) serving(b *testing.B) (*cluster.Cluster, cluster.Request) {
	b.Helper()
	c, err := cluster.New(cluster.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
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
	if o.crd == "" { // keep the object's managers
		create := r
		create.Verb, create.Name, create.FieldManager = cluster.Create, "", "creator"
		create.Body = object.Remove("metadata", "resourceVersion").JSON()
		send(create)
	}
	force := true
	apply := r
	apply.Format, apply.FieldManager, apply.Body, apply.Force = cluster.ApplyPatch, "deployer", []byte(o.configs[1]), &force
	send(apply)
	return c, r
}

// live returns the object in the cluster and its kind.
func (o *benchObject) live(b *testing.B) (document.Value, *schema.Kind) {
	b.Helper()
	c, r := o.serving(b)
	r.Verb = cluster.Get
	resp, err := c.Do(context.Background(), &r)
	if err != nil {
		b.Fatal(err)
	}
	kind, ok := c.Kinds().Kind(o.kind)
	if !ok {
		b.Fatal("the cluster does not serve ", o.kind)
	}
	return resp.Object, kind
}

func throughCluster(b *testing.B, o *benchObject, w work) {
	c, r := o.serving(b)
	r.Format, r.FieldManager = w.format, w.manager
	if force := true; w.format == cluster.ApplyPatch {
		r.Force = &force
	}
	measured(b, w.bodies(o), func(body []byte) error {
		q := r
		q.Body = body
		resp, err := c.Do(context.Background(), &q)
		if err == nil {
			resp.Object.JSON()
		}
		return err
	})
}

func throughServer(b *testing.B, o *benchObject, w work) {
	c, r := o.serving(b)
	s := server.New(c, server.Options{})
	url := "/apis/" + r.Group + "/" + r.Version + "/namespaces/" + r.Namespace + "/" + r.Resource + "/" + r.Name + "?fieldManager=" + w.manager
	if w.format == cluster.ApplyPatch {
		url += "&force=true"
	}
	measured(b, w.bodies(o), func(body []byte) error {
		q := httptest.NewRequest(http.MethodPatch, url, bytes.NewReader(body))
		q.Header.Set("Content-Type", w.media)
		answer := httptest.NewRecorder()
		if s.ServeHTTP(answer, q); answer.Code != http.StatusOK {
			return fmt.Errorf("%d: %.300s", answer.Code, answer.Body)
		}
		return nil
	})
}

// changer returns a function that performs a work with a field manager configured only
// with the type.
func (w work) changer(b *testing.B, kind *schema.Kind) func(live fieldmanager.Object, body document.Value, now time.Time) (fieldmanager.Object, error) {
	m, err := fieldmanager.New(fieldmanager.Config{APIVersion: kind.APIVersion(), Kind: kind.Kind, Type: kind.Type(), Custom: !kind.Builtin})
	if err != nil {
		b.Fatal(err)
	}
	return func(live fieldmanager.Object, body document.Value, now time.Time) (fieldmanager.Object, error) {
		if w.format == cluster.ApplyPatch {
			return m.Apply(live, body, fieldmanager.ApplyOptions{FieldManager: w.manager, Force: true, Time: now})
		}
		next, _, err := patch.Request{Type: w.patch}.Apply(live.Join(), body)
		if err != nil {
			return live, err
		}
		return m.Update(live, next, fieldmanager.UpdateOptions{FieldManager: w.manager, Time: now})
	}
}

func throughEngines(b *testing.B, o *benchObject, w work) {
	object, kind := o.live(b)
	live, err := fieldmanager.Split(object)
	if err != nil {
		b.Fatal(err)
	}
	change, now := w.changer(b, kind), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	history, writes := make([]fieldmanager.Object, min(store.DefaultHistory, store.DefaultHistoryBytes/object.JSONLen())), 0
	measured(b, w.bodies(o), func(body []byte) error {
		now = now.Add(time.Second)
		doc, err := document.ParseYAML(body, document.Options{})
		if err != nil {
			return err
		}
		live, err = change(live, doc.Root, now)
		live.Join().JSON()
		history[writes%len(history)] = live
		writes++
		return err
	})
}

func throughTexts(b *testing.B, o *benchObject, w work) {
	object, kind := o.live(b)
	text := object.JSON()
	change, now := w.changer(b, kind), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	measured(b, w.bodies(o), func(body []byte) error {
		doc, err := document.ParseYAML(body, document.Options{})
		if err != nil {
			return err
		}
		given, err := document.Parse(text, document.Options{MaxBytes: -1})
		if err != nil {
			return err
		}
		live, err := fieldmanager.Split(given.Root)
		if err != nil {
			return err
		}
		live, err = change(live, doc.Root, now)
		live.Join().JSON()
		return err
	})
}

func throughLab(b *testing.B, o *benchObject, w work) {
	object, _ := o.live(b)
	text := patchlab.Bytes(object.JSON())
	var options patchlab.Options
	if o.crd != "" {
		options.CRDs = fstest.MapFS{"table.json": {Data: []byte(o.crd)}}
	}
	lab, err := patchlab.New(options)
	if err != nil {
		b.Fatal(err)
	}
	measured(b, w.bodies(o), func(body []byte) error {
		var result *patchlab.Result
		var err error
		if w.format == cluster.ApplyPatch {
			result, err = lab.Apply(text, patchlab.Bytes(body), patchlab.ApplyOptions{FieldManager: w.manager, Force: true})
		} else {
			result, err = lab.Patch(text, patchlab.Bytes(body), patchlab.PatchOptions{Type: w.patch, FieldManager: w.manager})
		}
		if err == nil {
			result.Object().JSON()
		}
		return err
	})
}

// measured sends two bodies alternately and reports the CPU time.
func measured(b *testing.B, bodies [2]string, send func(body []byte) error) {
	b.Helper()
	b.ReportAllocs()
	before, i := processorTime(b), 0
	for b.Loop() {
		i++
		if err := send([]byte(bodies[i%2])); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "user-ns/op")
}

// processorTime returns the CPU time of this process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
