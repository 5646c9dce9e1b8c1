package document

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Objects of a list are gone over by what the one before held, so neighbours of
// all sorts must be read as each by itself: with members more or less, in or out
// of order, spelled otherwise, and wrong ones.
func TestNeighboursInALargeList(t *testing.T) {
	keys := []string{`"a":`, `"b":`, `"b" :`, `"c\"":`, `"c\u0022":`, `"d<":`, `"e":`, `"é":`, `"":`, `"a"`}
	values := []string{`"x"`, `"x"`, `"x "`, `"\u00e9"`, `"<"`, `1`, `null`, `{"a":"x"}`, `[{"a":"x"},{"a":"x","b":"y"}]`, `""`, `"x`}
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 4000 {
		var items []string
		for range 1 + r.IntN(6) {
			var members []string
			for k := range keys[:len(keys)-1] {
				if r.IntN(2) == 0 {
					members = append(members, keys[k]+values[r.IntN(len(values)-1)])
				}
			}
			if r.IntN(20) == 0 {
				members = append(members, keys[r.IntN(len(keys))]+values[r.IntN(len(values))])
			}
			items = append(items, "{"+strings.Join(members, ",")+"}")
		}
		in := []byte("[" + strings.Join(items, ",") + "]")
		if _, err := Parse(in, Options{Duplicates: DuplicatesLast}); err != nil {
			refused++
		}
		check(t, in, "neighbours")
	}
	if refused == 0 || refused > 2000 {
		t.Errorf("%d of the lists were wrong, which tells little", refused)
	}
}

// A list that is opened by the look of another is what it is without it.
func TestOpenLike(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pool := []string{`{"a":"x","b":[1,{"c":2}]}`, `{"a":"x"}`, `{"a":"x","b":"<"}`, `{"a": 1}`, `[]`, `{}`, `[1,2]`, `"x"`, `1.0`, `1`, `null`, `{"a":{"b":{}}}`}
	list := func() (text string, deferred, whole Value) {
		var items []string
		for range r.IntN(12) {
			items = append(items, pool[r.IntN(len(pool))])
		}
		text = "[" + strings.Join(items, strings.Repeat(" ", r.IntN(2))+",") + "]"
		d, err := parseDeferring(&Document{source: text}, 0, 0)
		w, err2 := Parse([]byte(text), Options{Whole: true})
		if err != nil || err2 != nil {
			t.Fatal(text, err, err2)
		}
		return text, d.Root, w.Root
	}
	for range 3000 {
		likeText, likeDeferred, likeWhole := list()
		text, deferred, whole := list()
		like := likeDeferred
		if r.IntN(2) == 0 {
			like = likeWhole
		}
		OpenLike(deferred, like)
		if deferred.String() != whole.String() {
			t.Fatalf("%s like %s is %s", text, likeText, deferred)
		}
		sameNodes(t, deferred, whole)
	}
}

func TestListBuilderKeepsObjectsApart(t *testing.T) {
	var list ListBuilder
	list.Grow(3)
	var b ObjectBuilder
	for _, keys := range []string{"ba", "abc", "a", "", "cc"} {
		for i := range keys {
			b.SetString(keys[i:i+1], keys)
		}
		list.AppendObject(&b)
	}
	want := `[{"a":"ba","b":"ba"},{"a":"abc","b":"abc","c":"abc"},{"a":"a"},{},{"c":"cc"}]`
	if got := list.List().String(); got != want {
		t.Errorf("got %s, wanted %s", got, want)
	}
}

// A value is gone over by the text of the one under the key before, if that is
// the same.
func TestSiblingsInALargeList(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	values := []string{`{".":{},"f:a":{}}`, `{".":{},"f:a":{}}`, `{".":{},"f:a":{} }`, `{"f:b":{},".":{}}`, `{}`, `{ }`, `1`, `"x\"y"`, `"\u0061"`, `{".":{},"f:a":{}`, `{".":{},"f:a":{}}}`, `{"f:a":{"x":[1,2]}}`}
	for range 4000 {
		var members []string
		for i := range r.IntN(6) {
			members = append(members, `"k:{\"name\":\"`+strings.Repeat("x", i)+`\"}":`+values[r.IntN(len(values))])
		}
		check(t, []byte(`[{"f":{`+strings.Join(members, ",")+`}},{}]`), "siblings")
	}
}
