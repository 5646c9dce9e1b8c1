package patch_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/oracle/verify"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
)

// longList generates objects with a keyed list that is long enough to be deferred, and
// modified versions of them. odd allows items that lack their key, share it, or have the
// wrong type.
type longList struct {
	r   *rand.Rand
	odd bool
}

// longType returns the type of these objects. Unless quiet is set, its items contain fields
// that are in every patch even if unchanged: unsorted scalars, and a map with the replace
// strategy.
func longType(quiet bool) *schema.Type {
	text, number := &schema.Type{Scalar: schema.StringScalar}, &schema.Type{Scalar: schema.IntegerScalar}
	fields := []schema.Field{{Name: "name", Type: text}, {Name: "note", Type: text}, {Name: "value", Type: number}}
	part := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "port", Type: number}, {Name: "note", Type: text}}}}
	fields = append(fields, schema.Field{Name: "parts", Type: &schema.Type{List: &schema.ListType{Elem: part, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "port"}}}}})
	if !quiet {
		fields = append(fields, schema.Field{Name: "tags", Type: &schema.Type{List: &schema.ListType{Elem: text, Kind: schema.SetList}}},
			schema.Field{Name: "whole", Type: &schema.Type{Map: &schema.MapType{Elem: text, Atomic: true}}})
	}
	item := &schema.Type{Map: &schema.MapType{Fields: fields}}
	list := &schema.Type{List: &schema.ListType{Elem: item, Kind: schema.KeyedList, Keys: []schema.Key{{Name: "name"}}}}
	return &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "items", Type: list}, {Name: "note", Type: text}}}}
}

