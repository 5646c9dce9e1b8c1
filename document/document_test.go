package document

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

// stdPrint decodes and encodes with encoding/json, with integers as Kubernetes has them.
func stdPrint(t *testing.T, in []byte) ([]byte, bool) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(in))
	d.UseNumber()
	var x any
	if !json.Valid(in) || d.Decode(&x) != nil {
		return nil, false
	}
	x = numbers(x)
	out, err := json.Marshal(x)
	return out, err == nil
}

func numbers(x any) any {
	switch t := x.(type) {
	case map[string]any:
		for k := range t {
			t[k] = numbers(t[k])
		}
	case []any:
		for i := range t {
			t[i] = numbers(t[i])
		}
	case json.Number:
		if i, err := t.Int64(); err == nil {
			return i
		}
		f, err := t.Float64()
		if err != nil {
			return func() {} // not encodable
		}
		return f
	}
	return x
}

func TestPrintedFormAgreesWithEncodingJSON(t *testing.T) {
	for _, c := range []struct{ in, why string }{
		{`{"a":1}`, "a value in printed form"},
		{` { "b" : [ 1 , 2.50, -0, 1e3, 1E400 ] } `, "a number out of range is refused"},
		{`{"b":[1,2.50,-0,1e3,-0.0,1e21,1e-7,123456789012345678901]}`, "numbers print in their shortest form"},
		{`{"b":1,"a":{"d":1,"c":2}}`, "keys are sorted"},
		{`"a\u00e9\/\u003c<>&\u2028` + "\u2028" + `\ud83d\ude00\ud800"`, "escapes are read and printed the usual way"},
		{"\"\xff\xc3\"", "bytes that are not UTF-8 become U+FFFD"},
		{`{"a\"b":1,"\u0061":2}`, "keys may be escaped"},
		{`[[],{},[[]],""," "]`, "empty containers"},
		{`[1,]`, "a trailing comma"}, {`{"a"}`, "a missing value"}, {`01`, "a leading zero"}, {`"`, "an unterminated value"}, {`nul`, "a misspelt literal"},
		{"\"\t\"", "an unescaped tab"}, {`"\x"`, "an unknown escape"}, {`1 2`, "two values"}, {``, "an empty input"},
	} {
		check(t, []byte(c.in), c.why)
	}
}

