package document

import "testing"

func TestSharedEnds(t *testing.T) {
	parse := func(text string) Value {
		d, err := Parse([]byte(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	list := parse(`[{"a":1},"x",[],{"b":2},7]`)
	other := parse(`[{"a":1},"x",[],{"b":2},7]`)
	cases := []struct {
		why         string
		a, b        Value
		first, last int
	}{
		{"one list", list, list, 5, 0},
		{"a copy of its nodes", NewList(list.At(0), list.At(1), list.At(2), list.At(3), list.At(4)), list, 5, 0},
		{"equal lists that share only empty nodes", other, list, 0, 0},
		{"an item changed", list.WithItem(3, NewString("x")), list, 3, 1},
		{"a scalar changed", list.WithItem(1, NewString("y")), list, 1, 3},
		{"an item was added", list.Splice(1, 0, NewInt(1)), list, 1, 4},
		{"an item was removed", list.Splice(1, 1), list, 1, 3},
		{"the first item was removed", list.Splice(0, 1), list, 0, 4},
		{"the last item was removed", list.Splice(4, 1), list, 4, 0},
		{"an item was duplicated", list.Splice(0, 0, list.At(0)), list, 1, 4},
		{"not a list", list, parse(`{"a":[]}`), 0, 0},
		{"an absent value", list, Value{}, 0, 0},
		{"empty lists", NewList(), parse(`[]`), 0, 0},
	}
	for _, c := range cases {
		if first, last := SharedEnds(c.a, c.b); first != c.first || last != c.last {
			t.Errorf("%s: %d and %d are shared, want %d and %d", c.why, first, last, c.first, c.last)
		}
		if first, last := SharedEnds(c.b, c.a); first != c.first || last != c.last {
			t.Errorf("%s, the other way: %d and %d are shared, want %d and %d", c.why, first, last, c.first, c.last)
		}
	}
}

// The length of a changed value is the same whether or not an earlier one is known.
func TestJSONLenUpdate(t *testing.T) {
	parse := func(text string) Value {
		d, err := Parse([]byte(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	texts := []string{
		`{}`, `[]`, `7`, `"é<\""`, `null`, `{ "a" : 1 }`, `{"a":[1,{"b":"<"},[]],"c":{"d<":1.50,"e":[]}}`,
		`{"a":[{"b":"<"}],"b":1,"c":{"e":[1,2]}}`, `[{"b":1},{"b":22},{"b":3}]`, `{"f:k":{"k:{\"name\":\"x\"}":{".":{}}}}`,
	}
	var values []Value
	for _, text := range texts {
		v := parse(text)
		values = append(values, v, v.Set(NewString("new & long"), "c", "d<"), v.Set(NewInt(1), "x"), v.Remove("a"))
		if v.Kind() == List {
			values = append(values, v.Splice(0, min(1, v.Len())), v.Splice(0, 0, NewBool(true), NewObject()))
		}
	}
	for _, before := range append(values, Value{}) {
		for _, v := range append(values, Value{}) {
			if got, want := v.JSONLenUpdate(before, before.JSONLen()), len(v.AppendJSON(nil)); got != want {
				t.Fatalf("from %s to %s: %d bytes, want %d", before, v, got, want)
			}
		}
	}
}