func (l *longList) items() []string {
	items := make([]string, 40+l.r.IntN(60))
	for i := range items {
		items[i] = l.item(i)
	}
	if l.r.IntN(2) == 0 {
		l.r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
	return items
}

func (l *longList) item(i int) string {
	key := fmt.Sprintf(`"item-%03d"`, i)
	if l.odd && l.r.IntN(60) == 0 {
		key = []string{`"a<b"`, `"\u00e9"`, `"q\"q"`, `7`, `"7"`, `7.5`, `true`, `null`, `{}`, `"item-001"`}[l.r.IntN(10)]
	}
	members := []string{`"name":` + key, `"note":"what there is to say of this item, ` + []string{`at length"`, `in \"brief\""`, `<at all>"`}[l.r.IntN(20)/9] + ``}
	if l.r.IntN(3) == 0 {
		members = append(members, fmt.Sprintf(`"parts":[{"note":"a","port":%d},{"note":"b","port":%d}]`, l.r.IntN(2), 2+l.r.IntN(2)))
	}
	if l.r.IntN(4) == 0 {
		members = append(members, `"tags":["`+strings.Join([]string{"b", "a", "c"}[:1+l.r.IntN(3)], `","`)+`"]`)
	}
	members = append(members, `"value":`+strconv.Itoa(l.r.IntN(3)))
	if l.r.IntN(8) == 0 {
		members = append(members, `"whole":{"x":"y"}`)
	}
	switch {
	case !l.odd || l.r.IntN(400) > 0:
	case l.r.IntN(3) > 0:
		members = members[1:]
	default:
		return []string{`null`, `"item"`, `[]`, `7`}[l.r.IntN(4)]
	}
	return "{" + strings.Join(members, ",") + "}"
}

// changed returns items of which a few are modified, added, removed or moved.
func (l *longList) changed(items []string) []string {
	items = append([]string(nil), items...)
	for range l.r.IntN(4) {
		i := l.r.IntN(len(items))
		switch l.r.IntN(6) {
		case 0, 1:
			items[i] = strings.Replace(items[i], `"value":`, `"value":1`, 1)
		case 2:
			items = append(items[:i], items[i+1:]...)
		case 3:
			items = append(items[:i:i], append([]string{l.item(100 + l.r.IntN(20))}, items[i:]...)...)
		case 4:
			j := l.r.IntN(len(items))
			items[i], items[j] = items[j], items[i]
		case 5:
			if l.odd && l.r.IntN(2) == 0 {
				items = append(items, items[i])
			} else if l.r.IntN(4) == 0 {
				l.r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
			}
		}
	}
	return items
}

// text returns an object with the items, sometimes not in printed form.
func (l *longList) text(items []string) string {
	comma := ","
	if l.r.IntN(10) == 0 {
		comma = ", "
	}
	return `{"items":[` + strings.Join(items, comma) + `],"note":"` + strconv.Itoa(l.r.IntN(2)) + `"}`
}

// eachLongList calls f with three related objects.
func eachLongList(t *testing.T, f func(t *testing.T, l *longList, quiet bool, texts [3]string)) {
	seeds := []uint64{900105} // keys 7 and "7" in two patches that do not conflict
	for i := range uint64(max(drawn()/5, 1)) {
		seeds = append(seeds, *seed+i)
	}
	for _, s := range seeds {
		l := &longList{r: rand.New(rand.NewPCG(s, 7)), odd: s%3 == 0}
		items := l.items()
		texts := [3]string{l.text(items), l.text(l.changed(items)), l.text(l.changed(items))}
		f(t, l, s%2 == 0, texts)
		if t.Failed() {
			t.Fatalf("seed %d", s)
		}
	}
}

// read parses an object, lazily or not, which must not affect results.
func (l *longList) read(t *testing.T, text string) document.Value {
	t.Helper()
	parse := document.Parse
	if l.r.IntN(2) == 0 {
		parse = document.ParseLazy
	}
	d, err := parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

func TestLongListsAgreeWithReference(t *testing.T) {
	eachLongList(t, func(t *testing.T, l *longList, quiet bool, texts [3]string) {
		typ := longType(quiet)
		var in [3]document.Value
		for i := range in {
			in[i] = l.read(t, texts[i])
		}
		kinds := labKind(typ, true)
		agree(t, &verify.Case{Work: verify.Create, Kinds: kinds, Input: two("from", in[0], "to", in[1])})
		agree(t, &verify.Case{Work: verify.ThreeWay, Kinds: kinds, Input: two("original", in[0], "modified", in[1]).With("current", in[2])})
	})
}

// TestLongListsParsedLazily: lazy parsing does not affect results, errors or
// decisions.
func TestLongListsParsedLazily(t *testing.T) {
	eachLongList(t, func(t *testing.T, l *longList, quiet bool, texts [3]string) {
		typ := longType(quiet)
		kind := schema.NewKind(schema.GroupVersionKind{Group: "lab.example.com", Version: "v1", Kind: "Long"}, typ)
		var whole [3]document.Value
		for i := range whole {
			d, err := document.Parse([]byte(texts[i]), document.Options{})
			if err != nil {
				t.Fatal(err)
			}
			whole[i] = d.Root
		}
		o := patch.ThreeWayOptions{Options: patch.Options{ListTypes: true}, RefuseConflicts: l.r.IntN(2) == 0}
		want, wantErr := patch.ThreeWayStrategic(whole[0], whole[1], whole[2], typ, o)
		got, chosen, err := patch.ThreeWayText([]byte(texts[0]), []byte(texts[1]), []byte(texts[2]), kind, o)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && string(got) != want.String() || chosen != patch.TypeStrategic {
			t.Fatalf("of the texts\n%s %v, wanted\n%s %v", got, err, want, wantErr)
		}
		if err != nil {
			return
		}
		applied(t, l, whole[2], want, typ, texts[2])
	})
}

// applied compares applying a patch to a text with applying it to the parsed value.
func applied(t *testing.T, l *longList, live, change document.Value, typ *schema.Type, text string) {
	t.Helper()
	var decisions [2][]string
	note := func(i int) patch.Observer {
		return func(d patch.Decision) { decisions[i] = append(decisions[i], fmt.Sprint(d)) }
	}
	want, wantErr := patch.Strategic(live, change, typ, patch.Options{ListTypes: true, Observer: note(0)})
	got, err := patch.Strategic(l.read(t, text), change, typ, patch.Options{ListTypes: true})
	_, err2 := patch.Strategic(l.read(t, text), l.read(t, change.String()), typ, patch.Options{ListTypes: true, Observer: note(1)})
	if fmt.Sprint(err) != fmt.Sprint(wantErr) || fmt.Sprint(err2) != fmt.Sprint(wantErr) || got.String() != want.String() {
		t.Fatalf("%s applied is\n%s %v, wanted\n%s %v", change, got, err, want, wantErr)
	}
	if fmt.Sprint(decisions[0]) != fmt.Sprint(decisions[1]) {
		t.Fatalf("%s applied, decided\n%v, wanted\n%v", change, decisions[1], decisions[0])
	}
}

// TestElementOrderHasOnlyTheKeysOfAnItem: $setElementOrder contains the merge keys that an item
// has; keys with a default may be missing.
func TestElementOrderHasOnlyTheKeysOfAnItem(t *testing.T) {
	text, number := &schema.Type{Scalar: schema.StringScalar}, &schema.Type{Scalar: schema.IntegerScalar}
	port := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "name", Type: text}, {Name: "port", Type: number}, {Name: "protocol", Type: text}}}}
	keys := []schema.Key{{Name: "protocol", Default: `"TCP"`}, {Name: "port"}}
	typ := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "ports", Type: &schema.Type{List: &schema.ListType{Elem: port, Kind: schema.KeyedList, Keys: keys}}}}}}
	from := parse(t, `{"ports":[{"port":80},{"port":80,"protocol":"UDP"},{"port":81}]}`)
	to := parse(t, `{"ports":[{"port":81},{"name":"dns","port":80,"protocol":"UDP"},{"port":80}]}`)
	p, err := patch.CreateStrategic(from, to, typ, patch.Options{ListTypes: true})
	want := `{"$setElementOrder/ports":[{"port":81},{"port":80,"protocol":"UDP"},{"port":80}],"ports":[{"name":"dns","port":80,"protocol":"UDP"}]}`
	if err != nil || p.String() != want {
		t.Fatalf("got %s %v, wanted %s", p, err, want)
	}
	if got, err := patch.Strategic(from, p, typ, patch.Options{ListTypes: true}); err != nil || got.String() != to.String() {
		t.Errorf("applied it gives %s %v", got, err)
	}
}

