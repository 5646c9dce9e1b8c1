package structured

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/internal/engine/fieldset"
	"github.com/patchlab-dev/patchlab/schema"
)

var texts = &schema.Type{List: &schema.ListType{Elem: &schema.Type{Scalar: schema.StringScalar}, Kind: schema.SetList}}

func parse(t testing.TB, text string) document.Value {
	t.Helper()
	d, err := document.Parse([]byte(text), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root
}

// words returns a set of one-letter strings.
func words(letters string) document.Value {
	var b document.ListBuilder
	for _, c := range letters {
		b.Append(document.NewString(string(c)))
	}
	return b.List()
}

func letters(v document.Value) string {
	var b strings.Builder
	for _, item := range v.Items() {
		b.WriteString(item.StringOr("?"))
	}
	return b.String()
}

func TestOrderOfMergedLists(t *testing.T) {
	for _, c := range []struct{ live, config, want, why string }{
		{"abc", "", "abc", "an empty configuration"},
		{"", "ab", "ab", "an empty live list"},
		{"abc", "abc", "abc", "equal lists"},
		{"abc", "cxaz", "bcxaz", "the configuration's order; other items precede the item that they preceded"},
		{"abc", "x", "abcx", "new items are appended"},
		{"abc", "xb", "axbc", "new items precede the next common item"},
		{"abcd", "db", "acdb", "items move to the configuration's order"},
		{"aab", "a", "ab", "a duplicate item is replaced by the configuration's"},
		{"abab", "ba", "ba", "two duplicate items are replaced too"},
	} {
		w := begin(nil)
		if got := letters(w.merge(texts, words(c.live), words(c.config))); got != c.want {
			t.Errorf("%q with %q: %q, want %q: %s", c.live, c.config, got, c.want, c.why)
		}
		w.end()
	}
}

// TestIndexAgreesWithLinearSearch compares the index with a linear search.
func TestIndexAgreesWithLinearSearch(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 2))
		n := r.IntN(40)
		var b document.ListBuilder
		items := make([]string, n)
		for i := range items {
			at := r.IntN(2 * n)
			if seed%3 == 0 {
				at = 100 + i // ascending
			}
			items[i] = fmt.Sprintf("item-%d", at)
			b.Append(document.NewString(items[i]))
		}
		w := begin(nil)
		x := w.indexOf(texts.List, b.List())
		for i := range 2*n + 1 {
			e := fmt.Sprintf("item-%d", i)
			want := -1
			for j := range items {
				if items[j] == e {
					want = j
					break
				}
			}
			if got := x.find(`v:"` + e + `"`); got != want {
				t.Fatalf("seed %d: %s is found at %d, want %d in %v", seed, e, got, want, items)
			}
		}
		for i := range items {
			want := -1
			for j := n - 1; j > i; j-- {
				if items[j] == items[i] {
					want = j
				}
			}
			if got := x.follower(i); got != want {
				t.Fatalf("seed %d: after item %d comes %d, want %d in %v", seed, i, got, want, items)
			}
		}
		w.end()
	}
}

// TestResultsDoNotShareReusedMemory: results are not modified by later calls that reuse memory.
func TestResultsDoNotShareReusedMemory(t *testing.T) {
	typ := &schema.Type{Map: &schema.MapType{Fields: []schema.Field{{Name: "set", Type: texts}}}}
	types := &Types{Version: "v1", Type: typ}
	config := document.NewObject().With("set", words("qwertz"))
	_, _, after, err := Merger{}.Apply(types, document.NewObject(), config, nil, Entry{Manager: "a", Operation: OperationApply, APIVersion: "v1"}, false)
	if err != nil {
		t.Fatal(err)
	}
	before := after[0].Fields.JSON().String()
	for _, other := range []string{"asdfgh", "yxcvbn", "uiopjk"} {
		next := document.NewObject().With("set", words(other))
		if _, _, _, err := (Merger{}).Apply(types, config, next, nil, Entry{Manager: "b", Operation: OperationApply, APIVersion: "v1"}, true); err != nil {
			t.Fatal(err)
		}
	}
	if now := after[0].Fields.JSON().String(); now != before {
		t.Errorf("the set was %s and is %s", before, now)
	}
}

