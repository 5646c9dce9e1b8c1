package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// owned generates the fieldsV1 of n items, some of which have other fields than the
// preceding item.
func owned(n int, seed uint64, space string) string {
	r := rand.New(rand.NewPCG(seed, 1))
	shapes := []string{`{}`, `{".":{},"f:count":{},"f:name":{}}`, `{".":{},"f:count":{},"f:name":{},"f:value":{}}`,
		`{"f:a":{"f:b":{}},"f:c":{}}`, `{"f:a":{"f:b":{}}}`, `{"f:a":{"f:b":1}}`, `{"f:a":[{}]}`, `{"f:a":[]}`, `{"b":{},"a":{}}`, `{"\u003c":{}}`, `{"\"":{}}`}
	shape := shapes[1]
	var b strings.Builder
	b.WriteString("{")
	for i := range n {
		if r.IntN(4) == 0 {
			shape = shapes[r.IntN(len(shapes))]
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"k:{\"name\":\"item-%05d\"}":%s%s`, i, space, shape)
	}
	return b.String() + "}"
}

// TestSharedNodesOfRepeatedObjectsKeepTheirValue: sharing nodes of repeated objects does not change the
// parsed value. White space prevents sharing, so the text is compared with a spaced copy.
func TestSharedNodesOfRepeatedObjectsKeepTheirValue(t *testing.T) {
	for seed := range uint64(50) {
		text := owned(500, seed, "")
		check(t, []byte(text), "repeated objects")
		spaced := strings.NewReplacer(`{"`, `{ "`, `{}`, `{ }`).Replace(text)
		for _, parse := range []func([]byte, Options) (*Document, error){Parse, ParseLazy} {
			a, err := parse([]byte(text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := parse([]byte(spaced), Options{})
			if err != nil {
				t.Fatal(err)
			}
			sameMembers(t, a.Root, b.Root)
			if Compare(a.Root, b.Root) != 0 || !Identical(a.Root, b.Root) {
				t.Fatal("repeated objects compare as different")
			}
		}
	}
}

// sameMembers compares two values member by member.
func sameMembers(t *testing.T, a, b Value) {
	t.Helper()
	if a.Kind() != b.Kind() || a.Len() != b.Len() || a.String() != b.String() {
		t.Fatalf("repeated %.200s, spaced %.200s", a, b)
	}
	for i := range a.Len() {
		if a.Kind() == Object && a.Key(i) != b.Key(i) {
			t.Fatalf("repeated, the key is %q, spaced %q", a.Key(i), b.Key(i))
		}
		sameMembers(t, a.At(i), b.At(i))
	}
}

// TestRepeatedObjectsShareNodes: objects that contain nothing but objects share the nodes of the
// preceding one if the text is the same. Objects with scalars do not, so that each keeps
// its position.
func TestRepeatedObjectsShareNodes(t *testing.T) {
	for _, c := range []struct {
		first, second string
		shared        bool
	}{
		{`{"f:a":{},"f:b":{}}`, `{"f:a":{},"f:b":{}}`, true},
		{`{"f:a":{"f:b":{}}}`, `{"f:a":{"f:b":{}}}`, true},
		{`{"f:a":{}}`, `{"f:a":{},"f:b":{}}`, false},
		{`{"f:a":{},"f:b":{}}`, `{"f:a":{}}`, false},
		{`{"f:a":1}`, `{"f:a":1}`, false},
		{`{"f:a":[]}`, `{"f:a":[]}`, false},
		{`{"f:a": {}}`, `{"f:a": {}}`, false},
		{`{"b":{},"a":{}}`, `{"b":{},"a":{}}`, false},
	} {
		text := `{"a":` + c.first + `,"b":` + c.second + `}`
		d, err := Parse([]byte(text), Options{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		a, b := d.Root.Get("a"), d.Root.Get("b")
		if SameNode(a, b) != c.shared {
			t.Errorf("%s: shared is %v", text, !c.shared)
		}
		if at, want := d.Position(b).Column, strings.LastIndex(text, c.second)+1; at != want {
			t.Errorf("%s: the second is at %d, found at %d", text, want, at)
		}
	}
}
