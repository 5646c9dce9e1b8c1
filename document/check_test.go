package document

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestAdjacentItemsInLargeList: the fast path compares each object of a list with the
// preceding one, which must not change the result. Neighbours have more or fewer members,
// in or out of order, with other spellings and with errors.
func TestAdjacentItemsInLargeList(t *testing.T) {
	keys := []string{`"a":`, `"b":`, `"b" :`, `"c\"":`, `"c\u0022":`, `"d<":`, `"e":`, `"é":`, `"":`, `"a"`}
	values := []string{
		`"x"`, `"x"`, `"x "`, `"\u00e9"`, `"<"`, `1`, `null`, `{"a":"x"}`, `[{"a":"x"},{"a":"x","b":"y"}]`, `""`,
		`"value 1"`, `"value 10"`, `"value 1\n"`, `"value <"`, `"value é"`, `12`, `120`, `12.5`, `12e1`, `12 `, `{"a":"x" }`, `{"a":"y"}`, `"x`, `12a`, `012`,
	}
	const wrong = 3 // at the end
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 4000 {
		var items []string
		for range 1 + r.IntN(6) {
			var members []string
			for k := range keys[:len(keys)-1] {
				if r.IntN(2) == 0 {
					members = append(members, keys[k]+values[r.IntN(len(values)-wrong)])
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
		t.Errorf("%d of the lists were invalid, which is too one-sided", refused)
	}
}

func TestAppendObjectDoesNotShareMemory(t *testing.T) {
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

// TestAdjacentValuesInLargeList: the fast path compares each value with that of the preceding
// key, which must not change the result.
func TestAdjacentValuesInLargeList(t *testing.T) {
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