func TestMergeSharesUnchangedParts(t *testing.T) {
	typ := schema.Deduced()
	live := parse(t, `{"a":{"x":1,"y":[1,2]},"b":{"c":"d"},"e":null}`)
	w := begin(&Types{Version: "v1", Type: typ})
	defer w.end()
	for _, same := range []string{`{}`, `{"a":{"x":1}}`, `{"a":{"y":[1,2]},"e":null}`} {
		if !document.SameNode(w.merge(typ, live, parse(t, same)), live) {
			t.Errorf("merging %s makes a new object", same)
		}
	}
	merged := w.merge(typ, live, parse(t, `{"a":{"x":2}}`))
	if !document.SameNode(merged.Get("b"), live.Get("b")) || !document.SameNode(merged.Lookup("a", "y"), live.Lookup("a", "y")) {
		t.Error("unchanged parts are not shared")
	}
	owned := w.fieldsOf(typ, live, fieldset.Set{})
	if again := w.fieldsOf(typ, parse(t, live.String()), owned); !again.Same(owned) {
		t.Error("the set of an object that names the same is made again")
	}
}

// TestManyRepeatedItems: the cost of repeated items is linear in their number.
func TestManyRepeatedItems(t *testing.T) {
	const n = 1 << 20
	w := begin(nil)
	defer w.end()
	x := w.indexOf(texts.List, words(strings.Repeat("a", n)+"b"))
	at, steps := x.find("v:\"a\""), 0
	for ; at >= 0 && x.follower(at) == at+1; at++ {
		steps++
	}
	if at != n-1 || steps != n-1 || x.follower(n) >= 0 {
		t.Errorf("%d items follow each other up to %d, want all of %d", steps, at, n)
	}
}

// TestKeyFieldWithHTMLCharacters: the API server escapes the value of a key field for HTML but
// not its name.
func TestKeyFieldWithHTMLCharacters(t *testing.T) {
	l := &schema.ListType{Kind: schema.KeyedList, Keys: []schema.Key{{Name: "a&b"}}}
	got, ok := ItemElement(l, parse(t, `{"a&b":"c&d"}`))
	if want := `k:{"a&b":"c\u0026d"}`; !ok || got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestErrorsQuoteValues: a value in an error is quoted as written and truncated at a
// character boundary.
func TestErrorsQuoteValues(t *testing.T) {
	for value, want := range map[string]string{
		"<LUN>":                       `the string "<LUN>"`,
		strings.Repeat("é", 30):       `the string "` + strings.Repeat("é", 20) + `…"`,
		"a" + strings.Repeat("é", 30): `the string "a` + strings.Repeat("é", 19) + `…"`,
	} {
		if got := describe(document.NewString(value)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestOrderOfMergedListsAgrees compares the order of the items of merged sets with that of
// structured-merge-diff, for all sets of up to three items and all configurations of up to four.
func TestOrderOfMergedListsAgrees(t *testing.T) {
	parser, err := typed.NewParser(`types: [{name: set, list: {elementType: {scalar: string}, elementRelationship: associative}}]`)
	if err != nil {
		t.Fatal(err)
	}
	read := func(text string) *typed.TypedValue {
		items := []any{}
		for _, c := range text {
			items = append(items, string(c))
		}
		v, err := parser.Type("set").FromUnstructured(items, typed.AllowDuplicates)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	configs := slices.DeleteFunc(arrangements("abxy", 4), func(text string) bool { return len(text) != len(distinct(text)) })
	for _, live := range arrangements("abc", 3) {
		for _, config := range configs {
			merged, err := read(live).Merge(read(config))
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprint(merged.AsValue().Unstructured())
			w := begin(nil)
			got := fmt.Sprint(strings.Split(letters(w.merge(texts, words(live), words(config))), ""))
			w.end()
			if got != want {
				t.Errorf("%q with %q: %s, want %s", live, config, got, want)
			}
		}
	}
}

// arrangements returns all texts of letters up to a length.
func arrangements(letters string, most int) []string {
	out := []string{""}
	for from := 0; most > 0; most-- {
		end := len(out)
		for _, text := range out[from:end] {
			for _, c := range letters {
				out = append(out, text+string(c))
			}
		}
		from = end
	}
	return out
}

// distinct returns the letters of a text, each once.
func distinct(text string) string {
	var out strings.Builder
	for i, c := range text {
		if strings.IndexRune(text, c) == i {
			out.WriteRune(c)
		}
	}
	return out.String()
}
