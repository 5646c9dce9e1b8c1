package managedfields

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// A row is one piece of work of doc/performance.md: bytes in, bytes out.
type row struct {
	name   string
	kind   *schema.Kind
	live   []byte // with four managers
	config []byte // what alice applied before, with one field changed
	next   []byte // live with one field changed
}

func rows(b testing.TB) []row {
	b.Helper()
	catalog, err := schema.Builtin("")
	if err != nil {
		b.Fatal(err)
	}
	kind := func(group, version, name string) *schema.Kind {
		k, ok := catalog.Kind(schema.GroupVersionKind{Group: group, Version: version, Kind: name})
		if !ok {
			b.Fatalf("no %s", name)
		}
		return k
	}
	out := []row{managedRow(b, "deployment", kind("apps", "v1", "Deployment"), deployment())}
	table := tableKind()
	for _, n := range []int{100, 1000, 10000} {
		out = append(out, managedRow(b, fmt.Sprintf("list-%d", n), table, list(n)))
	}
	return append(out, managedRow(b, "configmap", kind("", "v1", "ConfigMap"), configMap()))
}

// managedRow lets four managers make the object: alice applies all of it, bob
// and carol share a part, dave updates one.
func managedRow(b testing.TB, name string, k *schema.Kind, object document.Value) row {
	b.Helper()
	m := ours(b, k)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var live fieldmanager.Object
	var err error
	for i, who := range []string{"alice", "bob", "carol"} {
		config := object
		if i > 0 {
			config = half(object, i)
		}
		if live, err = m.Apply(live, config, who, false, now); err != nil {
			b.Fatal(err)
		}
	}
	next := live.Value.Set(document.NewString("dave"), "metadata", "annotations", "touched")
	if live, err = m.Update(live, next, "dave", now); err != nil {
		b.Fatal(err)
	}
	changed := change(object)
	full := live.Join()
	return row{name, k, full.JSON(), changed.JSON(), change(full).JSON()}
}

func ours(b testing.TB, k *schema.Kind) *fieldmanager.Manager {
	b.Helper()
	m, err := fieldmanager.New(fieldmanager.Config{APIVersion: k.APIVersion(), Kind: k.Kind, Type: k.Type()})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// half returns an object with only the labels, and every second label at that.
func half(v document.Value, from int) document.Value {
	out := document.NewObject().With("apiVersion", v.Get("apiVersion")).With("kind", v.Get("kind")).Set(v.Lookup("metadata", "name"), "metadata", "name")
	i := 0
	for k, x := range v.Lookup("metadata", "labels").Members() {
		if i++; i%2 == from%2 {
			out = out.Set(x, "metadata", "labels", k)
		}
	}
	return out
}

// change gives one field deep in an object another value, one that only alice owns.
func change(v document.Value) document.Value {
	switch {
	case v.Get("data").Exists():
		return v.Set(document.NewString("changed"), "data", "key-00500")
	case v.Lookup("spec", "items").Exists():
		items := v.Lookup("spec", "items")
		i := items.Len() / 2
		return v.Set(items.WithItem(i, items.At(i).With("value", document.NewString("changed"))), "spec", "items")
	}
	containers := v.Lookup("spec", "template", "spec", "containers")
	return v.Set(containers.WithItem(1, containers.At(1).With("image", document.NewString("registry.example.com/team/app:2"))), "spec", "template", "spec", "containers")
}

// deployment is about 12 KB with its managers: several containers with
// environment, ports, probes and volumes.
func deployment() document.Value {
	var b strings.Builder
	b.WriteString(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","annotations":{"team":"shop"},"labels":{"app":"web","tier":"front","env":"prod","release":"r1"}},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web","tier":"front"}},"spec":{"containers":[`)
	for i := range 5 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"c%[1]d","image":"registry.example.com/team/app:1","imagePullPolicy":"IfNotPresent","args":["--port","80%[1]d","--verbose"],"ports":[{"name":"http","containerPort":80%[1]d,"protocol":"TCP"},{"name":"metrics","containerPort":90%[1]d,"protocol":"TCP"}],"env":[`, i)
		for j := range 6 {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"name":"SETTING_%d","value":"value of setting %d"}`, j, j)
		}
		fmt.Fprintf(&b, `],"resources":{"limits":{"cpu":"500m","memory":"512Mi"},"requests":{"cpu":"250m","memory":"256Mi"}},"livenessProbe":{"httpGet":{"path":"/healthz","port":80%d,"scheme":"HTTP"},"initialDelaySeconds":5,"periodSeconds":10},"volumeMounts":[{"name":"config","mountPath":"/etc/config"},{"name":"data","mountPath":"/var/data"}]}`, i)
	}
	b.WriteString(`],"volumes":[{"name":"config","configMap":{"name":"web-config"}},{"name":"data","emptyDir":{}}],"nodeSelector":{"disk":"ssd"},"terminationGracePeriodSeconds":30}}}}`)
	return parsed(b.String())
}

// tableKind is a custom resource with one keyed list.
func tableKind() *schema.Kind {
	text := &schema.Type{Scalar: schema.StringScalar}
	number := &schema.Type{Scalar: schema.IntegerScalar}
	texts := &schema.Type{Map: &schema.MapType{Elem: text}}
	item := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "count", Type: number}, {Name: "name", Type: text}, {Name: "value", Type: text}}}}
	items := &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "name"}}}}
	meta := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "annotations", Type: texts}, {Name: "labels", Type: texts},
		{Name: "managedFields", Type: &schema.Type{List: &schema.ListType{Elem: schema.Deduced()}}}, {Name: "name", Type: text}, {Name: "uid", Type: text}}}}
	spec := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "items", Type: items}}}}
	return schema.NewKind(schema.GroupVersionKind{Group: "lab", Version: "v1", Kind: "Table"}, &schema.Type{Map: &schema.MapType{Fields: []schema.Field{
		{Name: "apiVersion", Type: text}, {Name: "kind", Type: text}, {Name: "metadata", Type: meta}, {Name: "spec", Type: spec},
	}}})
}

func list(n int) document.Value {
	var b strings.Builder
	b.WriteString(`{"apiVersion":"lab/v1","kind":"Table","metadata":{"name":"t","labels":{"a":"1","b":"2","c":"3"}},"spec":{"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		at := i
		if os.Getenv("SHUFFLED") != "" {
			at = i * 7919 % n
		}
		fmt.Fprintf(&b, `{"count":%d,"name":"item-%05d","value":"some value %d"}`, at%7, at, at)
	}
	b.WriteString(`]}}`)
	return parsed(b.String())
}

