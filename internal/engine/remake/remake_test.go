package remake_test

import (
	"testing"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/remake"
)

func parse(t *testing.T, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

// swap replaces the parts that are keys of by; null removes a part.
func swap(t *testing.T, by map[string]string) func(int, document.Value) document.Value {
	return func(_ int, v document.Value) document.Value {
		now, found := by[v.String()]
		switch {
		case !found:
			return v
		case now == "null":
			return document.Value{}
		}
		return parse(t, now)
	}
}

func TestReplaceItemsAndMembers(t *testing.T) {
	cases := []struct {
		why, in, want string
		by            map[string]string
	}{
		{"the first", `[1,2,3]`, `[9,2,3]`, map[string]string{"1": "9"}},
		{"the last", `[1,2,3]`, `[1,2,9]`, map[string]string{"3": "9"}},
		{"an item is removed", `[1,2,3]`, `[1,3]`, map[string]string{"2": "null"}},
		{"all items are removed", `[1,1]`, `[]`, map[string]string{"1": "null"}},
		{"a member", `{"a":1,"b":2,"c":3}`, `{"a":1,"b":9,"c":3}`, map[string]string{"2": "9"}},
		{"a member is removed", `{"a":1,"b":2}`, `{"b":2}`, map[string]string{"1": "null"}},
		{"an empty list", `[]`, `[]`, nil},
		{"neither a list nor an object", `7`, `7`, map[string]string{"7": "8"}},
	}
	for _, c := range cases {
		v := parse(t, c.in)
		got := remake.Members(remake.Items(v, swap(t, c.by)), swap(t, c.by))
		if got.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
		if v.String() != c.in {
			t.Errorf("%s: the value became %s", c.why, v)
		}
	}
}

// TestNoChangeIsTheSameValue: without a change the same value is returned and nothing is
// allocated.
func TestNoChangeIsTheSameValue(t *testing.T) {
	for _, text := range []string{`[1,2,{"a":1}]`, `{"a":1,"b":[2]}`} {
		v := parse(t, text)
		same := func(_ int, part document.Value) document.Value { return part }
		once := func() document.Value { return remake.Members(remake.Items(v, same), same) }
		if !document.SameNode(once(), v) {
			t.Errorf("%s: another value came back", text)
		}
		if n := testing.AllocsPerRun(100, func() { once() }); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}

// ItemsUpdate returns what Items does, and looks at changed items alone.
func TestItemsUpdate(t *testing.T) {
	live := parse(t, `[{"n":0},{"n":1},{"n":2},{"n":3}]`)
	added := parse(t, `{"n":9}`)
	double := func(_ int, v document.Value) document.Value {
		if n, _ := v.Get("n").Int(); n > 3 {
			return v.With("n", document.NewInt(2*n))
		}
		return v
	}
	for want, list := range map[string]document.Value{
		`[{"n":0},{"n":18},{"n":2},{"n":3}]`:         live.WithItem(1, added),
		`[{"n":0},{"n":18},{"n":1},{"n":2},{"n":3}]`: live.Splice(1, 0, added),
		`[{"n":0},{"n":1},{"n":2},{"n":18}]`:         live.Splice(3, 1, added),
		`[{"n":1},{"n":2},{"n":3}]`:                  live.Splice(0, 1),
		`[{"n":18}]`:                                 document.NewList(added),
	} {
		seen := 0
		got := remake.ItemsUpdate(list, live, func(i int, item, _ document.Value) document.Value {
			seen++
			if !document.SameNode(item, list.At(i)) {
				t.Errorf("item %d of %s was given as %s", i, list, item)
			}
			return double(i, item)
		})
		if got.String() != want || remake.Items(list, double).String() != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if seen > 1 {
			t.Errorf("%s: %d items were looked at", list, seen)
		}
	}
	if v := document.NewInt(7); !document.SameNode(remake.ItemsUpdate(v, live, nil), v) {
		t.Error("a value that is not a list was not returned unchanged")
	}
}
