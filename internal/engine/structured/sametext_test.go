package structured

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

// table returns a type with a long keyed list, whose items contain a set, a keyed list, a
// map, a field without a schema, and an atomic field.
func table() *schema.Type {
	text := &schema.Type{Scalar: schema.StringScalar}
	ports := &schema.Type{List: &schema.ListType{Kind: schema.KeyedList, Keys: []schema.Key{{Name: "port"}, {Name: "protocol", Default: `"TCP"`}}, Elem: &schema.Type{Map: &schema.MapType{Fields: []schema.Field{
		{Name: "name", Type: text}, {Name: "port", Type: &schema.Type{Scalar: schema.IntegerScalar}}, {Name: "protocol", Type: text}}}}}}
	item := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{
		{Name: "any", Type: schema.Deduced()}, {Name: "labels", Type: &schema.Type{Map: &schema.MapType{Elem: text}}}, {Name: "name", Type: text},
		{Name: "ports", Type: ports}, {Name: "set", Type: texts}, {Name: "whole", Type: &schema.Type{List: &schema.ListType{Kind: schema.AtomicList, Elem: schema.Deduced()}}}}}}
	items := &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "name"}}}}
	return &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "items", Type: items}}}}
}

// drawItem generates an item, usually valid; items with different numbers rarely differ
// otherwise.
func drawItem(r *rand.Rand, number int, odd bool) string {
	parts := []string{`"any":{"a":[1,{"b":null}],"c":1.5}`, `"labels":{"a":"b","c":"d"}`, `"ports":[{"port":80},{"name":"x","port":80,"protocol":"UDP"}]`, `"set":["a","b"]`, `"whole":[{"x":1},{"x":1}]`,
		`"any":7`, `"labels":{}`, `"ports":[]`, `"set":null`, `"labels":{"a":"z"}`}
	if odd {
		parts = append(parts, `"wrong":1`, `"labels":[]`, `"ports":[{"port":80},{"port":80}]`, `"ports":[{"name":"y"}]`, `"set":["a","a"]`, `"labels":{"a":1}`)
	}
	name := fmt.Sprintf(`"name":"item-%04d"`, number)
	out := []string{name}
	for range r.IntN(3) {
		p := parts[r.IntN(len(parts))]
		if !slices.ContainsFunc(out, func(o string) bool { return strings.HasPrefix(o, p[:6]) }) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return "{" + strings.Join(out, ",") + "}"
}

// drawTables generates two objects with long lists that have most items in common.
func drawTables(seed uint64) (a, b string) {
	r := rand.New(rand.NewPCG(seed, 3))
	odd, oddLive := seed%3 == 0, seed%3 == 1
	var one, two []string
	for i := range 150 + r.IntN(100) {
		item := drawItem(r, i, odd && r.IntN(40) == 0)
		switch r.IntN(60) {
		case 0, 1, 2:
		case 3:
			one = append(one, drawItem(r, i, odd || oddLive))
		default:
			one = append(one, item)
		}
		switch r.IntN(30) {
		case 0:
		case 1:
			two = append(two, drawItem(r, i, odd))
		case 2:
			two = append([]string{item}, two...)
		default:
			two = append(two, item)
		}
		if odd && r.IntN(100) == 0 {
			one = append(one, item)
		}
		if odd && r.IntN(200) == 0 {
			two = append(two, item)
		}
	}
	if seed%4 == 0 {
		r.Shuffle(len(one), func(i, j int) { one[i], one[j] = one[j], one[i] })
	}
	return `{"items":[` + strings.Join(one, ",") + `]}`, `{"items":[` + strings.Join(two, ",") + `]}`
}

// spaced adds n spaces to every object and list, so that no two parts of two texts have the
// same text.
func spaced(text string, n int) string {
	gap := strings.Repeat(" ", n)
	return strings.NewReplacer("{", "{"+gap, "[", "["+gap).Replace(text)
}

// TestItemsWithSameTextMergeLikeAnyOthers: items with the same text in two objects are not compared in depth.
// The results are the same as for texts that differ in white space.
func TestItemsWithSameTextMergeLikeAnyOthers(t *testing.T) {
	types := &Types{Version: "v1", Type: table()}
	refused, applied := 0, 0
	for seed := range uint64(120) {
		live, config := drawTables(seed)
		fast := outcome(t, types, parse(t, live), parse(t, config))
		slow := outcome(t, types, parse(t, spaced(live, 1)), parse(t, spaced(config, 2)))
		if fast != slow {
			t.Fatalf("seed %d:\n of the same text %.1500s\n of others        %.1500s", seed, fast, slow)
		}
		if strings.Contains(fast, "apply: <nil>") {
			applied++
		} else {
			refused++
		}
	}
	if applied < 60 || refused < 20 {
		t.Errorf("only %d were applied and %d refused", applied, refused)
	}
}

// outcome returns all results of an apply and an update as text.
func outcome(t *testing.T, types *Types, live, config document.Value) string {
	t.Helper()
	var b strings.Builder
	w := begin(types)
	if w.validate(types.Type, config, document.Value{}, false) == nil {
		got, want := w.validate(types.Type, live, config, true), w.validate(types.Type, live, document.Value{}, true)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("beside a configuration that fits the live object gives %v, alone %v", got, want)
		}
	}
	every := fieldset.Raw(w.every(types.Type, live))
	entries := []Entry{{Manager: "b", Operation: OperationUpdate, APIVersion: "v1", Fields: every.Reread()}}
	was := Entry{Manager: "a", Operation: OperationApply, APIVersion: "v1", Fields: w.fieldsOf(types.Type, live, fieldset.Set{})}
	w.end()
	self := Entry{Manager: "a", Operation: OperationApply, APIVersion: "v1"}
	for _, entries := range [][]Entry{entries, append(entries, was)} {
		merged, changed, after, err := Merger{}.Apply(types, live, config, entries, self, true)
		fmt.Fprintln(&b, "apply:", err, changed)
		if err == nil {
			fmt.Fprintln(&b, merged)
		}
		for _, e := range after {
			fmt.Fprintln(&b, e.Manager, e.Fields.JSON())
		}
		after, taken, err := Merger{}.Update(types, live, config, entries)
		fmt.Fprintln(&b, "update:", err, taken.JSON())
		for _, e := range after {
			fmt.Fprintln(&b, e.Manager, e.Fields.JSON())
		}
	}
	return b.String()
}
