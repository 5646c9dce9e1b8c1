package document

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFollowInDocument checks that the index and a linear search find the same items.
func TestFollowInDocument(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var items []string
		for range 12 + r.IntN(20) {
			switch port, protocol := r.IntN(6), []string{"TCP", "UDP"}[r.IntN(2)]; r.IntN(5) {
			case 0:
				items = append(items, fmt.Sprintf(`{"port":%d}`, port))
			case 1:
				items = append(items, fmt.Sprintf(`{"protocol":%q,"x":1}`, protocol))
			case 2:
				items = append(items, fmt.Sprint(port))
			default:
				items = append(items, fmt.Sprintf(`{"port":%d.0,"protocol":%q}`, port, protocol))
			}
		}
		d, err := Parse([]byte("["+strings.Join(items, ",")+"]"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for port := range 7 {
			for _, text := range []string{"[port=%d]", "[port=%d,protocol=TCP]", "[protocol=UDP,port=%d]", "[=%d]", "[protocol=TCP,x=%d]"} {
				p, err := ParsePath(fmt.Sprintf(text, port))
				if err != nil {
					t.Fatal(err)
				}
				if got, want := d.Follow(d.Root, p), d.Root.Follow(p); !SameNode(got, want) {
					t.Fatalf("%s in %s: %s, want %s", p, d.Root, got, want)
				}
			}
		}
	}
}

// TestFollowOddElements checks the same for elements of managedFields that no API server writes: a set
// with objects and lists, and a key without fields.
func TestFollowOddElements(t *testing.T) {
	text := `["x",{"a":0,"b":0}`
	for i := range 30 {
		text += fmt.Sprintf(`,{"a":%d,"b":1}`, i)
	}
	d, err := Parse([]byte(text+`,{"a":5},[1,2],{}]`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, element := range []string{`v:{"a":5}`, `v:{}`, `v:[1,2]`, `v:"x"`, `k:{}`, `k:{"a":5}`, `k:{"a":99}`} {
		s, _, err := ParseElement(element)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := d.Follow(d.Root, Path{s}), d.Root.Follow(Path{s}); !SameNode(got, want) {
			t.Errorf("%s: %s, want %s", element, got, want)
		}
	}
}

// TestPositionsOfManyItems bounds the bytes read to find the positions of all items of a
// list, which once was quadratic.
func TestPositionsOfManyItems(t *testing.T) {
	const n = 10_000
	for _, separator := range []string{",", ",\n"} {
		var text strings.Builder
		for i := range n {
			if i > 0 {
				text.WriteString(separator)
			}
			fmt.Fprintf(&text, `{"name":"é%05d","value":"b"}`, i)
		}
		d, err := Parse([]byte("["+text.String()+"]"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := n - 1; i >= 0; i-- {
			p, err := ParsePath(fmt.Sprintf(`[name="é%05d"].value`, i))
			if err != nil {
				t.Fatal(err)
			}
			want := Position{Line: 1, Column: 1 + 30*i + 26}
			if separator != "," && i > 0 {
				want = Position{Line: 1 + i, Column: 26}
			}
			if got := d.PositionOf(p); got != want {
				t.Fatalf("%s is at %v, want %v", p, got, want)
			}
		}
		if most := n + text.Len() + n*checkpointBytes; d.lookup.scanned > most {
			t.Errorf("read %d items and bytes, want at most %d", d.lookup.scanned, most)
		}
	}
}
