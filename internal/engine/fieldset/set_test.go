package fieldset

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/patchlab-dev/patchlab/document"
)

// decode decodes a fieldsV1 with this package and with structured-merge-diff.
func decode(text string) (ours Set, theirs *fieldpath.Set, errOurs, errTheirs error) {
	theirs = &fieldpath.Set{}
	errTheirs = theirs.FromJSON(strings.NewReader(text))
	d, err := document.Parse([]byte(text), document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		return Set{}, theirs, err, errTheirs
	}
	ours, errOurs = Decode(d.Root)
	return ours, theirs, errOurs, errTheirs
}

// canonicalJSON returns the JSON of a structured-merge-diff set with sorted keys, like that
// of a Set.
func canonicalJSON(t testing.TB, s *fieldpath.Set) string {
	t.Helper()
	text, err := s.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.Parse(text, document.Options{Duplicates: document.DuplicatesLast})
	if err != nil {
		t.Fatal(err)
	}
	return d.Root.String()
}

func TestDecodeAgreesWithStructuredMergeDiff(t *testing.T) {
	for _, c := range []struct{ text, why string }{
		{`{}`, "empty"},
		{`{"f:a":{}}`, "a member"},
		{`{"f:a":{".":{},"f:b":{}}}`, "a member with a field below"},
		{`{"f:a":{".":{}}}`, "a member with an explicit \".\""},
		{`{"f:a":{".":5}}`, "the content of \".\" is ignored"},
		{`{"f:a":null}`, "null instead of {}"},
		{`{".":{},"f:a":{}}`, "the root itself is never owned"},
		{`{"k:{\"b\":1,\"a\":\"x\"}":{}}`, "keys are sorted"},
		{`{"k:{ \"a\" : 1.0 }":{}}`, "white space and numbers are canonicalized"},
		{`{"v:9007199254740993":{},"v:1e2":{},"v:1e-7":{},"v:1e21":{}}`, "numbers are decoded as float64"},
		{`{"v:\"\\u003c\\u00e9\\b\"":{}}`, "escapes in names"},
		{`{"v:\"C:\\\\a\"":{},"k:{\"mountPath\":\"C:\\\\b\"}":{},"k:{\"c\\\\d\":1}":{}}`, "backslashes, as in paths of Windows"},
		{`{"v:\"a\\nb\\rc\\td\\\"e\\u0001\\f\"":{}}`, "quotes and control characters"},
		{`{"v:\"\\u2028\\u2029\\u202a\"":{},"k:{\"\\u2028\":\"\\u2028\"}":{}}`, "separators of lines are escaped in values, but not in names"},
		{"{\"v:\\\"\u2028\\\"\":{},\"v:\\\"\u00e9\x7f\\\"\":{}}", "the same without escapes, and other characters beyond ASCII"},
		{`{"v:0.000001":{},"v:0.00000099":{},"v:999999999999999900000":{},"v:-1e21":{},"v:-0.0":{},"v:1.25":{}}`, "numbers at the limits from which they have an exponent"},
		{`{"k:{\"a&<b>\":\"c&d\"}":{}}`, "HTML escapes are used in key values, but not in names"},
		{`{"k:{\"a\":{\"&\":1}}":{}}`, "HTML escapes are used in names inside values"},
		{`{"v:null":{},"v:[1,2]":{},"v:{\"b\":1,\"a\":2}":{},"v:true":{}}`, "values of any kind"},
		{`{"k:null":{},"k:{}":{}}`, "a key without fields"},
		{`{"i:5":{},"i:05":{},"i:-1":{}}`, "indices"},
		{`{"z:x":{},"f:a":{"z:y":{}}}`, "elements of unknown kinds are ignored"},
		{`{"f:":{},"f:.":{},"f:a:b":{}}`, "unusual names"},
		{`null`, "an empty text"},
	} {
		ours, theirs, err, errTheirs := decode(c.text)
		if (err == nil) != (errTheirs == nil) {
			t.Errorf("%s (%s): ours %v, theirs %v", c.text, c.why, err, errTheirs)
			continue
		}
		if got, want := ours.JSON().String(), canonicalJSON(t, theirs); got != want {
			t.Errorf("%s (%s): %s, want %s", c.text, c.why, got, want)
		}
	}
	for _, c := range []struct{ text, why string }{
		{`{"a":{}}`, "an invalid element"}, {`{"x":{}}`, "too short"}, {`{"f:a":5}`, "not an object"}, {`{"i:x":{}}`, "an invalid index"},
		{`{"v:x":{}}`, "an invalid value"}, {`{"v:":{}}`, "an empty text"}, {`{"k:[1]":{}}`, "a key that is not an object"}, {`"x"`, "fieldsV1 is not an object"},
	} {
		if _, _, err, errTheirs := decode(c.text); err == nil || errTheirs == nil {
			t.Errorf("%s (%s): ours %v, theirs %v", c.text, c.why, err, errTheirs)
		}
	}
}

