package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// deferring parses again with everything deferred that can be, and compares the result with
// the one parsed at once.
func deferring(t *testing.T, in []byte, at *Document, atErr error) {
	t.Helper()
	d, err := parseDeferring(newDocument(string(in), Options{Duplicates: DuplicatesLast}), 0, 0)
	if fmt.Sprint(err) != fmt.Sprint(atErr) {
		t.Fatalf("%q: deferring, the error is %v, else %v", in, err, atErr)
	}
	if err != nil {
		return
	}
	if got, want := d.Root.String(), at.Root.String(); got != want {
		t.Fatalf("%q: deferring\n got %s\nwant %s", in, got, want)
	}
	sameNodes(t, d.Root, at.Root)
	if len(d.Duplicates) != len(at.Duplicates) {
		t.Fatalf("%q: deferring, duplicates %v, else %v", in, d.Duplicates, at.Duplicates)
	}
}

// sameNodes compares everything that is observable of two values.
func sameNodes(t *testing.T, a, b Value) {
	t.Helper()
	if a.Kind() != b.Kind() || a.Len() != b.Len() || a.IsInt() != b.IsInt() || string(a.AppendSource(nil)) != string(b.AppendSource(nil)) {
		t.Fatalf("deferring %s, else %s", a.AppendSource(nil), b.AppendSource(nil))
	}
	if (a.n.flags^b.n.flags)&^(kidsDeferred|shell) != 0 {
		t.Fatalf("%.80s has flags %b when deferred, else %b", a, a.n.flags, b.n.flags)
	}
	if a.Kind() == Object {
		for i := range b.Len() {
			text, isText := a.MemberText(b.Key(i))
			if want, is := b.At(i).Text(); text != want || isText != is {
				t.Fatalf("%.80s has at %q the text %.80q", a, b.Key(i), text)
			}
			if got := a.Get(b.Key(i)); got.String() != b.At(i).String() || a.Get(b.Key(i)+"\x00").Exists() || a.Get("").Exists() != b.Get("").Exists() {
				t.Fatalf("%.80s has at %q %.80s", a, b.Key(i), got)
			}
		}
	}
	for i := range a.Len() {
		if a.Kind() == Object && a.Key(i) != b.Key(i) {
			t.Fatalf("key %q, else %q", a.Key(i), b.Key(i))
		}
		sameNodes(t, a.At(i), b.At(i))
	}
}

func longList() string {
	var s strings.Builder
	s.WriteString(`{"l":[[1,[2.50,{"x":"\u00e9"}]]`)
	for i := range 4000 {
		fmt.Fprintf(&s, `,{"a":"item-%d","b":{"c":[true,null,-%d]}, "d":"<"}`, i, i)
	}
	s.WriteString(`],"m":{"n":[]}}`)
	return s.String()
}

