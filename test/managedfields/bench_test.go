package managedfields

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/schema"
)

// A row is a benchmark of doc/performance.md, from bytes to bytes.
type row struct {
	name    string
	kind    *schema.Kind
	live    []byte // with four managers
	manager string // the applying manager
	config  []byte // its previous configuration with one field changed
	next    []byte // live with one field changed
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
	out := []row{deploymentRow(b, kind("apps", "v1", "Deployment"))}
	table := tableKind()
	for _, n := range []int{100, 1000, 10000} {
		out = append(out, managedRow(b, fmt.Sprintf("items-%d", n), table, list(n, false)))
	}
	for _, n := range []int{1000, 10000} {
		out = append(out, managedRow(b, fmt.Sprintf("items-%d-shuffled", n), table, list(n, true)))
	}
	return append(out, managedRow(b, "configmap-1MiB", kind("", "v1", "ConfigMap"), configMap()))
}

// deploymentRow uses the Deployment of the patch benchmarks, as changed by its applying
// manager.
func deploymentRow(b testing.TB, k *schema.Kind) row {
	b.Helper()
	live, err := os.ReadFile("../../testdata/bench/deployment.json")
	if err != nil {
		b.Fatal(err)
	}
	_, o := split(live)
	const manager = "deployer" // the manager that applied most of the fields
	config, ok, err := ours(b, k).Extract(o, manager)
	if err != nil || !ok {
		b.Fatalf("%s applied nothing: %v", manager, err)
	}
	return row{"deployment", k, live, manager, change(config).JSON(), change(o.Join()).JSON()}
}

// managedRow creates the object with four managers: alice applies all of it, bob and
// carol share a part, dave updates one field.
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
		if live, err = m.Apply(live, config, fieldmanager.ApplyOptions{FieldManager: who, Time: now}); err != nil {
			b.Fatal(err)
		}
	}
	next := live.Value.Set(document.NewString("dave"), "metadata", "annotations", "touched")
	if live, err = m.Update(live, next, fieldmanager.UpdateOptions{FieldManager: "dave", Time: now}); err != nil {
		b.Fatal(err)
	}
	changed := change(object)
	full := live.Join()
	return row{name, k, full.JSON(), "alice", changed.JSON(), change(full).JSON()}
}

func ours(b testing.TB, k *schema.Kind) *fieldmanager.Manager {
	b.Helper()
	m, err := fieldmanager.New(fieldmanager.Config{APIVersion: k.APIVersion(), Kind: k.Kind, Type: k.Type()})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// half returns the object's identity and every second label.
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

// change sets a deeply nested field that only alice owns.
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
	return v.Set(containers.WithItem(1, containers.At(1).With("image", document.NewString("registry.example.com/shop/worker:3"))), "spec", "template", "spec", "containers")
}

// tableKind returns a custom resource with one list of type map.
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