// FuzzDecode: decoding does not panic and agrees with structured-merge-diff, and encoding
// the decoded set is canonical and idempotent.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"f:a":{".":{},"k:{\"n\":1}":{}}}`, `{"v:\"x\"":{},"i:3":{}}`, `{"k:{\"a\":1.50,\"b\":[null]}":{"f:x":{}}}`, `{"f:a":null}`, `{"k:{\"&\":[]}":{}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ours, theirs, err, errTheirs := decode(text)
		if err != nil {
			return
		}
		again, err := Decode(ours.JSON())
		if err != nil || !again.Equal(ours) || !again.Same(ours) {
			t.Fatalf("%q: reading %s again gives %s, %v", text, ours.JSON(), again.JSON(), err)
		}
		if errTheirs != nil || unusual(text) {
			return
		}
		if got, want := ours.JSON().String(), canonicalJSON(t, theirs); got != want {
			t.Fatalf("%q: %s, want %s", text, got, want)
		}
	})
}

// unusual reports whether a text is excluded from the comparison: structured-merge-diff
// accepts trailing text and repeated key fields, and replaces invalid escapes differently.
func unusual(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x7f || text[i] < 0x20 {
			return true
		}
	}
	if strings.Contains(text, `\u`) {
		return true
	}
	d, err := document.Parse([]byte(text), document.Options{})
	return err != nil || twice(d.Root)
}

func twice(v document.Value) bool {
	for k, kid := range v.Members() {
		if len(k) > 2 && k[0] != 'f' {
			if _, err := document.Parse([]byte(k[2:]), document.Options{}); err != nil {
				return true
			}
		}
		if twice(kid) {
			return true
		}
	}
	return false
}

// draw generates a random set in both forms.
func draw(r *rand.Rand) (Set, *fieldpath.Set) {
	var text bytes.Buffer
	var node func(depth int)
	elements := []string{`f:a`, `f:b`, `f:c`, `k:{\"n\":1}`, `k:{\"n\":2}`, `v:\"x\"`, `v:3`, `i:0`}
	node = func(depth int) {
		text.WriteByte('{')
		some := false
		for i, e := range elements {
			if r.IntN(4) > 0 && (depth < 1 || i != r.IntN(len(elements))) {
				continue
			}
			if some {
				text.WriteByte(',')
			}
			some = true
			text.WriteString(`"` + e + `":`)
			if depth > 0 && r.IntN(2) == 0 {
				node(depth - 1)
			} else {
				text.WriteString(`{}`)
			}
		}
		if r.IntN(3) == 0 && depth < 3 {
			if some {
				text.WriteByte(',')
			}
			text.WriteString(`".":{}`)
		}
		text.WriteByte('}')
	}
	node(3)
	ours, theirs, err, errTheirs := decode(text.String())
	if err != nil || errTheirs != nil {
		panic(text.String())
	}
	return ours, theirs
}

// TestOperations compares operations on random sets with those of structured-merge-diff.
func TestOperations(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, x := draw(r)
		b, y := draw(r)
		for _, c := range []struct {
			name string
			ours Set
			them *fieldpath.Set
		}{
			{"union", a.Union(b), x.Union(y)},
			{"intersect", a.Intersect(b), x.Intersection(y)},
			{"minus", a.Minus(b), x.Difference(y)},
			{"minus below", a.MinusBelow(b), x.RecursiveDifference(y)},
		} {
			if got, want := c.ours.JSON().String(), canonicalJSON(t, c.them); got != want {
				t.Fatalf("seed %d, %s of %s and %s:\n got %s\nwant %s", seed, c.name, a.JSON(), b.JSON(), got, want)
			}
		}
		if got, want := a.Contains(b), y.Difference(x).Empty(); got != want {
			t.Fatalf("seed %d: %s contains %s: %v, want %v", seed, a.JSON(), b.JSON(), got, want)
		}
		if got, want := a.Size(), x.Size(); got != want {
			t.Fatalf("seed %d: size of %s: %d, want %d", seed, a.JSON(), got, want)
		}
		var got, want []string
		for _, p := range a.Paths() {
			got = append(got, Message(p))
		}
		x.Iterate(func(p fieldpath.Path) { want = append(want, p.String()) })
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %s is walked\n%v\nwant\n%v", seed, a.JSON(), got, want)
		}
		if !a.Union(a.Intersect(b)).Same(a) || !a.Minus(b.Minus(a)).Same(a) {
			t.Fatalf("seed %d: an operation that changes nothing makes a new set", seed)
		}
	}
}

func TestPathStrings(t *testing.T) {
	for _, c := range []struct {
		path string
		want string
	}{
		{`f:spec.f:containers.k:{"name":"web"}.f:image`, `.spec.containers[name="web"].image`},
		{`f:ports.k:{"containerPort":80,"protocol":"TCP"}`, `.ports[containerPort=80,protocol="TCP"]`},
		{`f:set.v:"a\"b"`, `.set[="a\"b"]`},
		{`f:set.v:1000000`, `.set[=1e+06]`},
		{`f:list.i:3`, `.list[3]`},
	} {
		p, err := document.ParsePath(c.path)
		if got := Message(p); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.path, got, err, c.want)
		}
	}
}