// change generates a strategic merge patch of the items.
func (l *longList) change(items int) string {
	var out []string
	for range 1 + l.r.IntN(4)*l.r.IntN(5) {
		name := l.r.IntN(items + 5)
		switch l.r.IntN(8) {
		case 0:
			out = append(out, fmt.Sprintf(`{"$patch":"delete","name":"item-%03d"}`, name))
		case 1:
			out = append(out, l.item(name))
		default:
			out = append(out, fmt.Sprintf(`{"name":"item-%03d","value":7,"parts":[{"note":"c","port":%d}]}`, name, l.r.IntN(4)))
		}
	}
	if l.r.IntN(3) == 0 {
		slices.Sort(out)
	}
	if l.r.IntN(30) == 0 {
		out = append(out, `{"$patch":"replace"}`)
	}
	return `{"items":[` + strings.Join(out, ",") + `]}`
}

// TestPatchedLongListsAgreeWithReference compares patches of long lists with the reference engine:
// items are kept, reordered, added and removed.
func TestPatchedLongListsAgreeWithReference(t *testing.T) {
	eachLongList(t, func(t *testing.T, l *longList, quiet bool, texts [3]string) {
		items := strings.Count(texts[0], `"name"`)
		live := l.read(t, texts[0])
		change := parse(t, l.change(items))
		agree(t, &verify.Case{Work: verify.StrategicPatch, Kinds: labKind(longType(quiet), true), Input: two("object", live, "patch", change)})
		applied(t, l, parse(t, texts[0]), change, longType(quiet), texts[0])
	})
}

// TestSetElementOrderKeepsNumberTypes: a float64 key is a float64 in the patch too, since a patch
// may be applied without being printed and parsed.
func TestSetElementOrderKeepsNumberTypes(t *testing.T) {
	from, to := parse(t, `{"items":[{"name":2.0,"note":"a"}]}`), parse(t, `{"items":[{"name":2.0,"note":"b"}]}`)
	p, err := patch.CreateStrategic(from, to, longType(true), patch.Options{ListTypes: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := patch.Strategic(from, p, longType(true), patch.Options{ListTypes: true}); err != nil || !document.Identical(got, to) {
		t.Errorf("applied, %s gives %s %v", p, got, err)
	}
}

// TestThreeWayTextErrors: an error contains the name of the invalid text; a
// missing original is valid.
func TestThreeWayTextErrors(t *testing.T) {
	texts := map[string]string{"original": `{"a":1}`, "modified": `{"a":2}`, "current": "a: 1\n"}
	made := func() (string, error) {
		p, _, err := patch.ThreeWayText([]byte(texts["original"]), []byte(texts["modified"]), []byte(texts["current"]), nil, patch.ThreeWayOptions{})
		return string(p), err
	}
	for name, text := range texts {
		texts[name] = `{"a":`
		if _, err := made(); err == nil || !strings.HasPrefix(err.Error(), name+":1:") {
			t.Errorf("the wrong %s text gives %v", name, err)
		}
		texts[name] = text
	}
	texts["original"] = ""
	if p, err := made(); err != nil || p != `{"a":2}` {
		t.Errorf("without an original the patch is %s, %v", p, err)
	}
}

// TestThreeWayTextErrorsAreOwn: an error does not change when the caller reuses the memory of the texts.
func TestThreeWayTextErrorsAreOwn(t *testing.T) {
	modified, current := []byte(`{"spec":{"containers":[{"image":"a"}]}}`), []byte(`{"spec":{"containers":[{"name":"a"}]}}`)
	_, _, err := patch.ThreeWayText(nil, modified, current, builtin("", "v1", "Pod"), patch.ThreeWayOptions{})
	const want = `.spec.containers: an item lacks the merge key name: {"image":"a"}`
	if err == nil || err.Error() != want {
		t.Fatalf("the error is %v, want %s", err, want)
	}
	clear(modified)
	clear(current)
	if err.Error() != want {
		t.Errorf("later the error is %q, want %s", err, want)
	}
}