func TestDeferredListEqualsParsedList(t *testing.T) {
	in := []byte(longList())
	d, err := ParseLazy(in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Root.Get("l").n.flags&kidsDeferred == 0 {
		t.Fatal("the list is not deferred")
	}
	check(t, in, "a long list")
	if at := d.PositionOf(Keys("l").Item(1).Child("b")).String(); at != "1:51" {
		t.Errorf("an item's member is at %s", at)
	}
}

// TestUnsortedListsAreNotDeferred: objects whose keys are out of order are parsed at once,
// because a key may occur twice.
func TestUnsortedListsAreNotDeferred(t *testing.T) {
	long := strings.Repeat(`{"a":1,"b":2},`, 6000)
	for _, odd := range []string{`{"b":1,"a":2}`, `{"a":1,"a":2}`, `{"b":1,"\u0061":1}`} {
		d, err := ParseLazy([]byte(`{"l":[`+long+odd+`]}`), Options{Duplicates: DuplicatesLast})
		if err != nil {
			t.Fatal(err)
		}
		if d.Root.Get("l").n.flags&kidsDeferred != 0 {
			t.Errorf("a list with %s is deferred", odd)
		}
	}
	for _, wrong := range []string{`{"a":1,}`, `01`, `"x`, `1e999`, `tru`, "\"\t\"", `{"a" 1}`, `[1`} {
		if _, err := ParseLazy([]byte(`{"l":[`+long+wrong+`]}`), Options{}); err == nil {
			t.Errorf("%s at the end of a long list is taken", wrong)
		}
	}
}

// TestDeferredListConcurrentReaders: concurrent readers of one deferred list see the same
// items.
func TestDeferredListConcurrentReaders(t *testing.T) {
	d, err := ParseLazy([]byte(longList()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := d.Root.Get("l")
	other := d.Root.With("z", NewNull()).Get("l") // shares the list
	var wg sync.WaitGroup
	var items [8]Value
	for i := range items {
		wg.Go(func() {
			from := list
			if i%2 == 1 {
				from = other
			}
			for _, item := range from.Items() {
				if item.Kind() == Object && item.Lookup("b", "c").Len() != 3 {
					t.Error("an item lacks its parts")
				}
			}
			items[i] = from.At(17)
		})
	}
	wg.Wait()
	for _, item := range items {
		if !SameNode(item, items[0]) || item.Get("a").StringOr("") != "item-16" {
			t.Errorf("an item differs: %s", item)
		}
	}
}

func TestAppendItems(t *testing.T) {
	list := NewList(NewInt(0), NewInt(1), NewInt(2), NewInt(3))
	var b ListBuilder
	b.AppendItems(list, 1, 3)
	b.Append(NewInt(9))
	b.AppendItems(list, 3, 4)
	if s := b.List().String(); s != "[1,2,9,3]" {
		t.Error(s)
	}
}

func TestRisesOrdersKeysByText(t *testing.T) {
	keys := []string{``, `a`, `ab`, `\"`, `a\"`, `a\"b`, `a\\`, `a\\\"`, `a\n`, `a!`, `a#`, `a[`, `a]`, `\u0061b`, `a\u0022`, `a\/`, "a\xff", "a\ufffe", "a\u00e9", `k:{\"x\":1}`, `k:{\"x\":10}`, `k:{\"y\":1}`}
	for _, a := range keys {
		for _, b := range keys {
			if got, want := rises(a, b, false), unescape(a) < unescape(b); got != want {
				t.Errorf("%q rises to %q: %v, wanted %v", a, b, got, want)
			}
		}
	}
}

// oddText generates a text of few distinct values, so that neighbours are often equal. Some
// texts are invalid, contain white space, or have keys out of order or repeated.
func oddText(r *rand.Rand, depth int) string {
	scalars := []string{`"x"`, `"a string that is longer than most"`, `"a string with a \" in it, and \\"`, `"a string that is < than most"`,
		`1`, `12`, `1.0`, `null`, `true`, `""`, `{}`, `[]`, `-0`, `"a string that is spelled \u0061t length"`}
	if r.IntN(400) == 0 {
		return []string{`"a string that is longer than most`, `tru`, `01`, `{"a"}`, `[1,]`, `}`}[r.IntN(6)]
	}
	if depth == 0 || r.IntN(4) == 0 {
		return scalars[r.IntN(len(scalars))]
	}
	var parts []string
	space := strings.Repeat(" ", r.IntN(12)/11)
	if r.IntN(2) == 0 {
		for range r.IntN(6) {
			parts = append(parts, oddText(r, depth-1))
		}
		return "[" + space + strings.Join(parts, ",") + space + "]"
	}
	for _, key := range []string{`"a"`, `"b"`, `"c\""`, `"d<"`, `"e"`} {
		if r.IntN(3) > 0 {
			parts = append(parts, key+":"+space+oddText(r, depth-1))
		}
	}
	if r.IntN(20) == 0 {
		parts = append(parts, `"a":`+oddText(r, depth-1))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// TestDeferringDoesNotChangeResult: parsing gives the same result whatever is deferred.
func TestDeferringDoesNotChangeResult(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	wrong := 0
	for range 20000 {
		text := oddText(r, 4)
		o := Options{Duplicates: Duplicates(r.IntN(3))}
		want, wantErr := Parse([]byte(text), o)
		got, err := parseDeferring(newDocument(text, o), 0, r.IntN(40))
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%s: error %v, want %v", text, err, wantErr)
		}
		if err != nil {
			wrong++
			continue
		}
		if got.Root.String() != want.Root.String() || fmt.Sprint(got.Duplicates) != fmt.Sprint(want.Duplicates) {
			t.Fatalf("%s is %s with duplicates %v, want %s, %v", text, got.Root, got.Duplicates, want.Root, want.Duplicates)
		}
		sameNodes(t, got.Root, want.Root)
	}
	if wrong < 500 || wrong > 10000 {
		t.Errorf("%d of 20000 texts were invalid, which tests little", wrong)
	}
}

func FuzzParseLazy(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":"a string that is longer"},1],"c":{}}`))
	f.Add([]byte(`[{"a":[1]},{"a":[1]},{"a":[2],"b":{}}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		want, wantErr := Parse(text, Options{Duplicates: DuplicatesLast})
		got, err := parseDeferring(newDocument(string(text), Options{Duplicates: DuplicatesLast}), 0, 0)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%q: error %v, want %v", text, err, wantErr)
		}
		if err == nil {
			sameNodes(t, got.Root, want.Root)
		}
	})
}