func check(t *testing.T, in []byte, why string) {
	t.Helper()
	want, ok := stdPrint(t, in)
	d, err := Parse(in, Options{Duplicates: DuplicatesLast})
	if (err == nil) != ok {
		t.Fatalf("%q (%s): error %v, encoding/json says %v", in, why, err, ok)
	}
	deferring(t, in, d, err)
	if err != nil {
		return
	}
	if got := d.Root.JSON(); !bytes.Equal(got, want) {
		t.Fatalf("%q (%s):\n got %s\nwant %s", in, why, got, want)
	}
	if got := d.Root.JSONLen(); got != len(want) {
		t.Fatalf("%q (%s): the printed form has %d bytes, JSONLen returns %d", in, why, len(want), got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":"\u00e9"}],"a":null}`, `"\ud800x"`, `-0`, `1e5`, "\"\xe2\x80\xa8\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) { check(t, in, "fuzz") })
}

// TestParseEmptyInputWithPooledStack: a parser that fails before its first value must work
// with and without a stack left in the pool by an earlier parser.
func TestParseEmptyInputWithPooledStack(t *testing.T) {
	for range 3 {
		runtime.GC() // the second run empties the pool of stacks
		runtime.GC()
		if _, err := Parse(nil, Options{}); err == nil {
			t.Fatal("nothing was parsed as a value")
		}
	}
}

func TestAppendSourceKeepsTheSpelling(t *testing.T) {
	for _, in := range []string{`2.0`, `1e3`, `"\u00e9\/<"`, `"plain"`, `null`, `true`, `{ "b" : 1 }`} {
		d, err := Parse([]byte(in), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(d.Root.AppendSource(nil)); got != in {
			t.Errorf("source of %s is %s", in, got)
		}
	}
	if got := string(NewString("a<b").AppendSource(nil)); got != `"a\u003cb"` {
		t.Errorf("a value that was built has its printed form, got %s", got)
	}
}

// TestPositionsOfBlocks: the line of a message about a whole object or list is that of its key, not that of its first field
// or item.
func TestPositionsOfBlocks(t *testing.T) {
	docs, err := Read([]byte("spec:\n\n  # of the object\n  limits:\n    cpu: 1\n  ports:\n  - port: 80\n  args: [a,\n    b]\n  text: |\n    x\n  \"quoted\": {a: b}\n"), Options{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, want string
		path      Path
	}{
		{"the document, which has no key", "f:1:1", nil},
		{"an object below a comment", "f:1:1", Keys("spec")},
		{"an object", "f:4:3", Keys("spec", "limits")},
		{"a field that is missing in it", "f:4:3", Keys("spec", "limits", "memory")},
		{"a list", "f:6:3", Keys("spec", "ports")},
		{"an item", "f:7:5", Keys("spec", "ports").Item(0)},
		{"a scalar", "f:5:10", Keys("spec", "limits", "cpu")},
		{"a list that begins on the line of its key", "f:8:9", Keys("spec", "args")},
		{"an object that does so, with a key in quotes", "f:12:13", Keys("spec", "quoted")},
		{"a text", "f:10:9", Keys("spec", "text")},
	} {
		if at := docs[0].PositionOf(c.path).String(); at != c.want {
			t.Errorf("%s: %s, want %s", c.why, at, c.want)
		}
	}
}

// TestTextOrder: the order of members in a text differs from that of their keys, and is lost when the object changes.
func TestTextOrder(t *testing.T) {
	const text = `{"z": 1, "empty": "", "a": {"c": 1, "b": 2}, "\u0062": [], "y": null}`
	read := func(text string) Value {
		d, err := Parse([]byte(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	for _, c := range []struct {
		why, want string
		value     Value
	}{
		{"as it was read", "z empty a b y", read(text)},
		{"an object within", "c b", read(text).Get("a")},
		{"an object within, after a change beside it", "c b", read(text).With("z", NewInt(2)).Get("a")},
		{"after a change", "a b empty y z", read(text).With("z", NewInt(2))},
		{"no members", "", read("{}")},
		{"from no text", "a b", NewObject().With("b", NewInt(1)).With("a", NewInt(1))},
	} {
		var keys []string
		for _, i := range c.value.TextOrder() {
			keys = append(keys, c.value.Key(i))
		}
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestPositionsOfEmptyStrings: an empty string that is sliced from a text has the address of the beginning of the text,
// so that its position is that of its place only if it is made otherwise.
func TestPositionsOfEmptyStrings(t *testing.T) {
	d, err := Parse([]byte(`[{"a":1},`+"\n"+` {"b" : "", "c":[""], "\u0061":""}]`), Options{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, want string
		path      Path
	}{
		{"a member", "f:2:9", Path{}.Item(1).Child("b")},
		{"an item", "f:2:18", Path{}.Item(1).Child("c").Item(0)},
		{"a member whose key is escaped", "f:2:32", Path{}.Item(1).Child("a")},
	} {
		if at := d.PositionOf(c.path).String(); at != c.want {
			t.Errorf("%s: %s, want %s", c.why, at, c.want)
		}
	}
	_, err = Parse([]byte(`{"x":{"a":"","a":""}}`), Options{Name: "f"})
	if err == nil || err.Error()[:7] != "f:1:14:" {
		t.Errorf("a duplicate key: %v", err)
	}
	d, err = Parse([]byte(`{"x":{"a":"","a":""},"y":1}`), Options{Duplicates: DuplicatesLast})
	if err != nil || len(d.Duplicates) != 1 || d.Duplicates[0].Path.String() != ".x.a" {
		t.Errorf("duplicates %v, %v", d.Duplicates, err)
	}
}

// TestBuiltFloats checks that NewFloat makes a float64 of a whole number too, which differs from the integer
// with the same printed form.
func TestBuiltFloats(t *testing.T) {
	for _, f := range []float64{0, 1, -7, 2.5, 1e20, 1e21, 1e-7} {
		v := NewFloat(f)
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if v.String() != string(text) || v.JSONLen() != len(text) {
			t.Errorf("%v is printed as %s of length %d, want %s", f, v, v.JSONLen(), text)
		}
		if i := int64(f); float64(i) == f && f < 1e18 {
			n := NewInt(i)
			if v.IsInt() || Identical(v, n) || SurelyIdentical(v, n) || !Equal(v, n) {
				t.Errorf("%v: integer %v, identical to it %v, surely %v, equal %v", f, v.IsInt(), Identical(v, n), SurelyIdentical(v, n), Equal(v, n))
			}
			if o := NewObject().With("a", n).With("a", v); o.Get("a").IsInt() {
				t.Errorf("With keeps the integer %v in the place of a float64", n)
			}
		}
	}
}

func TestBuildersOfStringsAndObjects(t *testing.T) {
	var list ListBuilder
	for _, text := range []string{"a", "<é\xff", ""} {
		var b ObjectBuilder
		b.SetString("z\"", text)
		b.SetString("a", text)
		list.AppendObject(&b)
	}
	list.AppendObject(new(ObjectBuilder))
	want := `[{"a":"a","z\"":"a"},{"a":"\u003cé�","z\"":"\u003cé�"},{"a":"","z\"":""},{}]`
	if got := list.List().String(); got != want {
		t.Errorf("got %s, wanted %s", got, want)
	}
}

func TestStringsOfList(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"an escaped string", `["a","\u00e9",""]`, `["a","é",""]`},
		{"items of other kinds are left out", `["a",null,1,["b"],"c"]`, `["a","c"]`},
		{"an empty list", `[]`, `[]`},
		{"not a list", `{"a":"b"}`, `[]`},
	} {
		d, err := Parse([]byte(c.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := NewStrings(d.Root.Strings()...).String(); got != c.want {
			t.Errorf("%s: %s has the strings %s, want %s", c.why, c.text, got, c.want)
		}
	}
	if got := (Value{}).Strings(); got != nil {
		t.Errorf("an absent value has the strings %q", got)
	}
}
