package document

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestDuplicatesMergedInTurn: repeated members are merged from first to last, and a value
// that is not an object discards those before it.
func TestDuplicatesMergedInTurn(t *testing.T) {
	for in, want := range map[string]string{
		`{"k":{"a":1},"k":{"b":2},"k":{"a":3}}`:                       `{"k":{"a":3,"b":2}}`,
		`{"k":{"a":{"x":1}},"k":{"a":2},"k":{"a":{"y":3}}}`:           `{"k":{"a":{"y":3}}}`,
		`{"k":{"a":{"x":1}},"k":{"b":2},"k":{"a":{"y":3}}}`:           `{"k":{"a":{"x":1,"y":3},"b":2}}`,
		`{"k":{"a":1},"k":7,"k":{"b":2},"k":{"c":3}}`:                 `{"k":{"b":2,"c":3}}`,
		`{"k":{"a":1},"k":{"b":2},"k":[1]}`:                           `{"k":[1]}`,
		`{"k":{"a":{"x":{"p":1}}},"k":{"a":{"x":{"q":2}}},"k":{}}`:    `{"k":{"a":{"x":{"p":1,"q":2}}}}`,
		`{"z":1,"k":{"a":1},"b":{"c":1,"c":2},"k":{"a":{}},"k":null}`: `{"b":{"c":2},"k":null,"z":1}`,
	} {
		d, err := Parse([]byte(in), Options{Duplicates: DuplicatesMerged})
		if err != nil || d.Root.String() != want {
			t.Errorf("%s: got %v, %v; want %s", in, d.Root, err, want)
		}
	}
}

// TestPositionsOfDuplicates: the positions of duplicates are the same whether they are
// computed one by one or in one pass.
func TestPositionsOfDuplicates(t *testing.T) {
	var text strings.Builder
	text.WriteString("{\"é\":\n[")
	for i := range 20 {
		if i > 0 {
			text.WriteString([]string{",", ",\n"}[i%2])
		}
		text.WriteString(` {"k": {"x": 1, "ä\n": 2, "x": "y"}, "l": "]{\"", "k": ""}`)
	}
	text.WriteString("]}")
	d, err := Parse([]byte(text.String()), Options{Duplicates: DuplicatesLast})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Duplicates) != 40 {
		t.Errorf("%d duplicates, want 40", len(d.Duplicates))
	}
	offset := 0
	for i, got := range d.Duplicates {
		want, value := fmt.Sprintf("[\"é\"][%d].k.x", i/2), `"y"}`
		if i%2 == 1 {
			want, value = fmt.Sprintf("[\"é\"][%d].k", i/2), `""}`
		}
		offset += strings.Index(text.String()[offset:], value)
		if got.Path.String() != want || got.Position != d.position(offset) {
			t.Errorf("duplicate %d is %s at %s, want %s at %s", i, got.Path, got.Position, want, d.position(offset))
		}
		offset++
	}
}

// TestManyDuplicateKeysParseInLinearTime: parsing time stays linear however many keys are repeated.
func TestManyDuplicateKeysParseInLinearTime(t *testing.T) {
	for _, part := range []string{`"a":1`, `"a":{"k%d":1}`} {
		cost := func(n int) uint64 {
			var b strings.Builder
			for i := range n {
				b.WriteString(strings.ReplaceAll(part, "%d", strconv.Itoa(i)) + ",")
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, err := Parse([]byte("{"+b.String()+`"z":1}`), Options{Duplicates: DuplicatesMerged})
			runtime.ReadMemStats(&after)
			if err != nil || len(d.Duplicates) != min(n-1, maxDuplicates) {
				t.Fatalf("%d duplicates, %v", len(d.Duplicates), err)
			}
			return after.TotalAlloc - before.TotalAlloc
		}
		if a, b := cost(200), cost(3200); b > 3*16*a {
			t.Errorf("%s: %d KB for 200, %d KB for 3200", part, a>>10, b>>10)
		}
	}
}

// TestDuplicatesOfDeepObjectsAreFew parses 70 KB with 2,000 duplicate keys whose paths have 9,000 steps.
func TestDuplicatesOfDeepObjectsAreFew(t *testing.T) {
	const depth = 9000
	text := strings.Repeat(`{"a":`, depth) + "{" + strings.Repeat(`"b":1,`, 2000) + `"c":1}` + strings.Repeat("}", depth)
	d, err := Parse([]byte(text), Options{Duplicates: DuplicatesLast})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.Duplicates); n == 0 || n*depth > maxDuplicateSteps {
		t.Errorf("%d duplicates are listed", n)
	}
}