// configMap holds 1 MiB.
func configMap() document.Value {
	var b strings.Builder
	b.WriteString(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"big","labels":{"a":"1","b":"2","c":"3"}},"data":{`)
	line := strings.Repeat("some text of a file ", 50)
	for i := range 1000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"key-%05d":"%s"`, i, line)
	}
	b.WriteString(`}}`)
	return parsed(b.String())
}

func parsed(text string) document.Value {
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		panic(err)
	}
	return d.Root
}

// oursApply is what our side of a row does, bytes in and bytes out.
func oursApply(m *fieldmanager.Manager, live, config []byte, now time.Time) ([]byte, error) {
	l, err := document.Parse(live, document.Options{Whole: true})
	if err != nil {
		return nil, err
	}
	o, err := fieldmanager.Split(l.Root)
	if err != nil {
		return nil, err
	}
	c, err := document.Parse(config, document.Options{Whole: true})
	if err != nil {
		return nil, err
	}
	out, err := m.Apply(o, c.Root, "alice", false, now)
	if err != nil {
		return nil, err
	}
	return out.Join().JSON(), nil
}

func oursUpdate(m *fieldmanager.Manager, live, next []byte, now time.Time) ([]byte, error) {
	l, err := document.Parse(live, document.Options{Whole: true})
	if err != nil {
		return nil, err
	}
	o, err := fieldmanager.Split(l.Root)
	if err != nil {
		return nil, err
	}
	n, err := document.Parse(next, document.Options{Whole: true})
	if err != nil {
		return nil, err
	}
	out, err := m.Update(o, n.Root, "erin", now)
	if err != nil {
		return nil, err
	}
	return out.Join().JSON(), nil
}

func BenchmarkApply(b *testing.B) {
	now := time.Now()
	for _, r := range rows(b) {
		m := ours(b, r.kind)
		b.Run(r.name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := oursApply(m, r.live, r.config, now); err != nil {
					b.Fatal(err)
				}
			}
		})
		types, err := typesOf(r.kind)
		if err != nil {
			b.Fatal(err)
		}
		p, err := newPeer(r.kind, types)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(r.name+"/apimachinery", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.apply(r.live, r.config, "alice", false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	now := time.Now()
	for _, r := range rows(b) {
		m := ours(b, r.kind)
		b.Run(r.name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := oursUpdate(m, r.live, r.next, now); err != nil {
					b.Fatal(err)
				}
			}
		})
		types, err := typesOf(r.kind)
		if err != nil {
			b.Fatal(err)
		}
		p, err := newPeer(r.kind, types)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(r.name+"/apimachinery", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.update(r.live, r.next, "erin"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