func list(n int, shuffled bool) document.Value {
	var b strings.Builder
	b.WriteString(`{"apiVersion":"lab/v1","kind":"Table","metadata":{"name":"t","labels":{"a":"1","b":"2","c":"3"}},"spec":{"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		at := i
		if shuffled {
			at = i * 7919 % n
		}
		fmt.Fprintf(&b, `{"count":%d,"name":"item-%05d","value":"some value %d"}`, at%7, at, at)
	}
	b.WriteString(`]}}`)
	return parsed(b.String())
}

// configMap returns a ConfigMap of 1 MiB.
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

// oursApply applies a configuration with patchlab, from bytes to bytes.
func oursApply(m *fieldmanager.Manager, live, config []byte, manager string, now time.Time) ([]byte, error) {
	l, err := document.Parse(live, document.Options{})
	if err != nil {
		return nil, err
	}
	o, err := fieldmanager.Split(l.Root)
	if err != nil {
		return nil, err
	}
	c, err := document.Parse(config, document.Options{})
	if err != nil {
		return nil, err
	}
	out, err := m.Apply(o, c.Root, fieldmanager.ApplyOptions{FieldManager: manager, Time: now})
	if err != nil {
		return nil, err
	}
	return out.Join().JSON(), nil
}

func oursUpdate(m *fieldmanager.Manager, live, next []byte, now time.Time) ([]byte, error) {
	l, err := document.Parse(live, document.Options{})
	if err != nil {
		return nil, err
	}
	o, err := fieldmanager.Split(l.Root)
	if err != nil {
		return nil, err
	}
	n, err := document.Parse(next, document.Options{})
	if err != nil {
		return nil, err
	}
	out, err := m.Update(o, n.Root, fieldmanager.UpdateOptions{FieldManager: "erin", Time: now})
	if err != nil {
		return nil, err
	}
	return out.Join().JSON(), nil
}

// beside runs patchlab and apimachinery on every row.
func beside(b *testing.B, ours func(*fieldmanager.Manager, row) ([]byte, error), theirs func(*peer, row) ([]byte, error)) {
	for _, r := range rows(b) {
		m, err := fieldmanager.New(fieldmanager.Config{APIVersion: r.kind.APIVersion(), Kind: r.kind.Kind, Type: r.kind.Type()})
		if err != nil {
			b.Fatal(err)
		}
		types, err := typesOf(r.kind)
		if err != nil {
			b.Fatal(err)
		}
		p, err := newPeer(r.kind, types)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(r.name+"/ours", func(b *testing.B) { measure(b, r, func() ([]byte, error) { return ours(m, r) }) })
		b.Run(r.name+"/peer", func(b *testing.B) { measure(b, r, func() ([]byte, error) { return theirs(p, r) }) })
	}
}

func measure(b *testing.B, r row, do func() ([]byte, error)) {
	b.SetBytes(int64(len(r.live)))
	b.ReportAllocs()
	before := userTime()
	for b.Loop() {
		if _, err := do(); err != nil {
			b.Fatal(err)
		}
	}
	// CPU time is the more reliable measurement on a shared machine.
	b.ReportMetric(float64(userTime()-before)/float64(b.N), "user-ns/op")
}

// userTime returns the user CPU time of this process.
func userTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkApply(b *testing.B) {
	now := time.Now()
	beside(b, func(m *fieldmanager.Manager, r row) ([]byte, error) {
		return oursApply(m, r.live, r.config, r.manager, now)
	}, func(p *peer, r row) ([]byte, error) {
		return p.apply(r.live, r.config, r.manager, false)
	})
}

func BenchmarkUpdate(b *testing.B) {
	now := time.Now()
	beside(b, func(m *fieldmanager.Manager, r row) ([]byte, error) {
		return oursUpdate(m, r.live, r.next, now)
	}, func(p *peer, r row) ([]byte, error) {
		return p.update(r.live, r.next, "erin")
	})
}

// BenchmarkFloor is the minimum work: one scan of the object for valid JSON, and one parse.
func BenchmarkFloor(b *testing.B) {
	for _, r := range rows(b) {
		b.Run(r.name+"/valid", func(b *testing.B) {
			measure(b, r, func() ([]byte, error) {
				if !json.Valid(r.live) {
					return nil, errors.New("the object is not valid")
				}
				return nil, nil
			})
		})
		b.Run(r.name+"/parse", func(b *testing.B) {
			measure(b, r, func() ([]byte, error) {
				_, err := document.Parse(r.live, document.Options{})
				return nil, err
			})
		})
	}
}

// BenchmarkShared applies from one goroutine per CPU with a shared manager.
func BenchmarkShared(b *testing.B) {
	now := time.Now()
	r := rows(b)[0]
	m, err := fieldmanager.New(fieldmanager.Config{APIVersion: r.kind.APIVersion(), Kind: r.kind.Kind, Type: r.kind.Type()})
	if err != nil {
		b.Fatal(err)
	}
	b.Run(r.name+"/ours", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := oursApply(m, r.live, r.config, r.manager, now); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}
